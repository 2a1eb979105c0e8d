#include "../../support/mass_on_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using mass::Mass;
using mass::testing::makeMass;

enum class Level : std::int8_t { low = -5, middle = 3, high = 9 };

template <int D>
class Sample : public mass::Place<D> {
 public:
  float value = 0;
  std::int32_t number = 0;
  bool flag = false;
  Level level = Level::middle;
  using Attributes =
      mass::Attributes<&Sample::value, &Sample::number, &Sample::flag, &Sample::level>;

  MASS_FN float scaled(float factor) const { return factor * value; }
  MASS_FN bool above(std::int32_t bound) const { return number > bound; }
  MASS_FN std::int64_t place(const mass::Here<D>& here) const { return here.index(); }
  MASS_FN std::int64_t before(const mass::Neighborhood<Sample>& near) const {
    mass::Offset<D> back{};
    back[0] = -1;
    return near(back).number;
  }
  MASS_FN void count() { ++number; }
};

template <int D>
struct World {
  Mass mass;
  mass::Places<Sample<D>> places;

  World(mass::Shape<D> shape, int devices) : World(shape, makeMass(devices)) {}
  World(mass::Shape<D> shape, Mass&& devices)
      : mass(std::move(devices)), places(mass.createPlaces<Sample<D>>(shape)) {
    std::int64_t i = 0;
    places.template initialise<&Sample<D>::number>([&](const auto&) { return i++; });
    places.template initialise<&Sample<D>::flag>([](const auto& at) { return at[0] % 3 == 1; });
    // Values of very different magnitude: a sum in another order has other bits.
    i = 0;
    places.template initialise<&Sample<D>::value>([&](const auto&) {
      ++i;
      return std::sin(static_cast<double>(i)) * std::pow(10.0, static_cast<double>(i % 13) - 6);
    });
  }
};

