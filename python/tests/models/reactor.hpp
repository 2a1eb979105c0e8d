#pragma once

#include <mass/mass.hpp>

#include <array>
#include <cstdint>

namespace reactor {

/// Rates in 1/s.
struct Rates {
  double on = 6, off = 10;
};

enum class Mode : std::uint8_t { slow, fast };

/// Parameters of the rules.
struct Weights {
  std::array<float, 2> near{1, 0.5F};
  bool areDoubled = false;
  Mode mode = Mode::slow;
  Rates rates;  // nested
  MASS_FN int shift() const { return mode == Mode::fast ? 2 : 1; }
};

/// Structure that Python cannot give.
struct Odd {
  int size = 1;
  long double value = 0;
};

struct Hidden {
  MASS_FN explicit Hidden(int given = 3) : value(given) {}
  MASS_FN int get() const { return value; }

 private:
  int value;
};

/// Site with particles that hop and react, and numbers that two rules change in turn.
class Site : public mass::Place<2> {
 public:
  /// Level with a count.
  struct Level {
    std::int32_t height = 2;
    float slope = 0.25F;
    bool operator==(const Level&) const = default;
  };

  std::int32_t calcium = 0, bound = 0;
  std::array<std::int16_t, 3> marks{1, 2, 3};
  Level level;
  using Attributes = mass::Attributes<&Site::calcium, &Site::bound, &Site::marks, &Site::level>;

  MASS_FN double binding(const Rates& k) const { return k.on * calcium; }
  MASS_FN void bind() { --calcium, ++bound; }
  MASS_FN double unbinding(const Rates& k) const { return k.off * bound; }
  MASS_FN void unbind() { ++calcium, --bound; }
  using Events =
      mass::Events<mass::event<&Site::binding, &Site::bind>,
                   mass::event<&Site::unbinding, &Site::unbind>, mass::hop<&Site::calcium>>;

  MASS_FN void fill(const mass::Here<2>& here, int most) {
    calcium = static_cast<int>(here.random().below(static_cast<std::uint32_t>(most)));
  }
  MASS_FN void rise(const mass::Neighborhood<Site>& near, float by) {
    level.slope = by * (near(0, 1).level.slope + near(1, 0).level.slope) + 1;
  }
  MASS_FN void count(const mass::Here<2>& here) {
    level.height += here.random().below(3) + (level.slope > 1.5F ? 1 : 0);
  }
  MASS_FN void weigh(const Weights& weights) {
    level.slope = weights.near[0] - weights.near[1] * static_cast<float>(weights.rates.on);
    level.height = weights.areDoubled ? 2 * weights.shift() : weights.shift();
  }
  MASS_FN float length(const mass::Space<2>& space) const {
    return space.length(0) + 100 * space.length(1) + (space.periodic[0] ? 0.5F : 0);
  }
  MASS_FN void odd(const Odd& given) { calcium = given.size; }
  MASS_FN void hidden(const Hidden& given) { calcium = given.get(); }
  using Rules = mass::Rules<&Site::fill, &Site::rise, &Site::count, &Site::weigh, &Site::length,
                            &Site::odd, &Site::hidden>;
};

}  // namespace reactor
