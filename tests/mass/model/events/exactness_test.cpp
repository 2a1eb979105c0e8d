// Distributions of the events against the master equation. Seeds are fixed; each test states its
// size and its probability to fail for another seed.

#include "../../../support/long_test.hpp"
#include "reactions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using mass::Mass;
using mass::testing::Binding;
using mass::testing::chiSquared;
using mass::testing::histogram;
using mass::testing::makeMass;
using mass::testing::Meeting;
using mass::testing::Pairs;
using mass::testing::Walkers;

/// Lengths of windows in s; each has a seed of its own.
const std::vector<std::string> allWindows = {"0.05", "0.1", "0.25", "0.5"};
const std::vector<std::string> windows =
    mass::testing::fullOr(allWindows, std::vector<std::string>{"0.05", "0.5"});

Mass massWith(std::size_t seed, const std::string& window, const std::string& engine = "windows") {
  return makeMass(
      2, 2, {},
      {"seed=" + std::to_string(seed + 1), "events.window=" + window, "events.engine=" + engine});
}

// 2 10^5 places; chi-squared with 4 degrees of freedom, below 23.5 with a probability of 1 - 10^-4.
TEST(EventExactness, BindingFollowsTheMasterEquation) {
  const std::vector<double> expected = {.07776, .32550, .40614, .17133, .01927};
  for (std::size_t i = 0; i < windows.size(); ++i) {
    Mass mass = massWith(i, windows[i]);
    const auto places = mass.createPlaces<Binding>({200000});
    places.runEvents(mass::seconds(0.5), 0.3, 1.0);
    EXPECT_LT(chiSquared(histogram(places.download<&Binding::c>(), 4), expected, 2e5), 23.5)
        << "window " << windows[i];
  }
}

// 2 10^5 places; P(0...5) and the rest: 6 degrees of freedom, below 27.9 with 1 - 10^-4. The mean
// within 4 standard deviations.
TEST(EventExactness, PairsFollowTheMasterEquation) {
  std::vector<double> expected = {.00320, .02208, .07086, .14099, .19586, .20295};
  double rest = 1;
  for (const double p : expected) rest -= p;
  expected.push_back(rest);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    Mass mass = massWith(i, windows[i]);
    const auto places = mass.createPlaces<Pairs>({200000});
    places.runEvents(mass::seconds(2));
    const auto counts = places.download<&Pairs::a>();
    EXPECT_LT(chiSquared(histogram(counts, 6), expected, 2e5), 27.9) << "window " << windows[i];
    double sum = 0, squares = 0;
    for (const auto count : counts) sum += count, squares += double{1} * count * count;
    const double mean = sum / 2e5;
    EXPECT_NEAR(mean, 4.92169, 4 * std::sqrt(3.71691 / 2e5));
    EXPECT_NEAR(squares / 2e5 - mean * mean, 3.71691, 4 * 3.71691 * std::sqrt(2.5 / 2e5));
  }
}

// 20,000 rows of 12 sites with 10 walkers each: their positions are binomial. Mean counts within
// 4.5 standard deviations: 12 sites, probability to fail 8 10^-5.
TEST(EventExactness, WalkersSpread) {
  const std::vector<double> p = {.19071, .19329, .18641, .16037, .11909, .07578,
                                 .04156, .01984, .00834, .00313, .00107, .00041};
  constexpr int rows = 20000;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    Mass mass = massWith(i, windows[i]);
    const auto places =
        mass.createPlaces<Walkers>({rows, 12}, mass::borders<Walkers>(mass::Border::mirrored));
    places.initialise<&Walkers::count>([](const auto& at) { return at[1] == 2 ? 10 : 0; });
    // Rows are walls.
    places.hopRate<&Walkers::count>(
        [](const auto& from, const auto& to) { return from[0] == to[0] ? 1.0 : 0.0; });
    places.runEvents(mass::seconds(3));
    const auto counts = places.download<&Walkers::count>();
    for (std::size_t site = 0; site < 12; ++site) {
      double sum = 0, squares = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        const double n = counts[row * 12 + site];
        sum += n;
        squares += n * n;
      }
      const double mean = 10 * p[site], variance = mean * (1 - p[site]);
      EXPECT_NEAR(sum / rows, mean, 4.5 * std::sqrt(variance / rows) + 1e-4) << "site " << site;
      const double second = variance + mean * mean;
      EXPECT_NEAR(squares / rows, second,
                  4.5 * std::sqrt((3 * variance * variance + 4 * mean * mean * variance +
                                   variance * (1 + 2 * mean)) /
                                  rows) +
                      1e-3)
          << "site " << site;
    }
  }
}

// 10^5 rings of 9 sites with one A and one B: survival within 4.5 standard deviations.
TEST(EventExactness, PairsInARingSurvive) {
  using Ring = Meeting<2>;
  constexpr int rings = 100000;
  const std::vector<std::pair<double, double>> expected = {{1, .85347}, {3, .66136}, {9, .31749}};
  Mass mass = massWith(7, "0.1");
  const auto places = mass.createPlaces<Ring>({rings, 9});
  std::uint64_t state = 99;
  const auto draw = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state >> 33) % 9);
  };
  std::vector<std::int32_t> a(rings * 9, 0), b(rings * 9, 0);
  for (std::int64_t ring = 0; ring < rings; ++ring) {
    a[static_cast<std::size_t>(ring * 9 + draw())] = 1;
    b[static_cast<std::size_t>(ring * 9 + draw())] = 1;
  }
  places.upload<&Ring::a>(a);
  places.upload<&Ring::b>(b);
  const auto alongRings = [](const auto& from, const auto& to) {
    return from[0] == to[0] ? 1.0 : 0.0;
  };
  places.hopRate<&Ring::a>(alongRings);
  places.hopRate<&Ring::b>(alongRings);
  double time = 0;
  for (const auto& [until, survival] : expected) {
    places.runEvents(mass::seconds(until - time), 2.0);
    time = until;
    const double left = static_cast<double>(places.reduce<&Ring::a>(mass::sum));
    EXPECT_NEAR(left / rings, survival, 4.5 * std::sqrt(survival * (1 - survival) / rings))
        << until << " s";
  }
}