/// Checks reductions on the devices of a Mass. @return a sum
template <int D>
double expectReductions(mass::Shape<D> shape, Mass&& devices) {
  using P = Sample<D>;
  const std::int64_t size = mass::count(shape);
  World<D> world(shape, std::move(devices));
  auto& places = world.places;
  const auto number = places.template reduce<&P::number>(mass::sum);
  static_assert(std::is_same_v<decltype(number), const std::int64_t>);
  EXPECT_EQ(number, size * (size - 1) / 2);
  EXPECT_EQ(places.template reduce<&P::number>(mass::minimum), 0);
  EXPECT_EQ(places.template reduce<&P::number>(mass::maximum), size - 1);
  EXPECT_EQ(places.template reduce<&P::above>(mass::sum, 2), size - 3);
  EXPECT_EQ(places.template reduce<&P::place>(mass::maximum), size - 1);
  EXPECT_EQ(places.template reduce<&P::before>(mass::sum), size * (size - 1) / 2);
  const double sum = places.template reduce<&P::value>(mass::sum);
  const double scaled = places.template reduce<&P::scaled>(mass::sum, 2.0F);
  EXPECT_EQ(scaled, 2 * sum);

  const auto values = places.template download<&P::value>();
  const auto flags = places.template map<&P::flag>();
  EXPECT_EQ(places.template map<&P::value>(), values);
  EXPECT_EQ(flags, places.template download<&P::flag>());
  EXPECT_EQ(places.template reduce<&P::flag>(mass::sum),
            std::count(flags.begin(), flags.end(), true));
  EXPECT_EQ(places.template reduce<&P::value>(mass::minimum),
            *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(places.template reduce<&P::value>(mass::maximum),
            *std::max_element(values.begin(), values.end()));
  const auto before = places.template map<&P::before>();
  const std::int64_t row = size / shape[0];
  for (std::int64_t i = 0; i < size; ++i)
    EXPECT_EQ(before[static_cast<std::size_t>(i)], (i + size - row) % size);
  EXPECT_EQ(places.step(), 0U) << "a reading rule is not a step";
  return sum;
}

template <int D>
void expectReductions(mass::Shape<D> shape) {
  const double expected = expectReductions<D>(shape, makeMass(1));
  for (const std::vector<int>& devices :
       std::vector<std::vector<int>>{{1}, {2}, {3}, {5}, {1, 1}, {1, 3, 1}}) {
    for (const int threads : {1, 6}) {
      mass::testing::onRanks({.devices = devices, .threads = threads}, [&](Mass& mass) {
        EXPECT_EQ(expectReductions<D>(shape, std::move(mass)), expected)
            << "bitwise equal on each split";
      });
    }
  }
}

TEST(Reduction, OneDimension) {
  expectReductions<1>({61});
}

TEST(Reduction, TwoDimensions) {
  expectReductions<2>({7, 37});
}

TEST(Reduction, ThreeDimensions) {
  expectReductions<3>({5, 3, 19});
}

TEST(Reduction, ReadsTheLatestStateOfOtherDevices) {
  World<2> world({6, 4}, 3);
  world.places.callAll<&Sample<2>::count>(mass::steps(2));
  EXPECT_EQ(world.places.reduce<&Sample<2>::before>(mass::minimum), 2);
  world.places.callAll<&Sample<2>::count>();
  EXPECT_EQ(world.places.map<&Sample<2>::before>()[4], 3);
}

TEST(Reduction, SupportsEnumsAndInfinities) {
  World<2> world({3, 5}, 2);
  EXPECT_EQ(world.places.reduce<&Sample<2>::level>(mass::minimum), Level::middle);
  world.places.initialise<&Sample<2>::level>([](const auto&) { return Level::low; });
  EXPECT_EQ(world.places.reduce<&Sample<2>::level>(mass::maximum), Level::low);
  const float infinity = std::numeric_limits<float>::infinity();
  world.places.initialise<&Sample<2>::value>([infinity](const auto&) { return infinity; });
  EXPECT_EQ(world.places.reduce<&Sample<2>::value>(mass::minimum), infinity);
  world.places.initialise<&Sample<2>::value>([infinity](const auto&) { return -infinity; });
  EXPECT_EQ(world.places.reduce<&Sample<2>::value>(mass::maximum), -infinity);
}

/// User-defined operation: the greatest absolute value.
struct GreatestMagnitude {
  template <class T>
  using Result = T;
  template <class R>
  static constexpr R identity() {
    return 0;
  }
  template <class R>
  constexpr R operator()(R a, R b) const {
    return std::max(a < 0 ? -a : a, b < 0 ? -b : b);
  }
};

TEST(Reduction, AcceptsAUserDefinedOperation) {
  World<1> world({40}, 3);
  auto values = std::vector<std::int32_t>(40, 3);
  values[27] = -8;
  world.places.upload<&Sample<1>::number>(values);
  EXPECT_EQ(world.places.reduce<&Sample<1>::number>(GreatestMagnitude{}), 8);
}

// 40 * 2000000000 exceeds 32 bits.
TEST(Reduction, SumsAreWideEnough) {
  World<1> world({40}, 2);
  world.places.initialise<&Sample<1>::number>([](const auto&) { return 2000000000; });
  EXPECT_EQ(world.places.reduce<&Sample<1>::number>(mass::sum), 80000000000);
}

TEST(Reduction, ANaNComesThroughFromEveryPlace) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const int devices : {1, 3}) {
    for (const std::int64_t bad : {0, 1, 34, 69}) {
      World<2> world({7, 10}, devices);
      std::int64_t i = 0;
      world.places.initialise<&Sample<2>::value>([&](const auto&) {
        const float value = i == bad ? nan : static_cast<float>(i % 5);
        ++i;
        return value;
      });
      EXPECT_TRUE(std::isnan(world.places.reduce<&Sample<2>::value>(mass::minimum))) << bad;
      EXPECT_TRUE(std::isnan(world.places.reduce<&Sample<2>::value>(mass::maximum))) << bad;
      EXPECT_TRUE(std::isnan(world.places.reduce<&Sample<2>::value>(mass::sum))) << bad;
      const auto rows = world.places.reduceRows<&Sample<2>::value>(mass::maximum);
      for (std::size_t row = 0; row < rows.size(); ++row) {
        EXPECT_EQ(std::isnan(rows[row]), static_cast<std::int64_t>(row) == bad / 10) << bad;
      }
    }
  }
  World<1> line({9}, 2);
  line.places.initialise<&Sample<1>::value>([&](const auto& at) { return at[0] == 3 ? nan : 1; });
  EXPECT_TRUE(std::isnan(line.places.reduce<&Sample<1>::value>(mass::minimum)));
}

}  // namespace
