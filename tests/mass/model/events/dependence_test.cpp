// Rates that rise when a count falls, against the master equation. Seeds are fixed; each test has
// 2 10^5 places and states its probability to fail for another seed.

#include "reactions.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace {

using mass::Mass;
using mass::testing::chiSquared;
using mass::testing::histogram;
using mass::testing::makeMass;

constexpr int most = 40;  // products that are told apart

/// Particles that leave, and a reaction that they inhibit.
class Inhibited : public mass::Place<1> {
 public:
  std::int32_t n = 5, products = 0;
  using Attributes = mass::Attributes<&Inhibited::n, &Inhibited::products>;

  MASS_FN double leaving() const { return n; }
  MASS_FN void leave() { --n; }
  MASS_FN double reaction() const { return 8 / (1.0 + n); }
  MASS_FN void react() { ++products; }

  using Events = mass::Events<
      mass::event<&Inhibited::leaving, &Inhibited::leave, mass::reads<&Inhibited::n>>,
      mass::event<&Inhibited::reaction, &Inhibited::react, mass::reads<&Inhibited::n>>>;
};

/// Particles of two states, and a reaction whose rate is the share of the first.
class Ratio : public mass::Place<1> {
 public:
  std::int32_t states[2] = {1, 5};
  std::int32_t products = 0;
  using Attributes = mass::Attributes<&Ratio::states, &Ratio::products>;

  MASS_FN double losing() const { return 2.0 * states[1]; }
  MASS_FN void lose() { --states[1]; }
  MASS_FN double reaction() const {
    return states[0] == 0 ? 0 : 9.0 * states[0] / (states[0] + states[1]);
  }
  MASS_FN void react() { ++products; }

  using Events =
      mass::Events<mass::event<&Ratio::losing, &Ratio::lose, mass::reads<&Ratio::states>>,
                   mass::event<&Ratio::reaction, &Ratio::react>>;
};

/// Returns the distribution of the products at time 1: integrates the master equation of (n,
/// products) by 4000 steps of Heun's method.
/// @param n largest count, from which it falls @param leaving, reaction rates by n
std::vector<double> distribution(int n, const std::function<double(int)>& leaving,
                                 const std::function<double(int)>& reaction) {
  constexpr int steps = 4000;
  const auto rows = static_cast<std::size_t>(n) + 1;
  using Table = std::vector<std::vector<double>>;
  Table p(rows, std::vector<double>(most + 1, 0));
  p[rows - 1][0] = 1;
  const auto slope = [&](const Table& at) {
    Table change(rows, std::vector<double>(most + 1, 0));
    for (std::size_t i = 0; i < rows; ++i) {
      const double leaves = leaving(static_cast<int>(i)), reacts = reaction(static_cast<int>(i));
      for (std::size_t c = 0; c <= most; ++c) {
        change[i][c] -= (leaves + (c < most ? reacts : 0)) * at[i][c];
        if (i > 0) change[i - 1][c] += leaves * at[i][c];
        if (c < most) change[i][c + 1] += reacts * at[i][c];
      }
    }
    return change;
  };
  const auto moved = [&](const Table& from, const Table& by, double factor) {
    Table result = from;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t c = 0; c <= most; ++c) result[i][c] += factor * by[i][c];
    return result;
  };
  for (int step = 0; step < steps; ++step) {
    const Table first = slope(p);
    const Table second = slope(moved(p, first, 1.0 / steps));
    p = moved(moved(p, first, 0.5 / steps), second, 0.5 / steps);
  }
  std::vector<double> products(most + 1, 0);
  for (const auto& row : p)
    for (std::size_t c = 0; c <= most; ++c) products[c] += row[c];
  return products;
}

/// Merges values of less than 10 expected places into the last one before them.
void expectDistribution(const std::vector<std::int32_t>& values, const std::vector<double>& p,
                        double limit, const std::string& what) {
  std::vector<std::int64_t> counts = histogram(values, most);
  std::vector<double> expected = p;
  while (expected.back() * 2e5 < 10) {
    expected[expected.size() - 2] += expected.back();
    counts[counts.size() - 2] += counts.back();
    expected.pop_back();
    counts.pop_back();
  }
  EXPECT_LT(chiSquared(counts, expected, 2e5), limit)
      << what << ", " << counts.size() << " classes";
}

// At most 24 classes: chi-squared with 23 degrees of freedom is below 56 with 1 - 10^-4.
TEST(EventDependence, ReactionIsInhibitedWhileParticlesLeave) {
  const auto expected = distribution(
      5, [](int n) { return n; }, [](int n) { return 8 / (1.0 + n); });
  for (const std::string window : {"0.05", "0.25", "1"}) {
    Mass mass = makeMass(2, 2, {}, {"events.window=" + window, "seed=5"});
    const auto places = mass.createPlaces<Inhibited>({200000});
    places.runEvents(mass::seconds(1));
    expectDistribution(places.download<&Inhibited::products>(), expected, 56, "window " + window);
  }
}

TEST(EventDependence, ReactionGoesByARatio) {
  const auto expected = distribution(
      5, [](int n) { return 2.0 * n; }, [](int n) { return 9.0 / (1 + n); });
  for (const std::string window : {"0.05", "0.25", "1"}) {
    Mass mass = makeMass(2, 2, {}, {"events.window=" + window, "seed=6"});
    const auto places = mass.createPlaces<Ratio>({200000});
    places.runEvents(mass::seconds(1));
    expectDistribution(places.download<&Ratio::products>(), expected, 56, "window " + window);
  }
}

}  // namespace
