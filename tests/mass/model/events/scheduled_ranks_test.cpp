// Scheduled events on several ranks: the results of one, failures, and checkpoints.

#include "../../../support/long_test.hpp"
#include "../../../support/mass_on_ranks.hpp"
#include "../../../support/temporary_folder.hpp"
#include "scheduled_worlds.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using mass::Mass;
using mass::seconds;
using mass::UsageError;
using mass::testing::contains;
using mass::testing::expectedOf;
using mass::testing::fullOr;
using mass::testing::makeMass;
using mass::testing::Model;
using mass::testing::Names;
using mass::testing::onRanks;
using mass::testing::placesOf;
using mass::testing::RankSetup;
using mass::testing::Record;
using mass::testing::resultOf;
using mass::testing::TemporaryFolder;
using mass::testing::ThreadRanks;

/// Ranks of one to three threads; those with late messages have them at random times.
std::vector<RankSetup> rankSetups() {
  std::vector<RankSetup> setups{{.devices = {1, 1}, .threads = 1},
                                {.devices = {1, 1}, .threads = 3},
                                {.devices = {1, 2, 1, 1}, .threads = 2},
                                {.devices = {1, 3, 2}, .threads = 3}};
  setups[1].network.longestDelay = std::chrono::microseconds(200);
  setups[2].network.longestDelay = std::chrono::microseconds(50);
  return setups;
}

template <int D, std::size_t Words>
std::int64_t compare(std::uint64_t seed) {
  const Model<D> model(Names{seed}, 6);
  const auto expected = expectedOf<D, Words>(model, seed);
  std::vector<RankSetup> setups{{.devices = {1}, .threads = 1}};
  const auto ranks = rankSetups();
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (fullOr(true, i == seed % ranks.size())) setups.push_back(ranks[i]);
  std::uint64_t hash = 0, ofEvents = 0;
  const std::size_t each = setups.size();
  for (std::size_t i = 1; i < each && model.dice.lookahead > 0; ++i) setups.push_back(setups[i]);
  for (RankSetup& setup : setups) {
    const auto number = static_cast<std::size_t>(&setup - setups.data());
    const bool isFirst = number == 0;
    setup.more = {fmt::format("seed={}", seed),
                  number < each ? "events.engine=time_warp" : "events.engine=conservative"};
    onRanks(setup, [&](Mass& mass) {
      const auto places = placesOf<D, Words>(mass, model);
      for (const double call : model.calls) places.runEvents(seconds(call), model.dice);
      EXPECT_EQ((resultOf<D, Words>(places)), expected);
      const std::uint64_t ends = mass.hash(), counted = places.eventCounts().hash;
      if (isFirst) {
        hash = ends;
        ofEvents = counted;
      }
      EXPECT_EQ(ends, hash);
      EXPECT_EQ(counted, ofEvents);
    });
  }
  return expected.events;
}

TEST(ScheduledRanks, RandomModelsAreAsByAPlainLoop) {
  std::int64_t events = 0;
  const std::uint64_t models = fullOr<std::uint64_t>(500, 8);
  for (std::uint64_t seed = 1; seed <= models && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    events += seed % 2 == 0 ? compare<1, 2>(seed) : compare<2, 20>(seed);
    if (seed % 100 == 0) std::cout << seed << " models" << std::endl;
  }
  EXPECT_GT(events, static_cast<std::int64_t>(200 * models));
}

class Road;
/// Agent that travels in events.
class Car : public mass::Agent<Road> {
 public:
  std::int32_t hops = 0;
  double fuel = 1;
  std::int16_t marks[3] = {};
  using Attributes = mass::Attributes<&Car::hops, &Car::fuel, &Car::marks>;
  MASS_FN void refuel() { fuel = 1; }
};

/// Place at which cars arrive, some of them at equal times.
class Road : public mass::Place<2> {
 public:
  std::uint64_t arrivals = 0, digest = 0;
  double fuel = 0;
  using Attributes = mass::Attributes<&Road::arrivals, &Road::digest, &Road::fuel>;

