#pragma once

#include "../../../support/make_mass.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace mass::testing {

/// A + B <-> C.
class Binding : public Place<1> {
 public:
  std::int32_t a = 6, b = 4, c = 0;
  using Attributes = mass::Attributes<&Binding::a, &Binding::b, &Binding::c>;

  MASS_FN double binding(double k, double /*back*/) const { return k * a * b; }
  MASS_FN void bind() { --a, --b, ++c; }
  MASS_FN double unbinding(double /*k*/, double back) const { return back * c; }
  MASS_FN void unbind() { ++a, ++b, --c; }

  using Events = mass::Events<mass::event<&Binding::binding, &Binding::bind>,
                              mass::event<&Binding::unbinding, &Binding::unbind>>;
};

/// -> A, 2 A ->.
class Pairs : public Place<1> {
 public:
  std::int32_t a = 0;
  using Attributes = mass::Attributes<&Pairs::a>;

  MASS_FN double birth() const { return 5; }
  MASS_FN void bear() { ++a; }
  MASS_FN double meeting() const { return 0.1 * a * (a - 1); }
  MASS_FN void annihilate() { a -= 2; }

  using Events = mass::Events<mass::event<&Pairs::birth, &Pairs::bear>,
                              mass::event<&Pairs::meeting, &Pairs::annihilate>>;
};

/// Particles that only hop.
class Walkers : public Place<2> {
 public:
  std::int32_t count = 0;
  using Attributes = mass::Attributes<&Walkers::count>;
  using Events = mass::Events<mass::hop<&Walkers::count>>;
};

/// A + B ->, where A and B hop.
template <int D>
class Meeting : public Place<D> {
 public:
  std::int32_t a = 0, b = 0;
  using Attributes = mass::Attributes<&Meeting::a, &Meeting::b>;

  MASS_FN double reaction(double k) const { return k * a * b; }
  MASS_FN void react() { --a, --b; }

  using Events = mass::Events<
      mass::event<&Meeting::reaction, &Meeting::react, mass::reads<&Meeting::a, &Meeting::b>>,
      mass::hop<&Meeting::a>, mass::hop<&Meeting::b>>;
};

/// Returns the chi-squared statistic of counts with given probabilities.
inline double chiSquared(const std::vector<std::int64_t>& counts,
                         const std::vector<double>& probabilities, double total) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = probabilities[i] * total;
    sum += (static_cast<double>(counts[i]) - expected) *
           (static_cast<double>(counts[i]) - expected) / expected;
  }
  return sum;
}

/// Returns how often each value in [0, most] occurs; larger ones count as `most`.
template <class Values>
std::vector<std::int64_t> histogram(const Values& values, int most) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(most) + 1, 0);
  for (const auto value : values)
    ++counts[static_cast<std::size_t>(std::min<std::int64_t>(value, most))];
  return counts;
}

}  // namespace mass::testing
