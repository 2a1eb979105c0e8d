// Events on any number of devices and threads against the engine that executes one after the other.

#include "../../../support/long_test.hpp"
#include "../../../support/mass_on_ranks.hpp"
#include "reactions.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using mass::Border;
using mass::Mass;
using mass::testing::isLongTest;
using mass::testing::makeMass;
using mass::testing::onRanks;
using mass::testing::RankSetup;
using mass::testing::usualRanks;

/// A + B <-> C in D dimensions; all hop.
template <int D>
class Mixture : public mass::Place<D> {
 public:
  std::int32_t a = 0, b = 0, c = 0;
  using Attributes = mass::Attributes<&Mixture::a, &Mixture::b, &Mixture::c>;

  MASS_FN double binding(double k) const { return k * a * b; }
  MASS_FN void bind() { --a, --b, ++c; }
  MASS_FN double unbinding() const { return 1.5 * c; }
  MASS_FN void unbind() { ++a, ++b, --c; }

  using Events = mass::Events<
      mass::event<&Mixture::binding, &Mixture::bind, mass::reads<&Mixture::a, &Mixture::b>>,
      mass::event<&Mixture::unbinding, &Mixture::unbind, mass::reads<&Mixture::c>>,
      mass::hop<&Mixture::a>, mass::hop<&Mixture::b>, mass::hop<&Mixture::c>>;
};

/// Particles that stick together as soon as there are three, hop and decay at a rate that falls
/// with their number.
class Clusters : public mass::Place<2> {
 public:
  std::int32_t single = 0;
  std::int64_t clusters = 0;
  float scale = 1;
  using Attributes =
      mass::Attributes<&Clusters::single, &Clusters::clusters, mass::constant<&Clusters::scale>>;

  MASS_FN bool isCrowded() const { return single >= 3; }
  MASS_FN void stick() { single -= 3, ++clusters; }
  MASS_FN double inhibited() const {
    return clusters == 0 ? 0 : scale * 8.0 / (4.0 + single + static_cast<double>(clusters));
  }
  MASS_FN void fallApart() { --clusters, single += 2; }
  MASS_FN double supply() const { return 0.2; }
  MASS_FN void add() { ++single; }

  using Events = mass::Events<mass::whenever<&Clusters::isCrowded, &Clusters::stick>,
                              mass::event<&Clusters::inhibited, &Clusters::fallApart>,
                              mass::event<&Clusters::supply, &Clusters::add, mass::reads<>>,
                              mass::hop<&Clusters::single>>;
};

/// Particles that appear and hop.
class Sources : public mass::Place<2> {
 public:
  std::int32_t count = 0;
  bool isSource = false;
  using Attributes = mass::Attributes<&Sources::count, mass::constant<&Sources::isSource>>;

  MASS_FN double supply(double rate) const { return isSource ? rate : 0; }
  MASS_FN void add() { ++count; }

  using Events =
      mass::Events<mass::event<&Sources::supply, &Sources::add>, mass::hop<&Sources::count>>;
};

/// State and events of a run.
struct Result {
  std::uint64_t hash = 0;
  std::int64_t events = 0;
  std::uint64_t windows = 0;
  std::uint64_t eventHash = 0;
  friend bool operator==(const Result&, const Result&) = default;
};
std::ostream& operator<<(std::ostream& out, const Result& result) {
  return out << std::hex << result.hash << std::dec << ", " << result.events << " events, "
             << result.windows << " windows, " << std::hex << result.eventHash << std::dec;
}
template <class Places>
Result resultOf(const Places& places) {
  const mass::EventCounts counts = places.eventCounts();
  return {places.hash(), counts.events, places.step(), counts.hash};
}

