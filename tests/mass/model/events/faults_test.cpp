// Events that are not possible: one message each, and the state before the call.

#include "../../../support/mass_on_ranks.hpp"
#include "reactions.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace {

using mass::Mass;
using mass::UsageError;
using mass::testing::makeMass;
using mass::testing::Walkers;

class Faulty : public mass::Place<1> {
 public:
  std::int32_t n = 3;
  double factor = 1;
  using Attributes = mass::Attributes<&Faulty::n, &Faulty::factor>;

  MASS_FN double leaving(int /*taken*/) const { return factor * (n - 1); }
  MASS_FN void leave(int taken) { n -= taken; }
  MASS_FN bool isHungry() const { return factor > 100 && factor < 1e9; }
  MASS_FN void eat() { factor += 1; }

  using Events = mass::Events<mass::event<&Faulty::leaving, &Faulty::leave>, mass::hop<&Faulty::n>,
                              mass::whenever<&Faulty::isHungry, &Faulty::eat>>;
};

/// Particles that die in one place and must not come to the other.
class Guarded : public mass::Place<1> {
 public:
  std::int32_t n = 0;
  bool isOpen = false;
  using Attributes = mass::Attributes<&Guarded::n, mass::constant<&Guarded::isOpen>>;

  MASS_FN double dying() const { return isOpen ? 50.0 * n : -1.0 * n; }
  MASS_FN void die() { --n; }

  using Events = mass::Events<mass::event<&Guarded::dying, &Guarded::die>, mass::hop<&Guarded::n>>;
};

/// Returns true if the particle of place 1 comes to place 0, whose rate is negative then.
bool failsGuarded(int seed, const std::string& engine) {
  Mass mass = makeMass(
      1, 1, {}, {"events.window=0.5", "events.engine=" + engine, fmt::format("seed={}", seed)});
  const auto places = mass.createPlaces<Guarded>({2}, mass::borders<Guarded>(mass::Border::fixed));
  places.initialise<&Guarded::isOpen>([](const auto& at) { return at[0] == 1; });
  places.initialise<&Guarded::n>([](const auto& at) { return static_cast<int>(at[0]); });
  places.hopRate<&Guarded::n>(10.0);
  try {
    places.runEvents(mass::seconds(0.5));
  } catch (const UsageError&) {
    return true;
  }
  return false;
}

/// Returns the message of a run of 5 places.
/// @param factor that of the third place @param ofOthers that of the others
std::string messageOf(double factor, int taken, const std::string& engine = "windows",
                      double ofOthers = 0.1) {
  Mass mass = makeMass(2, 2, {}, {"events.engine=" + engine});
  const auto places = mass.createPlaces<Faulty>({5});
  places.initialise<&Faulty::factor>(
      [&](const auto& at) { return at[0] == 2 ? factor : ofOthers; });
  const auto before = places.hash();
  try {
    places.runEvents(mass::seconds(100), taken);
  } catch (const UsageError& error) {
    EXPECT_EQ(places.hash(), before);
    EXPECT_EQ(places.step(), 0);
    return error.what();
  }
  return {};
}

void expectParts(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
}

TEST(EventFaults, NameRatePlaceTimeAndState) {
  for (const std::string engine : {"windows", "reference", "time_warp"}) {
    expectParts(messageOf(-1, 1, engine),
                {"Faulty", "place (2)", "'leaving'", "-2 1/s", "at 0 s", "n 3"});
    expectParts(messageOf(std::nan(""), 1, engine), {"place (2)", "nan"});
    expectParts(messageOf(std::numeric_limits<double>::infinity(), 1, engine), {"place (2)"});
  }
}

TEST(EventFaults, TimesCountFromTheCall) {
  Mass mass = makeMass(1, 1, {}, {"events.window=0.5"});
  const auto places = mass.createPlaces<Faulty>({5});
  places.initialise<&Faulty::factor>([](const auto&) { return 0.0; });
  places.runEvents(mass::seconds(2), 1);
  places.initialise<&Faulty::factor>([](const auto& at) { return at[0] == 2 ? -1.0 : 0.0; });
  try {
    places.runEvents(mass::seconds(2), 1);
    FAIL();
  } catch (const UsageError& error) {
    expectParts(error.what(), {"place (2)", "at 0 s of this call"});
  }
}

TEST(EventFaults, CountsDoNotBecomeNegative) {
  for (const std::string engine : {"windows", "reference", "time_warp"})
    expectParts(messageOf(1, 4, engine), {"'n' negative", "n -1"});
}

TEST(EventFaults, CountsBelowZeroAtTheStart) {
  for (const std::string engine : {"windows", "reference", "time_warp"}) {
    Mass mass = makeMass(1, 1, {}, {"events.engine=" + engine});
    const auto places = mass.createPlaces<Walkers>({3, 3});
    places.initialise<&Walkers::count>([](const auto& at) { return at[1] == 2 ? -1 : 0; });
    try {
      places.runEvents(mass::seconds(1));
      ADD_FAILURE() << engine;
    } catch (const UsageError& error) {
      expectParts(error.what(), {"place (0, 2)", "'count' negative at 0 s", "count -1"});
    }
  }
}

/// Place 0 is executed with a predicted arrival, and then without it.
TEST(EventFaults, NoneOfAParticleThatDiesBeforeItsHop) {
  int faults = 0;
  for (int seed = 0; seed < 30; ++seed) {
    const bool fails = failsGuarded(seed, "windows");
    EXPECT_EQ(fails, failsGuarded(seed, "reference")) << "seed " << seed;
    EXPECT_EQ(fails, failsGuarded(seed, "time_warp")) << "seed " << seed;
    faults += fails;
  }
  EXPECT_GT(faults, 0);
  EXPECT_LT(faults, 30);
}