  void arrive(std::uint64_t id, const Car& car, mass::Schedule<Road>& schedule,
              const double& range) {
    ++arrivals;
    fuel += car.fuel;
    digest = mass::detail::mix(digest + id) + static_cast<std::uint64_t>(car.hops) +
             static_cast<std::uint64_t>(car.marks[id % 3]);
    mass::Random random = schedule.random();
    Car next = car;
    ++next.hops;
    next.fuel -= 1 / range;
    next.marks[random.below(3)] += 1;
    if (next.fuel <= 0) next.fuel = 1;
    const int right = static_cast<int>(random.below(2));
    schedule.after<&Road::arrive>(seconds(0x1p-4 * (1 + random.below(6))),
                                  mass::neighbor(1 - right, right), id, next);
  }
  using Events = mass::Events<mass::scheduled<&Road::arrive>>;
};

TEST(ScheduledRanks, AgentsTravelInEvents) {
  constexpr int cars = 90;
  std::uint64_t hash = 0, ofEvents = 0, ofRoads = 0;
  const auto run = [&](Mass& mass) {
    const auto roads = mass.createPlaces<Road>({9, 7});
    const auto agents = mass.createAgents<Car>(roads, cars);
    agents.initialise<&Car::fuel>(
        [](std::uint64_t id) { return 0.25 * static_cast<double>(id % 4 + 1); });
    agents.schedule<&Road::arrive>(seconds(0.5));
    EXPECT_EQ(roads.pendingEvents(), cars);
    roads.runEvents(seconds(0.53), 8.0);  // each has arrived once
    std::vector<std::uint64_t> present(static_cast<std::size_t>(roads.size()));
    for (const auto& at : agents.coordinates())
      ++present[static_cast<std::size_t>(7 * at[0] + at[1])];
    EXPECT_EQ(roads.download<&Road::arrivals>(), present);
    EXPECT_EQ(roads.reduce<&Road::fuel>(mass::sum), 0.25 * (22 * (1 + 2 + 3 + 4) + 1 + 2));
    for (const double time : {1.97, 2.5}) roads.runEvents(seconds(time), 8.0);
    EXPECT_EQ(roads.pendingEvents(), cars);
    EXPECT_THROW((agents.callAll<&Car::refuel>()), mass::UsageError);
    EXPECT_THROW(agents.manageAll(), mass::UsageError);
    EXPECT_THROW((agents.schedule<&Road::arrive>(seconds(1))), mass::UsageError);
    const std::uint64_t ends = mass.hash(), counted = roads.eventCounts().hash;
    if (hash == 0) {
      hash = ends, ofEvents = counted, ofRoads = roads.hash();
      EXPECT_EQ(roads.reduce<&Road::arrivals>(mass::sum),
                static_cast<std::uint64_t>(roads.eventCounts().events));
    }
    EXPECT_EQ(ends, hash);
    EXPECT_EQ(counted, ofEvents);
    EXPECT_EQ(roads.hash(), ofRoads);
  };
  {
    Mass mass = makeMass(1, 1, {}, {"events.engine=reference"});
    run(mass);
  }
  for (const int threads : {1, 2, 3, 4, 8}) {
    SCOPED_TRACE(threads);
    Mass mass = makeMass(1, threads);
    run(mass);
  }
  onRanks({.devices = {1, 1}, .threads = 2}, run);
  onRanks({.devices = {1, 1, 1, 1}}, run);
}