/// Fills a world with about `density` particles a place.
template <class Places, auto... Members>
void fill(const Places& places, double density) {
  std::uint64_t number = 0;
  const auto fillOne = [&](auto member) {
    ++number;
    places.template initialise<decltype(member)::value>([&](const auto& at) {
      std::uint64_t state = number;
      for (int axis = 0; axis < Places::dimensions; ++axis)
        state = mass::detail::mix(state ^ static_cast<std::uint64_t>(at[axis]));
      return static_cast<std::int32_t>(static_cast<double>(state >> 33) * 0x1p-31 * 2 * density);
    });
  };
  (fillOne(std::integral_constant<decltype(Members), Members>()), ...);
}

template <int D>
Result runMixture(Mass& mass, const mass::Shape<D>& shape, double density, Border border,
                  int calls) {
  using P = Mixture<D>;
  const auto places = mass.createPlaces<P>(shape, mass::borders<P>(border));
  fill<decltype(places), &P::a, &P::b, &P::c>(places, density);
  places.template hopRate<&P::a>(1.0);
  places.template hopRate<&P::b>(0.5);
  places.template hopRate<&P::c>(
      [](const auto& from, const auto& to) { return from[0] > to[0] ? 2.0 : 0.25; });
  const auto particles = [&] {
    return places.template reduce<&P::a>(mass::sum) + places.template reduce<&P::c>(mass::sum);
  };
  const auto before = particles();
  for (int call = 0; call < calls; ++call)
    places.runEvents(mass::seconds(0.5), density > 0 ? 1.0 / density : 1.0);
  EXPECT_EQ(particles(), before);
  return resultOf(places);
}

Result runClusters(Mass& mass, const mass::Shape<2>& shape) {
  const auto places = mass.createPlaces<Clusters>(shape);
  fill<decltype(places), &Clusters::single>(places, 2);
  places.initialise<&Clusters::scale>(
      [](const auto& at) { return static_cast<float>(1 + at[1] % 3); });
  places.hopRate<&Clusters::single>(3.0);
  places.runEvents(mass::seconds(2));
  return resultOf(places);
}

/// Compares a run by Time Warp on several threads and ranks with a result; on all of them in long
/// tests, and with events at equal ticks.
void expectTimeWarp(const std::string& what, const std::function<Result(Mass&)>& run,
                    const Result& expected, std::vector<std::string> settings) {
  const bool isWhole =
      isLongTest() || (!settings.empty() && settings[0].starts_with("events.tick_bits"));
  settings.emplace_back("events.engine=time_warp");
  for (const int threads : isWhole ? std::vector{1, 2, 3, 4, 8} : std::vector{1, 3}) {
    Mass mass = makeMass(1, threads, {}, settings);
    EXPECT_EQ(run(mass), expected) << what << ", time_warp, " << threads << " threads";
  }
  if (!isWhole) return;
  for (const std::vector<int>& devices : {std::vector{1, 1}, {1, 1, 1, 1}})
    for (const int threads : {1, 2})
      onRanks({.devices = devices, .threads = threads, .more = settings},
              [&](Mass& mass) { EXPECT_EQ(run(mass), expected) << what; });
}

/// Compares a run on several devices, threads and ranks with the engine that executes one event
/// after the other.
void expectSame(const std::string& what, const std::function<Result(Mass&)>& run,
                int mostDevices = 4, const std::vector<std::string>& more = {}) {
  std::vector<std::string> reference = more;
  reference.emplace_back("events.engine=reference");
  const auto runOn = [&](int devices, int threads, const std::vector<double>& weights,
                         const std::vector<std::string>& settings) {
    Mass mass = makeMass(devices, threads, weights, settings);
    return run(mass);
  };
  const Result expected = runOn(1, 1, {}, reference);
  EXPECT_EQ(expected.events > 0, expected.eventHash != 0) << what;
  expectTimeWarp(what, run, expected, more);
  for (const auto& [devices, threads] :
       std::vector<std::pair<int, int>>{{1, 1}, {1, 2}, {1, 7}, {2, 2}, {3, 6}, {4, 4}, {8, 8}}) {
    if (devices > mostDevices) continue;
    EXPECT_EQ(runOn(devices, threads, {}, more), expected)
        << what << ", " << devices << " devices, " << threads << " threads";
  }
  if (mostDevices >= 3) {
    EXPECT_EQ(runOn(3, 4, {1, 0.2, 3}, more), expected) << what << ", weights";
    EXPECT_EQ(runOn(3, 3, {}, reference), expected) << what << ", reference on 3 devices";
  }
  std::vector<RankSetup> setups = usualRanks();
  setups.push_back({.devices = {1, 1, 1, 1, 1}});
  for (RankSetup& setup : setups) {
    if (setup.deviceCount() > mostDevices) continue;
    setup.more = more;
    onRanks(setup, [&](Mass& mass) { EXPECT_EQ(run(mass), expected) << what; });
  }
}

