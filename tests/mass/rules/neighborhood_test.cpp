#include "../../support/make_mass.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

using mass::Border;
using mass::Mass;
using mass::testing::makeMass;

template <int D>
class Lamp : public mass::Place<D> {
 public:
  int before = 7;  // the counted attribute is not the first one
  bool on = false;
  int counted = 0;
  int added = 0;
  using Attributes = mass::Attributes<&Lamp::before, &Lamp::on, &Lamp::counted, &Lamp::added>;

  MASS_FN void scatter(const mass::Here<D>& here) { on = here.random().bernoulli(0.5); }
  MASS_FN void look(const mass::Neighborhood<Lamp>& near) {
    counted = near.template count<&Lamp::on>(mass::moore<D>) +
              100 * near.template count<&Lamp::on>(mass::vonNeumann<D>);
    added = 0;
    for (const auto offset : mass::moore<D>) added += near(offset).on ? 1 : 0;
    for (const auto offset : mass::vonNeumann<D>) added += near(offset).on ? 100 : 0;
  }
};

template <int D>
void expectCountsAreSums(mass::Shape<D> shape) {
  using P = Lamp<D>;
  for (const Border border : {Border::periodic, Border::fixed, Border::mirrored}) {
    Mass mass = makeMass(3);
    P outside;
    outside.on = true;
    auto lamps = mass.createPlaces<P>(shape, mass::borders<P>(border, outside));
    lamps.template callAll<&P::scatter>();
    lamps.template callAll<&P::look>();
    EXPECT_EQ(lamps.template download<&P::counted>(), lamps.template download<&P::added>());
    EXPECT_GT(lamps.template reduce<&P::counted>(mass::maximum), 100);
  }
}

TEST(Neighborhood, CountEqualsTheSumOverTheStencil) {
  expectCountsAreSums<1>({13});
  expectCountsAreSums<2>({5, 7});
  expectCountsAreSums<3>({4, 3, 5});
}

/// Reads neighbours by each form of an offset.
class Reader : public mass::Place<3> {
 public:
  std::int64_t number = 0;
  bool same = false;
  using Attributes = mass::Attributes<&Reader::number, &Reader::same>;

  MASS_FN void setNumber(const mass::Here<3>& here) { number = here.index(); }
  MASS_FN void compare(const mass::Neighborhood<Reader>& near) {
    const std::int64_t one = 1;
    const mass::Offset<3> offset{1, 0, -1};
    same = near(offset).number == near(1, 0, -1).number &&
           near(one, 0L, -1).number == near(offset).number && near(0, 0, 0).number == number;
  }
  /// Changes the place twice: neighbours read the value before the call.
  MASS_FN void overwrite(const mass::Neighborhood<Reader>& near) {
    number = -1;
    number = near(0, 0, 0).number + near(0, 0, 1).number;
  }
};

TEST(Neighborhood, NeighboursHaveTheirStateBeforeTheCall) {
  Mass mass = makeMass(2);
  auto places = mass.createPlaces<Reader>({2, 2, 2});
  places.callAll<&Reader::setNumber>();
  places.callAll<&Reader::compare>();
  EXPECT_EQ(places.download<&Reader::same>(), std::vector<bool>(8, true));
  places.callAll<&Reader::overwrite>();
  EXPECT_EQ(places.download<&Reader::number>(),
            (std::vector<std::int64_t>{1, 1, 5, 5, 9, 9, 13, 13}));
}

/// A class with reach 0: no ghost rows, no padding.
class WithoutReach : public mass::Place<2> {
 public:
  static constexpr int reach = 0;
  std::int8_t value = 1;
  using Attributes = mass::Attributes<&WithoutReach::value>;
  MASS_FN void grow(const mass::Neighborhood<WithoutReach>& near) {
    value = static_cast<std::int8_t>(near(0, 0).value * 2);
  }
};

TEST(Neighborhood, AReachOfZeroAllocatesNoGhostRows) {
  Mass mass = makeMass(3);
  auto places = mass.createPlaces<WithoutReach>({5, 4});
  EXPECT_EQ(places.bytes(), 20U);
  places.callAll<&WithoutReach::grow>(mass::steps(5));
  EXPECT_EQ(places.download<&WithoutReach::value>(), std::vector<std::int8_t>(20, 32));
}

}  // namespace