TEST(ScheduledRanks, AgentsThatStepDoNotTravelInEvents) {
  Mass mass = makeMass(1, 1);
  const auto roads = mass.createPlaces<Road>({3, 3});
  const auto agents = mass.createAgents<Car>(roads, 5);
  agents.callAll<&Car::refuel>();
  try {
    agents.schedule<&Road::arrive>(seconds(0));
    FAIL();
  } catch (const mass::UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("'Car': they have made 1 steps"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(roads.pendingEvents(), 0);
}

/// Place whose events have an inverse. Times are multiples of 1/64 s, so many are equal.
class Reversible : public mass::Place<1> {
 public:
  std::uint64_t words[40] = {};
  using Attributes = mass::Attributes<&Reversible::words>;

  void add(std::uint32_t value, mass::Schedule<Reversible>& schedule) {
    mass::Random random = schedule.random();
    words[value % 40] += random();
    const auto target = mass::place(random.below(static_cast<std::uint32_t>(schedule.places())));
    schedule.after<&Reversible::add>(seconds(0x1p-6 * (1 + random.below(8))), target, 3 * value);
    if (words[1] % 8 == 1) schedule.after<&Reversible::mark>(seconds(0), mass::thisPlace);
  }
  void subtract(std::uint32_t value, mass::Schedule<Reversible>& schedule) {
    words[value % 40] -= schedule.random()();
  }
  void mark() { words[0] = words[2]; }
  using Events = mass::Events<mass::scheduled<&Reversible::add, &Reversible::subtract>,
                              mass::scheduled<&Reversible::mark>>;
};

TEST(ScheduledRanks, EachWayOfSavingHasTheSameEvents) {
  std::uint64_t hash = 0;
  std::atomic<std::int64_t> undone = 0;
  const auto run = [&](const std::string& saving, const std::vector<int>& devices, int threads) {
    RankSetup setup{.devices = devices, .threads = threads};
    setup.more = {saving == "reference" ? "events.engine=reference" : "events.engine=time_warp"};
    if (saving != "reference") setup.more.push_back("events.saving=" + saving);
    onRanks(setup, [&](Mass& mass) {
      const auto places = mass.createPlaces<Reversible>({40});
      for (std::uint32_t place = 0; place < 40; ++place)
        places.schedule<&Reversible::add>(seconds(0), place, place);
      places.runEvents(seconds(1));
      places.runEvents(seconds(2));
      const std::uint64_t ends = mass.hash();
      if (saving == "reference") hash = ends;
      EXPECT_EQ(ends, hash) << saving << ", " << devices.size() << " ranks, " << threads;
      const std::int64_t rolledBack = places.eventCounts().undone;
      if (saving == "inverses") undone += rolledBack;
    });
  };
  run("reference", {1}, 1);
  for (const char* const saving : {"measured", "states", "inverses"})
    for (const int threads : {1, 2, 3, 4, 8})
      for (const auto& devices : {std::vector{1}, {1, 1}, {1, 1, 1, 1}})
        if (fullOr(true, (threads == 1) != (devices.size() == 1) && threads < 4))
          run(saving, devices, threads);
  EXPECT_GT(undone.load(), 0);
}

/// Place of a world whose events are in the first three eighths; `add` has a wrong inverse.
class Crowd : public mass::Place<1> {
 public:
  std::uint64_t words[40] = {};
  using Attributes = mass::Attributes<&Crowd::words>;

  void walk(mass::Schedule<Crowd>& schedule) {
    mass::Random random = schedule.random();
    ++words[random.below(40)];
    const std::uint32_t crowded = static_cast<std::uint32_t>(schedule.places()) * 3 / 8;
    schedule.after<&Crowd::walk>(seconds(0x1p-6 * (1 + random.below(8))),
                                 mass::place(random.below(crowded)));
  }
  void add(mass::Schedule<Crowd>& schedule) {
    words[1] += 2;
    schedule.after<&Crowd::add>(seconds(0x1p-6), mass::thisPlace);
  }
  void subtract() { --words[1]; }
  /// Walks late, so that other threads are ahead.
  void pause(mass::Schedule<Crowd>& schedule) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    walk(schedule);
  }
  using Events =
      mass::Events<mass::scheduled<&Crowd::walk>, mass::scheduled<&Crowd::add, &Crowd::subtract>,
                   mass::scheduled<&Crowd::pause>>;
};

TEST(ScheduledRanks, BlocksThatMoveChangeNothing) {
  std::uint64_t hash = 0;
  const auto run = [&](const RankSetup& setup, const std::string& engine) {
    RankSetup with = setup;
    with.more = {"events.engine=" + engine};
    onRanks(with, [&](Mass& mass) {
      const auto places = mass.createPlaces<Crowd>({512});
      for (std::int64_t place = 0; place < 192; ++place)
        places.schedule<&Crowd::walk>(seconds(0), place);
      places.runEvents(seconds(7));  // enough events for blocks to move at its end
      for (std::int64_t place = 0; place < 192; place += 60)
        places.schedule<&Crowd::pause>(seconds(0.25), place);
      places.runEvents(seconds(2));
      const std::uint64_t ends = mass.hash();
      if (engine == "reference") hash = ends;
      EXPECT_EQ(ends, hash);
    });
  };
  run({.devices = {1}, .threads = 1}, "reference");
  run({.devices = {1}, .threads = 3}, "time_warp");
  run({.devices = {1, 1}, .threads = 2}, "time_warp");
}

/// Place at which a visit sets a timer of any place and cancels the former one, so most timers are
/// cancelled long before their time.
class Visited : public mass::Place<1> {
 public:
  mass::EventHandle timer{};
  std::uint64_t visits = 0, rings = 0;
  using Attributes = mass::Attributes<&Visited::timer, &Visited::visits, &Visited::rings>;

  /// @param first first of the 64 places that are visited
  void visit(std::uint32_t value, mass::Schedule<Visited>& schedule, const std::uint32_t& first) {
    ++visits;
    mass::Random random = schedule.random();
    schedule.cancel(timer);
    const auto any = mass::place(random.below(static_cast<std::uint32_t>(schedule.places())));
    timer = schedule.after<&Visited::ring>(seconds(2 + 0x1p-3 * random.below(8)), any, value);
    schedule.after<&Visited::visit>(seconds(0x1p-6 * (1 + random.below(8))),
                                    mass::place(first + random.below(64)), 3 * value + 1);
  }
  void ring(std::uint32_t value) { rings = mass::detail::mix(rings ^ value); }
  using Events = mass::Events<mass::cancellation, mass::scheduled<&Visited::visit>,
                              mass::scheduled<&Visited::ring>>;
};

// Blocks move at the begin of the second and the third call, which visit other places.
TEST(ScheduledRanks, BlocksThatMoveLoseWhatIsCancelled) {
  for (std::uint64_t seed = 1; seed <= fullOr<std::uint64_t>(20, 1) && !HasFailure(); ++seed) {
    std::uint64_t hash = 0;
    const auto run = [&](RankSetup setup, const std::string& engine) {
      setup.more = {fmt::format("seed={}", seed), "events.engine=" + engine};
      onRanks(setup, [&](Mass& mass) {
        const auto places = mass.createPlaces<Visited>({512});
        for (std::uint32_t walker = 0; walker < 160; ++walker)
          places.schedule<&Visited::visit>(seconds(0), walker % 64, walker);
        for (const std::uint32_t first : {0U, 300U, 100U}) places.runEvents(seconds(4), first);
        EXPECT_EQ(places.pendingEvents(),
                  160 + 64);  // visits, timers of the places of the last call
        const std::uint64_t ends = mass.hash() + places.eventCounts().hash;
        if (engine == "reference") hash = ends;
        EXPECT_EQ(ends, hash) << engine << ", seed " << seed;
      });
    };
    run({.devices = {1}, .threads = 1}, "reference");
    run({.devices = {1}, .threads = 3}, "time_warp");
    run({.devices = {1, 1}, .threads = 2}, "time_warp");
  }
}

/// Place whose events move to the last eighth of the places after a second. They take so long that
/// a call has several parts.
class Nomad : public mass::Place<1> {
 public:
  std::uint64_t visits = 0;
  std::uint64_t thread = 0;  ///< thread of the last visit
  using Attributes = mass::Attributes<&Nomad::visits, &Nomad::thread>;

  void visit(mass::Schedule<Nomad>& schedule) {
    ++visits;
    thread = std::hash<std::thread::id>()(std::this_thread::get_id());
    using Clock = std::chrono::steady_clock;
    for (const auto begin = Clock::now(); Clock::now() < begin + std::chrono::microseconds(10);) {
    }
    mass::Random random = schedule.random();
    const auto all = static_cast<std::uint32_t>(schedule.places());
    const bool isLate = schedule.now() > seconds(1);
    const std::int64_t first = isLate ? all - all / 8 : schedule.index() / 128 * 128;
    schedule.after<&Nomad::visit>(seconds(0x1p-6 * (1 + random.below(8))),
                                  mass::place(first + random.below(128)));
  }
  using Events = mass::Events<mass::scheduled<&Nomad::visit>>;
};

TEST(ScheduledRanks, BlocksMoveWithinACall) {
  std::vector<std::uint64_t> expected;
  for (const int threads : {1, 2, 3}) {
    Mass mass = makeMass(1, threads, {}, {});
    const auto places = mass.createPlaces<Nomad>({1024});
    places.scheduleAll<&Nomad::visit>(seconds(0));
    places.sharedPopulation()->schedule->endIf([] { return false; });  // short parts
    places.runEvents(seconds(5));
    const auto visits = places.download<&Nomad::visits>();
    if (threads == 1) expected = visits;
    EXPECT_EQ(visits, expected) << threads;
    const auto threadOf = places.download<&Nomad::thread>();
    const std::set<std::uint64_t> last(threadOf.end() - 128, threadOf.end());
    EXPECT_EQ(last.size(), static_cast<std::size_t>(threads));
  }
}

TEST(ScheduledRanks, ARankInterruptsTheCallOfAll) {
  std::uint64_t hash = 0;
  for (const std::string engine : {"reference", "time_warp", "conservative"}) {
    RankSetup setup{.devices = {1, 1, 1}, .threads = 2};
    if (engine == "reference") setup = {.devices = {1}};
    setup.more = {"events.engine=" + engine};
    onRanks(setup, [&](Mass& mass) {
      const auto places = mass.createPlaces<Crowd>({512});
      places.lookahead(seconds(0x1p-6));
      for (std::int64_t place = 0; place < 192; ++place)
        places.schedule<&Crowd::walk>(seconds(0), place);
      mass::detail::ScheduleClock& clock = *places.sharedPopulation()->schedule;
      const bool isLast = mass.devices().ranks().number() == mass.devices().ranks().count() - 1;
      int asked = 0;
      clock.interruptIf([&] { return isLast && ++asked % 3 == 0; });
      int calls = 0;
      do {
        places.runEvents(seconds(2));
        ++calls;
      } while (clock.isInterrupted());
      EXPECT_GT(calls, 1);
      EXPECT_EQ(clock.now(), 2);
      const std::uint64_t ends = mass.hash();
      if (engine == "reference") hash = ends;
      EXPECT_EQ(ends, hash) << engine;
    });
  }
}

TEST(ScheduledRanks, AWrongInverseIsNamed) {
  Mass mass = makeMass(1, 2, {}, {"events.engine=time_warp"});
  const auto places = mass.createPlaces<Crowd>({4});
  places.schedule<&Crowd::add>(seconds(0.5), 2);
  try {
    places.runEvents(seconds(4));
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_TRUE(contains(error.what(), "Crowd, place (2), at 0.5 s: the inverse of 'add'"))
        << error.what();
  }
}

TEST(ScheduledRanks, KeepTheStatesOfTheirOwnPlaces) {
  std::int64_t ofOne = 0;
  for (const auto& devices : {std::vector{1}, {1, 1, 1, 1}}) {
    onRanks({.devices = devices, .threads = 1}, [&](Mass& mass) {
      const auto places = mass.createPlaces<Crowd>({20000});
      places.schedule<&Crowd::walk>(seconds(0), 1);
      places.runEvents(seconds(0.5));
      const std::int64_t ofAll = places.population().schedule->report().bytes;
      if (devices.size() == 1) ofOne = ofAll;
      EXPECT_GT(ofOne, 20000 * std::int64_t{sizeof(Crowd)});
      EXPECT_LT(ofAll, 2 * ofOne);
    });
  }
}

/// Place of a ring, around which events walk.
class Ring : public mass::Place<1> {
 public:
  std::int32_t n = 0;
  using Attributes = mass::Attributes<&Ring::n>;

  void walk(std::int32_t step, mass::Schedule<Ring>& schedule) {
    ++n;
    schedule.after<&Ring::walk>(seconds(0x1p-4), mass::neighbor(step), step);
  }
  void refuse(std::int32_t most) {
    if (n > most) throw std::runtime_error(fmt::format("more than {} at {}", most, n));
  }
  void burst(std::int32_t count, mass::Schedule<Ring>& schedule) {
    for (std::int32_t i = 0; i < count; ++i)
      schedule.after<&Ring::refuse>(seconds(10), mass::place(schedule.places() - 1), count);
  }
  void poke(mass::Schedule<Ring>& schedule) {
    schedule.after<&Ring::count>(seconds(0), mass::place(0));
  }
  void count() { ++n; }
  void chain(std::int32_t length, mass::Schedule<Ring>& schedule) {
    if (length == 0) throw std::runtime_error(fmt::format("the end, after {}", n));
    schedule.after<&Ring::chain>(seconds(0), mass::thisPlace, length - 1);
  }
  void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }
  using Events = mass::Events<mass::scheduled<&Ring::walk>, mass::scheduled<&Ring::refuse>,
                              mass::scheduled<&Ring::burst>, mass::scheduled<&Ring::wait>,
                              mass::scheduled<&Ring::poke>, mass::scheduled<&Ring::count>,
                              mass::scheduled<&Ring::chain>>;
};

