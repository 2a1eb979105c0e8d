// PHOLD: the number of its events, engines and threads, settings that do not fit.

#include "../../support/make_mass.hpp"

#include <apps/phold/setup.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace phold {
namespace {

using mass::seconds;
using mass::testing::makeMass;

constexpr std::int64_t places = 300;
constexpr std::int32_t population = 4;

/// Outcome of a run: events by place, those pending, and the hash of all events.
struct Outcome {
  std::vector<std::int64_t> events;
  std::int64_t pending = 0;
  std::uint64_t hash = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome run(const Parameters& parameters, const std::string& engine, int threads, double time) {
  mass::Mass mass = makeMass(1, threads, {}, {"events.engine=" + engine});
  const auto objects = mass.createPlaces<Object>({places});
  objects.lookahead(seconds(parameters.lookahead));
  objects.scheduleAll<&Object::begin>(seconds(0), population);
  for (int part = 0; part < 2; ++part) objects.runEvents(seconds(time / 2), parameters);
  return {objects.download<&Object::events>(), objects.pendingEvents(), objects.eventCounts().hash};
}

std::int64_t sumOf(const Outcome& outcome) {
  std::int64_t sum = 0;
  for (const std::int64_t events : outcome.events) sum += events;
  return sum;
}

TEST(Phold, IsTheSameOnAllEnginesAndThreads) {
  for (const Parameters& parameters :
       {Parameters{.remote = 0.1, .lookahead = 0, .mean = 1},
        Parameters{.remote = 1, .lookahead = 0.1, .mean = 1},
        Parameters{.remote = 0.1, .lookahead = 0.5, .mean = 0.5}}) {  // all at the same times
    const Outcome expected = run(parameters, "reference", 1, 10);
    EXPECT_EQ(expected.pending, places * population);
    for (int threads = 1; threads <= 4; ++threads) {
      EXPECT_EQ(run(parameters, "time_warp", threads, 10), expected) << threads;
      if (parameters.lookahead > 0) {
        EXPECT_EQ(run(parameters, "conservative", threads, 10), expected) << threads;
      }
    }
  }
}

// Without a lookahead, the events are a Poisson process: their number has the variance of its mean.
TEST(Phold, EventsAreAPoissonProcess) {
  const auto happened = static_cast<double>(sumOf(run({}, "time_warp", 2, 40)));
  const double expected = 40.0 * places * population;
  EXPECT_NEAR(happened, expected, 4 * std::sqrt(expected));
}

TEST(Phold, EventsOfALookaheadOnlyAreInStep) {
  const Outcome outcome = run({.remote = 0, .lookahead = 2, .mean = 2}, "conservative", 2, 11);
  EXPECT_EQ(std::ranges::count(outcome.events, std::int64_t{5 * population}), places);
}

TEST(Phold, SettingsThatDoNotFitAreReported) {
  const mass::Program phold = program();
  const auto message = [&](const std::vector<std::string>& words) {
    mass::Settings settings(phold.schema);
    for (const std::string& word : words) settings.set(word);
    try {
      mass::Run run(phold, settings);
    } catch (const mass::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message({"lookahead=2", "steps=1"}).find("is above the mean"), std::string::npos);
  EXPECT_NE(message({"events.engine=conservative", "steps=1"}).find("lookahead above 0"),
            std::string::npos);
  EXPECT_EQ(message({"events.engine=conservative", "lookahead=0.5", "steps=1"}), "");
}

}  // namespace
}  // namespace phold