TEST(EventFaults, CountsUpTo2To31) {
  constexpr std::int32_t largest = std::numeric_limits<std::int32_t>::max();
  for (const int less : {0, 1, 8, 9, 40}) {
    Mass mass = makeMass(1);
    const auto places = mass.createPlaces<Walkers>({1, 2});
    places.initialise<&Walkers::count>(
        [&](const auto& at) { return at[1] == 0 ? largest - less : 0; });
    places.hopRate<&Walkers::count>(1e-8);
    places.runEvents(mass::seconds(1));
    EXPECT_GT(places.download<&Walkers::count>()[1], 0) << "2^31 - 1 - " << less;
  }
}

TEST(EventFaults, RatesAreNotTooFastForAWindow) {
  for (const std::string engine : {"windows", "reference", "time_warp"}) {
    const std::string atStart = messageOf(1e60, 1, engine);
    expectParts(atStart, {"place (2)", "'leaving'", "e+60 1/s", "at 0 s", "shorter events.window"});
    // Each event adds 1000 particles, by which the rate rises.
    const std::string later = messageOf(1, -1000, engine, 0);
    expectParts(later, {"'leaving'", "shorter events.window"});
    EXPECT_EQ(later.find("at 0 s"), std::string::npos) << later;
  }
}

TEST(EventFaults, ImmediateEventsEnd) {
  for (const std::string engine : {"windows", "time_warp"})
    expectParts(messageOf(101, 1, engine), {"place (2)", "10^6 times", "at 0 s"});
}

TEST(EventFaults, RatesOfHopsAreAtLeastZero) {
  Mass mass = makeMass(1);
  const auto places = mass.createPlaces<Walkers>({3, 3});
  EXPECT_THROW(places.hopRate<&Walkers::count>(-1.0), UsageError);
  EXPECT_THROW(places.hopRate<&Walkers::count>(std::nan("")), UsageError);
  EXPECT_THROW(places.hopRate<&Walkers::count>([](const auto&, const auto&) { return -1.0; }),
               UsageError);
}

TEST(EventFaults, TimesAreWholeNumbersOfWindows) {
  Mass mass = makeMass(1, 1, {}, {"events.window=0.1"});
  const auto places = mass.createPlaces<Walkers>({3, 3});
  EXPECT_THROW(places.runEvents(mass::seconds(-1)), UsageError);
  EXPECT_THROW(places.runEvents(mass::seconds(std::nan(""))), UsageError);
  try {
    places.runEvents(mass::seconds(0.25));
    FAIL();
  } catch (const UsageError& error) {
    expectParts(error.what(), {"0.25 s", "0.1 s", "0.3 s"});
  }
  places.runEvents(mass::seconds(0));
  EXPECT_EQ(places.step(), 0);
  places.runEvents(mass::seconds(0.3));
  EXPECT_EQ(places.step(), 3);
}

TEST(EventFaults, ACallHasAtMost1E12Windows) {
  for (const std::string window : {"1e-13", "1e-30", "1e-300"}) {
    Mass mass = makeMass(1, 1, {}, {"events.window=" + window});
    const auto places = mass.createPlaces<Walkers>({3, 3});
    try {
      places.runEvents(mass::seconds(1));
      FAIL();
    } catch (const UsageError& error) {
      expectParts(error.what(), {"1 s are", "events.window", "10^12"});
    }
  }
}

TEST(EventFaults, LongWindowsOfAnyRates) {
  // Rates of 10^4 events in a window need more memory than is reserved.
  Mass mass = makeMass(1, 1, {}, {"events.window=1"});
  const auto places = mass.createPlaces<Walkers>({3, 1});
  places.initialise<&Walkers::count>([](const auto&) { return 5000; });
  places.hopRate<&Walkers::count>(2.0);
  places.runEvents(mass::seconds(1));
  EXPECT_EQ(places.reduce<&Walkers::count>(mass::sum), 15000);
}

TEST(EventFaults, EndAllRanks) {
  mass::testing::ThreadRanks ranks(3);
  const auto results = ranks.run([](mass::detail::Ranks& rank) {
    Mass mass = makeMass(rank, {.devices = {1, 1, 1}});
    const auto places = mass.createPlaces<Faulty>({7});
    places.initialise<&Faulty::factor>([](const auto& at) { return at[0] == 3 ? -1.0 : 0.1; });
    places.runEvents(mass::seconds(100), 1);
  });
  int printed = 0;
  for (const auto& result : results) {
    EXPECT_NE(result.exitCode, 0);
    if (!result.printed) continue;
    ++printed;
    expectParts(*result.printed, {"rank 1", "place (3)", "'leaving'"});
  }
  EXPECT_EQ(printed, 1);
}

TEST(EventFaults, ConservativeHasNoLookahead) {
  Mass mass = makeMass(1, 1, {}, {"events.engine=conservative"});
  try {
    mass.createPlaces<Walkers>({3, 3}).runEvents(mass::seconds(1));
    FAIL();
  } catch (const UsageError& error) {
    expectParts(error.what(), {"conservative needs a lookahead", "time_warp"});
  }
}

TEST(EventFaults, ReferenceOnSeveralRanks) {
  mass::testing::ThreadRanks ranks(2);
  const auto results = ranks.run([](mass::detail::Ranks& rank) {
    Mass mass = makeMass(rank, {.devices = {1, 1}, .more = {"events.engine=reference"}});
    mass.createPlaces<Faulty>({7}).runEvents(mass::seconds(1), 1);
  });
  for (const auto& result : results) expectParts(result.error, {"reference", "one rank"});
}

}  // namespace