mass::Places<Ring> ring(Mass& mass, std::int64_t length) {
  const auto places =
      mass.createPlaces<Ring>({length}, mass::borders<Ring>(mass::Border::periodic));
  for (std::int64_t place = 0; place < length; ++place)
    places.schedule<&Ring::walk>(seconds(0x1p-6 * static_cast<double>(place % 5)), place,
                                 place % 2 == 0 ? 1 : -1);
  return places;
}

/// Runs a ring in two calls, between which its places are changed.
void runRing(Mass& mass, Record& record, std::int64_t length, bool waits) {
  const auto places = ring(mass, length);
  if (waits) places.schedule<&Ring::wait>(seconds(0.5), length - 1);
  places.runEvents(seconds(1));
  record.add("pending", places.pendingEvents());
  places.initialise<&Ring::n>([](const auto& at) { return static_cast<std::int32_t>(at[0]); });
  places.schedule<&Ring::walk>(seconds(0), length / 2, 1);
  places.runEvents(seconds(0));
  places.runEvents(seconds(1.5));
  record.add("n", places.download<&Ring::n>());
  record.add("events", places.eventCounts().events);
  record.add("hash of events", places.eventCounts().hash);
  record.add("hash", mass.hash());
}

TEST(ScheduledRanks, AnyNumberOfPlacesIsAsOnOneRank) {
  for (const std::int64_t length : {2, 3, 31}) {
    SCOPED_TRACE(length);
    std::vector<RankSetup> setups = rankSetups();
    std::erase_if(setups, [&](const RankSetup& setup) { return setup.deviceCount() > length; });
    mass::testing::expectSameOnRanks(
        setups, [&](Mass& mass, Record& record) { runRing(mass, record, length, false); });
  }
}