/// A + B -> for independent pairs of one A and one B: pair i is element i of both arrays.
template <int D>
class Couples : public mass::Place<D> {
 public:
  static constexpr int pairs = 16;
  std::int32_t a[pairs] = {}, b[pairs] = {};
  using Attributes = mass::Attributes<&Couples::a, &Couples::b>;

  MASS_FN double reaction(double k) const {
    std::int32_t together = 0;
    for (int i = 0; i < pairs; ++i) together += a[i] * b[i];
    return k * together;
  }
  MASS_FN void react(double drawn, double k) {
    for (int i = 0; i < pairs; ++i) {
      if (a[i] * b[i] == 0) continue;
      drawn -= k;
      if (drawn < 0) return part(i);
    }
  }
  MASS_FN void part(int i) { --a[i], --b[i]; }

  template <int... I>
  static auto eventsOf(std::integer_sequence<int, I...>)
      -> mass::Events<mass::event<&Couples::reaction, &Couples::react>,
                      mass::hop<&Couples::a, I>..., mass::hop<&Couples::b, I>...>;
  using Events = decltype(eventsOf(std::make_integer_sequence<int, pairs>{}));
};

/// Runs pairs of one A and one B in one world. Each starts at two uniform places; the next one of
/// its element starts after it has reacted.
template <int D>
class MeetingPairs {
 public:
  using P = Couples<D>;

  explicit MeetingPairs(const mass::Places<P>& places) : places_(places) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      (places_.template hopRate<&P::a, I>(1), ...);
      (places_.template hopRate<&P::b, I>(1), ...);
    }
    (std::make_integer_sequence<int, P::pairs>{});
  }

  /// Runs until `number` pairs have reacted.
  /// @param rate 1/s, for a pair in one place
  /// @param step time between two counts of the pairs, s
  /// @return sum of their times in s: the integral of their number by the trapezoidal rule
  double sumOfTimes(int number, double rate, double step) {
    double sum = 0;
    for (int before = startUpTo(number); before > 0; before = startUpTo(number)) {
      places_.runEvents(mass::seconds(step), rate);
      sum += 0.5 * step * (before + present());
    }
    return sum;
  }

 private:
  int present() const {
    int count = 0;
    for (const auto& place : places_.template download<&P::a>())
      for (const std::int32_t n : place) count += n;
    return count;
  }

  /// Starts a pair in each free element, at most `number` in all. @return pairs that are present
  int startUpTo(int number) {
    auto a = places_.template download<&P::a>(), b = places_.template download<&P::b>();
    for (std::size_t i = 0; i < P::pairs && started_ < number; ++i) {
      if (std::any_of(a.begin(), a.end(), [&](const auto& place) { return place[i] > 0; }))
        continue;
      a[draw_() % a.size()][i] = 1;
      b[draw_() % b.size()][i] = 1;
      ++started_;
    }
    places_.template upload<&P::a>(a);
    places_.template upload<&P::b>(b);
    return present();
  }

  mass::Places<P> places_;
  std::mt19937_64 draw_{99};
  int started_ = 0;
};

/// Expected course of a pair.
struct Course {
  double rate;             ///< rate of a pair in one place, 1/s
  double mean, deviation;  ///< time until it has reacted: mean and standard deviation, s
};

/// Expects the mean time of pairs, and the number of hops in it, within 4.1 standard deviations: a
/// probability to fail of 4 10^-5 each. The trapezoidal rule is too large by less than 0.002 s, and
/// adds the variance of a uniform time in a step.
template <int D>
void expectMeeting(const mass::Shape<D>& shape, int pairs, const Course& expected) {
  constexpr double step = 0.25, hops = 2 * 2 * D;  // 1/s, both particles together
  Mass mass = makeMass(1, 1, {}, {"seed=9", "events.window=0.125"});
  const auto places = mass.createPlaces<Couples<D>>(shape);
  const double sum = MeetingPairs<D>(places).sumOfTimes(pairs, expected.rate, step);
  EXPECT_NEAR(sum / pairs, expected.mean, 4.1 * expected.deviation / std::sqrt(pairs) + 0.002);
  const double variance = hops * expected.mean + hops * hops * step * step / 12;
  const auto happened = static_cast<double>(places.eventCounts().events - pairs);
  EXPECT_NEAR(happened / sum, hops,
              4.1 * std::sqrt(variance * pairs) / sum + 0.002 * hops / expected.mean);
}

// 12,000 pairs. The mean is N/k + (N^2 - 1)/(24 d), of 9 sites with hops at d = 1 and reactions at
// k = 2; 5 % more or fewer hops are 30 standard deviations of their number.
TEST(EventExactness, PairsInARingMeet) {
  expectMeeting<1>({9}, 12000, {2, 7.83333, 8.153});
}

// 3,500 pairs in 4^3 sites with reactions at k = 20; 5 % of the hops are 30 standard deviations.
TEST(EventExactness, PairsInATorusMeet) {
  expectMeeting<3>({4, 4, 4}, 3500, {20, 9.52083, 9.607});
}

}  // namespace