TEST(EventBits, DenseTorus) {
  expectSame(
      "torus",
      [](Mass& mass) {
        return runMixture<3>(mass, {8, 5, 7}, 10, Border::periodic, 2);
      },
      8);
}

/// A place that two neighbours mark, one before it is executed first and one after, is executed
/// once more, not twice.
TEST(EventBits, PlacesAreExecutedOnceForTheirMarks) {
  Mass mass = makeMass(1);
  const auto places = mass.createPlaces<Mixture<3>>({9, 8, 7});
  fill<decltype(places), &Mixture<3>::a, &Mixture<3>::b>(places, 10);
  places.hopRate<&Mixture<3>::a>(1.0);
  places.hopRate<&Mixture<3>::b>(1.0);
  places.runEvents(mass::seconds(1), 0.01);
  const mass::EventCounts counts = places.eventCounts();
  EXPECT_GT(counts.byArrivals, 1000);
  EXPECT_LT(counts.byChanges * 20, counts.byArrivals);
}

/// Executes the events of a second. @param windows number after which a first call ends, or soon
/// after with the engine time_warp, which asks by time; 0: never
Result runInTwoCalls(Mass& mass, int windows) {
  const auto places = mass.createPlaces<Clusters>({9, 7});
  fill<decltype(places), &Clusters::single>(places, 2);
  places.hopRate<&Clusters::single>(3.0);
  mass::detail::EventClock& clock = *places.sharedPopulation()->events;
  int asked = 0;
  clock.endIf([&] { return ++asked == windows; });
  places.runEvents(mass::seconds(1));
  const auto made = static_cast<std::int64_t>(places.step());
  EXPECT_GE(made, windows > 0 ? windows : 10);
  EXPECT_LE(made, windows > 0 ? windows + 1 : 10);
  clock.endIf({});
  if (windows > 0) places.runEvents(mass::seconds(1 - 0.1 * static_cast<double>(made)));
  return resultOf(places);
}

TEST(EventBits, ACallThatIsEndedGoesOnAsOneCall) {
  const std::vector<std::string> window{"events.window=0.1"};
  const auto run = [&](Mass& mass) { return runInTwoCalls(mass, 3); };
  expectSame("ended", run, 3, window);
  Mass first = makeMass(1, 2, {}, window), second = makeMass(1, 2, {}, window);
  EXPECT_EQ(run(first), runInTwoCalls(second, 0));
}

TEST(EventBits, SparseBox) {
  expectSame("box", [](Mass& mass) {
    return runMixture<3>(mass, {5, 9, 4}, 0.7, Border::mirrored, 4);
  });
}

TEST(EventBits, Chain) {
  expectSame(
      "chain", [](Mass& mass) { return runMixture<1>(mass, {53}, 6, Border::fixed, 3); }, 8);
  expectSame(
      "ring", [](Mass& mass) { return runMixture<1>(mass, {17}, 6, Border::periodic, 3); }, 8);
}