TEST(ScheduledRanks, ARankThatIsLateChangesNothing) {
  mass::testing::expectSameOnRanks(
      {rankSetups()[0]}, [](Mass& mass, Record& record) { runRing(mass, record, 31, true); });
}

TEST(ScheduledRanks, NoEventsAndEmptyTimesEnd) {
  onRanks({.devices = {1, 1, 1}, .threads = 2}, [](Mass& mass) {
    const auto places = mass.createPlaces<Ring>({7});
    places.runEvents(seconds(0));
    places.runEvents(seconds(5));
    EXPECT_EQ(places.pendingEvents(), 0);
    EXPECT_EQ(places.eventCounts().events, 0);
    places.schedule<&Ring::refuse>(seconds(1), 6, 0);
    places.runEvents(seconds(1));
    EXPECT_EQ(places.pendingEvents(), 1);
    places.runEvents(seconds(1));
    EXPECT_EQ(places.eventCounts().events, 1);
  });
}

TEST(ScheduledRanks, EventsAfterTheEndArriveAtOtherRanks) {
  onRanks({.devices = {1, 1}, .threads = 2}, [](Mass& mass) {
    const auto places = mass.createPlaces<Ring>({8});
    constexpr std::int32_t count = 5000;  // more than a ring of messages has room for
    places.schedule<&Ring::burst>(seconds(1), 0, count);
    places.runEvents(seconds(2));
    EXPECT_EQ(places.pendingEvents(), count);
    places.runEvents(seconds(20));
    EXPECT_EQ(places.pendingEvents(), 0);
    EXPECT_EQ(places.eventCounts().events, count + 1);
  });
}

