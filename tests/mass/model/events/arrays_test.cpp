// Hops of the elements of an array, and events that stand for several.

#include "../../../support/mass_on_ranks.hpp"
#include "reactions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using mass::Mass;
using mass::testing::makeMass;
using Scalars = mass::testing::Meeting<3>;

/// A + B ->, as Meeting, with the counts in an array.
class Arrays : public mass::Place<3> {
 public:
  std::int32_t counts[2] = {};
  using Attributes = mass::Attributes<&Arrays::counts>;

  MASS_FN double reaction(double k) const { return k * counts[0] * counts[1]; }
  MASS_FN void react() { --counts[0], --counts[1]; }

  using Events =
      mass::Events<mass::event<&Arrays::reaction, &Arrays::react, mass::reads<&Arrays::counts>>,
                   mass::hop<&Arrays::counts>, mass::hop<&Arrays::counts, 1>>;
};

TEST(EventArrays, HopAsSingleCounts) {
  Mass mass = makeMass(2);
  const auto scalars = mass.createPlaces<Scalars>({4, 3, 5});
  scalars.initialise<&Scalars::a>([](const auto& at) { return at[0] + 2 * at[2]; });
  scalars.initialise<&Scalars::b>([](const auto& at) { return 3 * at[1]; });
  scalars.hopRate<&Scalars::a>(1.5);
  scalars.hopRate<&Scalars::b>(
      [](const auto& from, const auto& to) { return from[2] == to[2] ? 1.0 : 0.5; });
  const auto arrays = mass.createPlaces<Arrays>({4, 3, 5});
  arrays.initialise<&Arrays::counts>([](const auto& at) {
    return std::array<std::int32_t, 2>{static_cast<std::int32_t>(at[0] + 2 * at[2]),
                                       static_cast<std::int32_t>(3 * at[1])};
  });
  arrays.hopRate<&Arrays::counts>(1.5);
  arrays.hopRate<&Arrays::counts, 1>(
      [](const auto& from, const auto& to) { return from[2] == to[2] ? 1.0 : 0.5; });
  EXPECT_EQ(arrays.eventWindows(mass::seconds(1)), scalars.eventWindows(mass::seconds(1)));
  // Particles of a place, by their rates: a 5.5, b 3 x 5/9; so 0.2 sqrt(10 / 7.17) = 0.236 hops
  EXPECT_EQ(arrays.eventWindows(mass::seconds(1)), 39) << "9 hops a second, 0.236 in a window";
  scalars.runEvents(mass::seconds(1), 0.1);
  arrays.runEvents(mass::seconds(1), 0.1);
  const auto a = scalars.download<&Scalars::a>(), b = scalars.download<&Scalars::b>();
  const auto counts = arrays.download<&Arrays::counts>();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_EQ(counts[i][0], a[i]);
    EXPECT_EQ(counts[i][1], b[i]);
  }
  EXPECT_GT(arrays.eventCounts().events, 1000);
}

TEST(EventWindows, AreLongWithFewParticles) {
  using mass::testing::Walkers;
  const auto windows = [](int particles) {
    Mass mass = makeMass(3, 2);
    const auto places = mass.createPlaces<Walkers>({5, 20});
    places.initialise<&Walkers::count>(
        [&](const auto& at) { return 20 * at[0] + at[1] < particles ? particles / 100 + 1 : 0; });
    places.hopRate<&Walkers::count>(10);
    return places.eventWindows(mass::seconds(1));
  };
  EXPECT_EQ(windows(0), 10) << "40 hops a second, 4 in a window";
  EXPECT_EQ(windows(1), 10) << "0.01 particles a place: 6.3, at most 4 in a window";
  EXPECT_EQ(windows(10), 20) << "0.1 particles a place: 2 in a window";
  EXPECT_EQ(windows(300), 127) << "4 particles a place: 0.316 in a window";
  EXPECT_EQ(windows(3000), 200) << "31 particles a place: 0.2 in a window";
}

/// A window as long as few particles permit has 10^5 hops of such a place, which its neighbours
/// would be executed for again and again.
TEST(EventWindows, AreShortForManyParticlesInOnePlace) {
  using mass::testing::Walkers;
  const auto windows = [](Mass& mass, int particles) {
    const auto places = mass.createPlaces<Walkers>({400, 100});
    places.initialise<&Walkers::count>(
        [&](const auto& at) { return at[0] == 333 && at[1] == 7 ? particles : 0; });
    places.hopRate<&Walkers::count>(10);
    return places.eventWindows(mass::seconds(1));
  };
  for (const auto& devices : {std::vector<int>{3}, {1, 2}}) {
    mass::testing::onRanks({.devices = devices, .threads = 3}, [&](Mass& mass) {
      EXPECT_EQ(windows(mass, 250), 10) << "4 hops in a window";
    });
    mass::testing::onRanks({.devices = devices}, [&](Mass& mass) {
      EXPECT_EQ(windows(mass, 2000), 80) << "0.5 hops in a window, 1000 of the place";
    });
    mass::testing::onRanks({.devices = devices}, [&](Mass& mass) {
      EXPECT_EQ(windows(mass, 100000), 200) << "0.2 hops in a window, at least";
    });
  }
}

/// Three births as one event.
class Births : public mass::Place<1> {
 public:
  std::int32_t born[3] = {};
  using Attributes = mass::Attributes<&Births::born>;

  MASS_FN double rate(double each) const { return 6 * each; }
  MASS_FN void bear(double drawn, double each) {
    ++born[drawn < each ? 0 : drawn < 3 * each ? 1 : 2];
  }

  using Events = mass::Events<mass::event<&Births::rate, &Births::bear, mass::reads<>>>;
};

TEST(EventArrays, SelectOneOfSeveralChangesByTheirRates) {
  Mass mass = makeMass(2);
  const auto places = mass.createPlaces<Births>({20000});
  places.runEvents(mass::seconds(1.5), 2.0);
  // Independent Poisson numbers of means 3, 6 and 9: sums over places are normal, and beyond 4.3
  // standard deviations with a probability of 2 10^-5, for each of three means and covariances.
  double sums[3] = {}, product = 0;
  for (const auto& born : places.download<&Births::born>()) {
    for (int k = 0; k < 3; ++k) sums[k] += born[static_cast<std::size_t>(k)];
    product += (born[0] - 3.0) * (born[2] - 9.0);
  }
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(sums[k], 20000 * 3.0 * (k + 1), 4.3 * std::sqrt(20000 * 3.0 * (k + 1)));
  EXPECT_NEAR(product, 0, 4.3 * std::sqrt(20000 * 3.0 * 9.0));
}

}  // namespace