TEST(EventBits, FewPlaces) {
  expectSame(
      "1 place",
      [](Mass& mass) {
        return runMixture<2>(mass, {1, 1}, 20, Border::periodic, 2);
      },
      1);
  expectSame(
      "2 places",
      [](Mass& mass) {
        return runMixture<2>(mass, {2, 1}, 20, Border::periodic, 2);
      },
      2);
  expectSame(
      "2 x 2 places",
      [](Mass& mass) {
        return runMixture<2>(mass, {2, 2}, 20, Border::periodic, 2);
      },
      2);
  expectSame(
      "as many devices as places",
      [](Mass& mass) { return runMixture<1>(mass, {8}, 9, Border::periodic, 2); }, 8);
}

TEST(EventBits, NoParticles) {
  expectSame("nothing", [](Mass& mass) {
    return runMixture<2>(mass, {6, 6}, 0, Border::periodic, 1);
  });
}

TEST(EventBits, FewParticles) {
  expectSame("some particles", [](Mass& mass) {
    const Result result = runMixture<3>(mass, {9, 8, 7}, 0.51, Border::periodic, 4);
    EXPECT_GT(result.events, 50);
    return result;
  });
}

/// Nothing can happen anywhere in the first call, and in the second at first in two places only.
TEST(EventBits, RatesThatRiseFromZero) {
  expectSame("sources", [](Mass& mass) {
    const auto places = mass.createPlaces<Sources>({11, 13});
    places.initialise<&Sources::isSource>(
        [](const auto& at) { return at[0] % 7 == 3 && at[1] == 5; });
    places.hopRate<&Sources::count>(1.0);
    places.runEvents(mass::seconds(1), 0.0);
    EXPECT_EQ(places.eventCounts().events, 0);
    for (int call = 0; call < 3; ++call) places.runEvents(mass::seconds(0.5), 20.0);
    EXPECT_GT(places.reduce<&Sources::count>(mass::sum), 20);
    return resultOf(places);
  });
}

TEST(EventBits, ManyParticlesInOnePlace) {
  const auto run = [](Mass& mass) {
    const auto places = mass.createPlaces<mass::testing::Walkers>({4, 5});
    places.initialise<&mass::testing::Walkers::count>(
        [](const auto& at) { return at[0] == 2 && at[1] == 3 ? 3000 : 0; });
    places.hopRate<&mass::testing::Walkers::count>(2.0);
    places.runEvents(mass::seconds(1));
    EXPECT_EQ(places.reduce<&mass::testing::Walkers::count>(mass::sum), 3000);
    return resultOf(places);
  };
  expectSame("3000 particles", run);
}

TEST(EventBits, AllRatesZero) {
  const auto run = [](Mass& mass) {
    const auto places = mass.createPlaces<mass::testing::Walkers>({4, 5});
    places.initialise<&mass::testing::Walkers::count>([](const auto&) { return 3; });
    places.runEvents(mass::seconds(1));
    EXPECT_EQ(places.download<&mass::testing::Walkers::count>(), std::vector<std::int32_t>(20, 3));
    EXPECT_EQ(places.eventCounts().events, 0);
    return resultOf(places);
  };
  expectSame("rates 0", run);
}

TEST(EventBits, ImmediateEventsAndInhibition) {
  expectSame("clusters", [](Mass& mass) { return runClusters(mass, {9, 7}); });
}

TEST(EventBits, EqualTicks) {
  const std::vector<std::string> ties = {"events.tick_bits=5", "events.window=0.1"};
  expectSame(
      "torus",
      [](Mass& mass) {
        return runMixture<3>(mass, {4, 2, 3}, 10, Border::periodic, 2);
      },
      4, ties);
  expectSame(
      "clusters",
      [](Mass& mass) {
        return runClusters(mass, {4, 7});
      },
      4, ties);
}

TEST(EventBits, LongWindows) {
  expectSame("torus",
             [](Mass& mass) {
               return runMixture<3>(mass, {4, 5, 3}, 4, Border::periodic, 2);
             },
             4, {"events.window=0.25"});
}

}  // namespace