/// Returns the messages of all ranks after a run in which rules fail.
std::vector<std::string> messagesOf(const RankSetup& setup) {
  std::vector<std::string> messages(setup.devices.size());
  const auto work = [&](Mass& mass) {
    const auto places = ring(mass, 31);
    for (std::int32_t place = 0; place < 31; ++place)
      places.schedule<&Ring::refuse>(seconds(1.5 - 0x1p-5 * place), place, 8);
    const std::uint64_t before = places.hash();
    std::string& message = messages[static_cast<std::size_t>(mass.devices().ranks().number())];
    try {
      places.runEvents(seconds(10));
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    EXPECT_EQ(places.hash(), before);
    EXPECT_THROW(places.runEvents(seconds(1)), UsageError);
  };
  onRanks(setup, work);
  return messages;
}

TEST(ScheduledRanks, TheFirstFailureEndsAllRanks) {
  const std::string expected = messagesOf({.devices = {1}, .threads = 1})[0];
  EXPECT_PRED2(contains, expected, "more than 8 at ");
  for (const RankSetup& setup : rankSetups()) {
    for (const std::string& message : messagesOf(setup))
      EXPECT_EQ(message, expected) << setup.text();
  }
}

// Events at the time of the failure are rolled back on all ranks. Messages that cancel what they
// have sent are then on their way; without them, place 0 would count these events twice.
TEST(ScheduledRanks, CancellationsArriveBeforeAFailureIsReported) {
  for (const int ranks : {2, 4}) {
    RankSetup setup{.devices = std::vector<int>(static_cast<std::size_t>(ranks), 1), .threads = 1};
    for (int repeat = 0; repeat < 3; ++repeat) {
      onRanks(setup, [](Mass& mass) {
        const auto places = mass.createPlaces<Ring>({16});
        places.schedule<&Ring::chain>(seconds(1), 0, 20000);
        for (std::int64_t place = 1; place < 16; ++place)
          places.schedule<&Ring::poke>(seconds(1), place);
        std::string message;
        try {
          places.runEvents(seconds(2));
        } catch (const std::runtime_error& error) {
          message = error.what();
        }
        EXPECT_EQ(message, "the end, after 15");
      });
    }
  }
}

TEST(ScheduledRanks, ConservativeEndsAllRanksWithTheFirstFailure) {
  for (RankSetup setup : rankSetups()) {
    setup.more = {"events.engine=conservative"};
    onRanks(setup, [](Mass& mass) {
      const auto places = ring(mass, 31);
      places.lookahead(seconds(0x1p-4));
      for (std::int32_t place = 0; place < 31; ++place)
        places.schedule<&Ring::refuse>(seconds(1.5 - 0x1p-5 * place), place, -place);
      std::string message;
      try {
        places.runEvents(seconds(10));
      } catch (const std::runtime_error& error) {
        message = error.what();
      }
      EXPECT_PRED2(contains, message, "more than -30 at ");
      EXPECT_THROW(places.runEvents(seconds(1)), UsageError);
    });
  }
}

/// Node that infects the ends of its links.
class Person : public mass::Node {
 public:
  double since = -1;
  using Attributes = mass::Attributes<&Person::since>;
  void infect(mass::Schedule<Person>& schedule) {
    if (since >= 0) return;
    since = schedule.now().count();
    mass::Random random = schedule.random();
    for (int k = 0; k < schedule.links(); ++k)
      schedule.after<&Person::infect>(seconds(random.uniform()), mass::link(k));
  }
  using Events = mass::Events<mass::scheduled<&Person::infect>>;
};

TEST(ScheduledRanks, NodesOfNetworksAreAsOnOneRank) {
  std::vector<mass::Graph::Edge> edges;
  for (std::int64_t i = 0; i < 60; ++i)
    edges.insert(edges.end(), {{i, i * 7 % 60}, {i, i * i % 59}});
  mass::testing::expectSameOnRanks(rankSetups(), [&](Mass& mass, Record& record) {
    mass::Graph::Options options;
    options.selfLoops = mass::Graph::SelfLoops::keep;
    options.duplicates = mass::Graph::Duplicates::keep;
    const auto people = mass.createGraph<Person>(mass::Graph(60, edges, {}, options));
    people.schedule<&Person::infect>(seconds(0), 17);
    people.schedule<&Person::infect>(seconds(0.5), 31);
    people.runEvents(seconds(20));
    record.add("since", people.download<&Person::since>());
    record.add("hash", mass.hash());
  });
}

TEST(ScheduledRanks, AStoppedRankIsAnErrorOfTheOthers) {
  for (const std::string engine : {"time_warp", "conservative"}) {
    mass::testing::ThreadRankOptions options;
    options.timeout = 1;
    ThreadRanks ranks(2, options);
    const auto ends = ranks.run([&](mass::detail::Ranks& rank) {
      Mass mass =
          makeMass(rank, {.devices = {1, 1}, .threads = 2, .more = {"events.engine=" + engine}});
      const auto places = ring(mass, 31);
      places.lookahead(seconds(0x1p-4));
      if (rank.number() == 1) ranks.stop(1);
      places.runEvents(seconds(1e6));
    });
    EXPECT_PRED2(contains, ends[0].error, "rank 1") << engine;
  }
}

TEST(ScheduledRanks, TooLittleMemoryIsOneMessageOfAllRanks) {
  onRanks({.devices = {1, 1}, .threads = 2, .more = {"events.memory=0.01"}}, [](Mass& mass) {
    const auto places = ring(mass, 31);
    try {
      places.runEvents(seconds(1));
      ADD_FAILURE() << "no error";
    } catch (const UsageError& error) {
      EXPECT_PRED2(contains, std::string(error.what()), "events.memory: 0.01 MiB are too small");
    }
  });
}

TEST(ScheduledRanks, ReferenceNeedsOneRank) {
  ThreadRanks ranks(2);
  const auto ends = ranks.run([](mass::detail::Ranks& rank) {
    Mass mass = makeMass(rank, {.devices = {1, 1}, .more = {"events.engine=reference"}});
    mass.createPlaces<Ring>({4});
  });
  for (const auto& end : ends) EXPECT_PRED2(contains, end.error, "reference runs on one rank");
}

TEST(ScheduledRanks, CheckpointsOfOneAreReadByOthers) {
  const auto run = [](Mass& mass, Record& record, const auto& between) {
    const auto places = ring(mass, 31);
    places.runEvents(seconds(1.25));
    between(mass);
    places.runEvents(seconds(1));
    record.add("n", places.download<&Ring::n>());
    record.add("hash", mass.hash());
    record.add("hash of events", places.eventCounts().hash);
  };
  const Record expected = mass::testing::recordOnRanks(
      {.devices = {1}}, [&](Mass& mass, Record& record) { run(mass, record, [](Mass&) {}); });
  std::vector<RankSetup> setups = rankSetups();
  setups.push_back({.devices = {1}, .threads = 2});
  for (std::size_t i = 0; i < setups.size(); ++i) {
    const TemporaryFolder folder;
    mass::testing::recordOnRanks(setups[i], [&](Mass& mass, Record& record) {
      run(mass, record, [&](Mass& at) { at.saveCheckpoint(folder / "a.h5", "test"); });
    });
    const RankSetup& reader = setups[(i + 2) % setups.size()];
    EXPECT_TRUE(areEqual(mass::testing::recordOnRanks(reader,
                                                      [&](Mass& mass, Record& record) {
                                                        run(mass, record, [&](Mass& at) {
                                                          at.restoreCheckpoint(folder / "a.h5",
                                                                               "test");
                                                        });
                                                      }),
                         expected))
        << setups[i].text() << " to " << reader.text();
  }
}

}  // namespace
