// Scheduled events: random models against a plain loop; order, time, targets, and errors of rules.

#include "../../../support/long_test.hpp"
#include "scheduled_worlds.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using mass::Border;
using mass::Mass;
using mass::seconds;
using mass::UsageError;
using mass::testing::fullOr;
using mass::testing::makeMass;
using mass::testing::Model;
using mass::testing::Names;
using mass::testing::placesOf;
using mass::testing::Result;
using mass::testing::resultOf;

template <int D, std::size_t Words>
Result runModel(const Model<D>& model, std::uint64_t seed, int threads, const std::string& engine,
                std::uint64_t& hash) {
  Mass mass = makeMass(1, threads, {}, {fmt::format("seed={}", seed), "events.engine=" + engine});
  const auto places = placesOf<D, Words>(mass, model);
  for (const double call : model.calls) places.runEvents(seconds(call), model.dice);
  hash = places.eventCounts().hash;
  return resultOf<D, Words>(places);
}

template <int D, std::size_t Words>
std::int64_t compare(std::uint64_t seed) {
  const Model<D> model(Names{seed});
  const Result expected = expectedOf<D, Words>(model, seed);
  std::uint64_t hash = 0;
  EXPECT_EQ((runModel<D, Words>(model, seed, 1, "reference", hash)), expected);
  const auto few = seed % 4 < 2 ? std::vector{1, 3, 8} : std::vector{2, 4};
  for (const int threads : fullOr(std::vector{1, 2, 3, 4, 8}, few)) {
    std::uint64_t ofThreads = 0;
    EXPECT_EQ((runModel<D, Words>(model, seed, threads, "time_warp", ofThreads)), expected)
        << threads << " threads";
    EXPECT_EQ(ofThreads, hash) << threads << " threads";
    if (model.dice.lookahead == 0) continue;
    EXPECT_EQ((runModel<D, Words>(model, seed, threads, "conservative", ofThreads)), expected)
        << threads << " threads";
    EXPECT_EQ(ofThreads, hash) << threads << " threads";
  }
  return expected.events;
}

TEST(ScheduledEvents, RandomModelsAreAsByAPlainLoop) {
  std::int64_t events = 0;
  const std::uint64_t models = fullOr<std::uint64_t>(2000, 16);
  for (std::uint64_t seed = 1; seed <= models && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    events += seed % 2 == 0 ? compare<1, 2>(seed) : compare<2, 20>(seed);
    if (seed % 100 == 0) std::cout << seed << " models" << std::endl;
  }
  EXPECT_GT(events, static_cast<std::int64_t>(200 * models));
}

/// Calls that are ended twice and continued are as one call.
TEST(ScheduledEvents, ACallThatIsEndedGoesOnAsOneCall) {
  for (const std::string engine : {"reference", "time_warp", "conservative"}) {
    Model<2> model(Names{9});
    model.dice.lookahead = 0x1p-8;
    model.calls = {4};
    const Result expected = expectedOf<2, 20>(model, 9);
    Mass mass = makeMass(1, 2, {}, {"seed=9", "events.engine=" + engine});
    const auto places = placesOf<2, 20>(mass, model);
    mass::detail::ScheduleClock& clock = *places.sharedPopulation()->schedule;
    int asked = 0;
    clock.endIf([&] { return ++asked % 3 == 0; });
    for (int call = 0; call < 2; ++call) places.runEvents(seconds(4 - clock.now()), model.dice);
    EXPECT_GT(clock.now(), 0);
    EXPECT_LT(clock.now(), 4);
    clock.endIf({});
    places.runEvents(seconds(4 - clock.now()), model.dice);
    EXPECT_EQ(clock.now(), 4);
    EXPECT_EQ((resultOf<2, 20>(places)), expected) << engine;
  }
}

/// Place that notes the events that happen to it, as digits.
class Diary : public mass::Place<2> {
 public:
  std::int64_t notes = 0;
  double last = -1;
  using Attributes = mass::Attributes<&Diary::notes, &Diary::last>;

  void note(int digit, mass::Schedule<Diary>& schedule) {
    notes = 10 * notes + digit;
    last = schedule.now().count();
  }
  void tell(int digit, double delay, std::int64_t to, mass::Schedule<Diary>& schedule) {
    schedule.after<&Diary::note>(seconds(delay), mass::place(to), digit);
  }
  void echo(int digit, mass::Schedule<Diary>& schedule) {
    note(digit, schedule);
    if (digit > 1) schedule.after<&Diary::echo>(seconds(0), mass::thisPlace, digit - 1);
  }
  void spread(mass::Schedule<Diary>& schedule) {
    schedule.after<&Diary::note>(seconds(1), mass::neighbor(0, 1), 1);
    schedule.after<&Diary::note>(seconds(1), mass::neighbor(-1, 0), 2);
    schedule.after<&Diary::note>(seconds(1), mass::neighbor(1, 1), 3);
  }
  void end() { notes = -1; }
  using Events = mass::Events<mass::scheduled<&Diary::note>, mass::scheduled<&Diary::tell>,
                              mass::scheduled<&Diary::echo>, mass::scheduled<&Diary::spread>,
                              mass::scheduled<&Diary::end>>;
};

const std::vector<std::string> engines{"reference", "time_warp", "conservative"};

TEST(ScheduleOrder, EqualTimesGoByPlaceOfOriginThenNumber) {
  for (const std::string& engine : engines) {
    Mass mass = makeMass(1, 3, {}, {"events.engine=" + engine});
    const auto places = mass.createPlaces<Diary>({2, 4});
    places.lookahead(seconds(0.25));
    places.schedule<&Diary::tell>(seconds(0.75), 5, 3, 0.25, 0);
    places.schedule<&Diary::tell>(seconds(0.25), 2, 1, 0.75, 0);
    places.schedule<&Diary::tell>(seconds(0.5), 2, 2, 0.5, 0);
    places.schedule<&Diary::note>(seconds(1), 0, 4);  // after those of places
    places.runEvents(seconds(2));
    EXPECT_EQ(places.download<&Diary::notes>()[0], 1234);
  }
}

TEST(ScheduleOrder, EventsWithoutDelayFollowAllOfTheirTime) {
  for (const char* const engine : {"reference", "time_warp"}) {
    Mass mass = makeMass(1, 2, {}, {fmt::format("events.engine={}", engine)});
    const auto places = mass.createPlaces<Diary>({1, 4});
    places.schedule<&Diary::echo>(seconds(1), 0, 3);
    places.schedule<&Diary::note>(seconds(1), 0, 7);
    places.schedule<&Diary::tell>(seconds(1), 3, 8, 0.0, 0);
    places.runEvents(seconds(2));
    EXPECT_EQ(places.download<&Diary::notes>()[0], 37281);
  }
}

TEST(ScheduleOrder, EventsAtTheEndWaitForTheNextCall) {
  for (const std::string& engine : engines) {
    Mass mass = makeMass(1, 2, {}, {"events.engine=" + engine});
    const auto places = mass.createPlaces<Diary>({1, 4});
    places.lookahead(seconds(0.25));
    places.schedule<&Diary::note>(seconds(1), 0, 1);
    places.schedule<&Diary::note>(seconds(0.5), 3, 2);
    places.runEvents(seconds(1));
    EXPECT_EQ(places.pendingEvents(), 1);
    EXPECT_EQ(places.download<&Diary::notes>(), (std::vector<std::int64_t>{0, 0, 0, 2}));
    places.schedule<&Diary::note>(seconds(0.5), 3, 3);
    places.runEvents(std::chrono::milliseconds(501));
    EXPECT_EQ(places.download<&Diary::notes>(), (std::vector<std::int64_t>{1, 0, 0, 23}));
    EXPECT_EQ(places.download<&Diary::last>()[3], 1.5);
    EXPECT_EQ(places.pendingEvents(), 0);
    EXPECT_EQ(places.step(), 0);
  }
}

TEST(ScheduleOrder, NeighborsAreByBorders) {
  for (const std::string& engine : engines) {
    Mass mass = makeMass(2, 4, {}, {"events.engine=" + engine});
    mass::PlacesOptions<Diary> options;
    options.borders = {Border::mirrored, Border::periodic};
    const auto places = mass.createPlaces<Diary>({2, 3}, options);
    places.lookahead(seconds(0.25));
    places.schedule<&Diary::spread>(seconds(0), 2);
    places.runEvents(seconds(2));
    EXPECT_EQ(places.download<&Diary::notes>(), (std::vector<std::int64_t>{1, 0, 2, 3, 0, 0}));
  }
}

TEST(ScheduleOrder, RulesWithoutScheduleAndStatesOfCallsBetween) {
  Mass mass = makeMass(1, 2);
  const auto places = mass.createPlaces<Diary>({2, 2});
  places.scheduleAll<&Diary::note>(seconds(1), 5);
  places.schedule<&Diary::end>(seconds(2), 1);
  places.runEvents(seconds(1.5));
  places.initialise<&Diary::notes>([](const auto& at) { return at[0]; });
  places.runEvents(seconds(1.5));
  EXPECT_EQ(places.download<&Diary::notes>(), (std::vector<std::int64_t>{0, -1, 1, 1}));
}

/// Place with timers that others stop.
class Timers : public mass::Place<1> {
 public:
  std::int64_t notes = 0;
  mass::EventHandle timer{};
  using Attributes = mass::Attributes<&Timers::notes, &Timers::timer>;

  void set(double delay, mass::Schedule<Timers>& schedule) {
    timer = schedule.after<&Timers::ring>(seconds(delay), mass::thisPlace);
  }
  void stop(mass::Schedule<Timers>& schedule) { schedule.cancel(timer); }
  void ring() { notes = 10 * notes + 1; }
  void regret(mass::Schedule<Timers>& schedule) {
    const auto event = schedule.after<&Timers::ring>(seconds(0), mass::thisPlace);
    schedule.after<&Timers::ring>(seconds(0), mass::thisPlace);
    schedule.cancel(event);
    schedule.cancel(event);
    schedule.cancel(mass::EventHandle());
  }
  /// Sends the handle of an event of place `to` to it, and a rule that cancels it there.
  void recall(std::int64_t to, double delay, mass::Schedule<Timers>& schedule) {
    const auto event = schedule.after<&Timers::ring>(seconds(2), mass::place(to));
    schedule.after<&Timers::withdraw>(seconds(delay), mass::place(to), event);
  }
  void withdraw(const mass::EventHandle& event, mass::Schedule<Timers>& schedule) {
    schedule.cancel(event);
  }
  void mark() { notes = 5; }
  void stopUnlessMarked(mass::Schedule<Timers>& schedule) {
    if (notes == 0) schedule.cancel(timer);
  }
  /// Marks the last two places, late for a thread that is ahead.
  void markLate(mass::Schedule<Timers>& schedule) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    schedule.after<&Timers::mark>(seconds(0.5), mass::place(schedule.places() - 2));
    schedule.after<&Timers::mark>(seconds(2), mass::place(schedule.places() - 1));
  }
  using Events = mass::Events<mass::scheduled<&Timers::mark>, mass::scheduled<&Timers::markLate>,
                              mass::scheduled<&Timers::stopUnlessMarked>,
                              mass::scheduled<&Timers::set>, mass::scheduled<&Timers::stop>,
                              mass::scheduled<&Timers::ring>, mass::scheduled<&Timers::regret>,
                              mass::scheduled<&Timers::recall>, mass::scheduled<&Timers::withdraw>>;
};

/// Calls f(mass, places) for each engine, with 5 places on three threads.
template <class F>
void withTimers(F&& f) {
  for (const std::string& engine : engines) {
    SCOPED_TRACE(engine);
    Mass mass = makeMass(1, 3, {}, {"events.engine=" + engine});
    const auto places = mass.createPlaces<Timers>({5});
    places.lookahead(seconds(0.5));
    f(places);
  }
}

TEST(ScheduleCancel, EventsThatAreCancelledDoNotHappen) {
  withTimers([](const mass::Places<Timers>& places) {
    places.schedule<&Timers::set>(seconds(0), 0, 2.0);
    places.schedule<&Timers::stop>(seconds(1), 0);
    places.schedule<&Timers::set>(seconds(0), 1, 1.0);  // has happened when it is cancelled
    places.schedule<&Timers::stop>(seconds(1.5), 1);
    places.schedule<&Timers::stop>(seconds(1.75), 1);
    places.schedule<&Timers::set>(seconds(0), 2, 1.0);  // at the same time; places count first,
    places.schedule<&Timers::stop>(seconds(1), 2);      // and 2 is before the program
    places.schedule<&Timers::regret>(seconds(1), 3);
    places.schedule<&Timers::recall>(seconds(0), 4, 0, 1.0);
    places.schedule<&Timers::recall>(seconds(0), 4, 3, 2.0);  // the later one: has happened
    places.runEvents(seconds(0.5));
    EXPECT_EQ(places.pendingEvents(), 12);
    places.runEvents(seconds(1));
    EXPECT_EQ(places.pendingEvents(), 4);
    places.runEvents(seconds(5));
    EXPECT_EQ(places.pendingEvents(), 0);
    EXPECT_EQ(places.download<&Timers::notes>(), (std::vector<std::int64_t>{0, 1, 1, 11, 0}));
    EXPECT_EQ(places.eventCounts().events, 16);
  });
}

TEST(ScheduleCancel, TheProgramCancelsEventsOfAnyPlace) {
  withTimers([](const mass::Places<Timers>& places) {
    const auto first = places.schedule<&Timers::ring>(seconds(1), 0);
    const auto second = places.schedule<&Timers::ring>(seconds(1), 4);
    places.schedule<&Timers::set>(seconds(0), 2, 1.0);
    places.cancel(first);
    places.cancel(first);
    places.cancel(mass::EventHandle());
    EXPECT_EQ(places.pendingEvents(), 2);
    places.runEvents(seconds(0.5));
    places.cancel(places.download<&Timers::timer>()[2]);
    EXPECT_EQ(places.pendingEvents(), 1);
    places.runEvents(seconds(2));
    places.cancel(second);  // has happened
    EXPECT_EQ(places.download<&Timers::notes>(), (std::vector<std::int64_t>{0, 0, 0, 0, 1}));
    EXPECT_EQ(places.pendingEvents(), 0);
  });
}

// Time Warp cancels the timers at 3 s, before events at 1 and 2.5 s arrive: the first one undoes
// the cancellation, and the second one only that the event was skipped.
TEST(ScheduleCancel, CancellationsAreRolledBack) {
  for (const std::string& engine : engines) {
    Mass mass = makeMass(1, 2, {}, {"events.engine=" + engine});
    const auto places = mass.createPlaces<Timers>({64});
    places.lookahead(seconds(0.5));
    places.schedule<&Timers::markLate>(seconds(0.5), 0);
    places.schedule<&Timers::set>(seconds(0), 62, 3.0);
    places.schedule<&Timers::set>(seconds(0), 63, 3.0);
    places.schedule<&Timers::stopUnlessMarked>(seconds(2), 62);
    places.schedule<&Timers::stop>(seconds(2), 63);
    places.runEvents(seconds(4));
    const std::vector<std::int64_t> notes = places.download<&Timers::notes>();
    EXPECT_EQ(notes[62], 51) << engine;
    EXPECT_EQ(notes[63], 5) << engine;
    EXPECT_EQ(places.pendingEvents(), 0);
  }
}

/// Place with arguments of runEvents.
class Scaled : public mass::Place<1> {
 public:
  double sum = 0;
  using Attributes = mass::Attributes<&Scaled::sum>;
  void add(float value, mass::Schedule<Scaled>& schedule, const double& factor, const int& times) {
    sum += factor * value;
    if (sum < times) schedule.after<&Scaled::add>(seconds(1), mass::thisPlace, 2 * value);
  }
  using Events = mass::Events<mass::scheduled<&Scaled::add>>;
};

TEST(ScheduleOrder, RulesTakeTheArgumentsOfRunEvents) {
  Mass mass = makeMass(1, 2);
  const auto places = mass.createPlaces<Scaled>({3});
  places.schedule<&Scaled::add>(seconds(0), 1, 1.5F);
  places.runEvents(seconds(10), 2.0, 10);
  EXPECT_EQ(places.download<&Scaled::sum>(), (std::vector<double>{0, 21, 0}));
}

TEST(ScheduleOrder, PlacesOfAMaskHaveTheirOwnNumbers) {
  Mass mass = makeMass(1, 2);
  const auto places = mass.createPlaces<Diary>({3, 3}, {1, 3, 4, 8});
  places.schedule<&Diary::spread>(seconds(0), 1);  // at (1, 0): to (1, 1), (0, 0) and (2, 1)
  EXPECT_THROW(places.runEvents(seconds(2)), UsageError);
  Mass other = makeMass(1, 2);
  const auto more = other.createPlaces<Diary>({3, 3}, {0, 3, 4, 7});
  more.schedule<&Diary::spread>(seconds(0), 1);
  more.runEvents(seconds(2));
  EXPECT_EQ(more.download<&Diary::notes>(), (std::vector<std::int64_t>{2, 0, 1, 3}));
}

/// Node that infects the ends of its links, each with a probability of its weight.
class Person : public mass::Node {
 public:
  double since = -1;
  using Attributes = mass::Attributes<&Person::since>;
  void infect(mass::Schedule<Person>& schedule) {
    if (since >= 0) return;
    since = schedule.now().count();
    mass::Random random = schedule.random();
    for (int k = 0; k < schedule.links(); ++k) {
      if (random.bernoulli(schedule.weight(k)))
        schedule.after<&Person::infect>(seconds(random.uniform()), mass::link(k));
    }
  }
  using Events = mass::Events<mass::scheduled<&Person::infect>>;
};

std::vector<double> infections(int devices, int threads, const std::string& engine) {
  Mass mass = makeMass(devices, threads, {}, {"events.engine=" + engine});
  std::vector<mass::Graph::Edge> edges;
  std::vector<double> weights;
  for (std::int64_t i = 0; i < 60; ++i) {
    edges.push_back({i, (i + 1) % 60});
    edges.push_back({i, (i * 7 + 3) % 60 == i ? (i + 30) % 60 : (i * 7 + 3) % 60});
    weights.insert(weights.end(), {i % 4 == 0 ? 0.0 : 1.0, 0.5});
  }
  mass::Graph::Options options;
  options.duplicates = mass::Graph::Duplicates::keep;
  const auto people = mass.createGraph<Person>(mass::Graph(60, edges, weights, options));
  people.schedule<&Person::infect>(seconds(0), 17);
  people.runEvents(seconds(100));
  return people.download<&Person::since>();
}

TEST(ScheduleOrder, NodesSendAlongLinksOnAnyDevices) {
  const std::vector<double> expected = infections(1, 1, "reference");
  EXPECT_GT(std::ranges::count_if(expected, [](double since) { return since > 0; }), 30);
  EXPECT_EQ(infections(1, 4, "time_warp"), expected);
  EXPECT_EQ(infections(3, 3, "time_warp"), expected);
}

/// Place whose rules fail.
class Failing : public mass::Place<2> {
 public:
  std::int32_t n = 0;
  using Attributes = mass::Attributes<&Failing::n>;

  void late(double delay, mass::Schedule<Failing>& schedule) {
    schedule.after<&Failing::late>(seconds(delay), mass::thisPlace, delay);
  }
  void far(int distance, mass::Schedule<Failing>& schedule) {
    schedule.after<&Failing::walk>(seconds(1), mass::neighbor(0, distance));
  }
  void number(std::int64_t to, mass::Schedule<Failing>& schedule) {
    schedule.after<&Failing::walk>(seconds(1), mass::place(to));
  }
  void endless(mass::Schedule<Failing>& schedule) {
    schedule.after<&Failing::endless>(seconds(1e-30), mass::thisPlace);
  }
  void walk(mass::Schedule<Failing>& schedule) {
    ++n;
    schedule.after<&Failing::walk>(seconds(0x1p-6), mass::neighbor(0, 1));
  }
  void refuse(std::int32_t most) {
    if (n > most) throw std::runtime_error(fmt::format("more than {} at {}", most, n));
    ++n;
  }
  void send(double delay, mass::Schedule<Failing>& schedule) {
    schedule.after<&Failing::refuse>(seconds(delay), mass::neighbor(0, 1), 0);
  }
  void draw(int times, mass::Schedule<Failing>& schedule) {
    for (int i = 0; i < times; ++i) (void)schedule.random();
    ++n;
  }
  void grow(mass::Schedule<Failing>& schedule) {
    for (int i = 0; i < 2; ++i) schedule.after<&Failing::grow>(seconds(0), mass::thisPlace);
  }
  void cancelAt(std::uint32_t place, mass::Schedule<Failing>& schedule) {
    mass::EventHandle event;
    event.time = schedule.now().count() + 1;
    event.place = place;
    schedule.cancel(event);
  }
  using Events = mass::Events<mass::scheduled<&Failing::send>, mass::scheduled<&Failing::draw>,
                              mass::scheduled<&Failing::grow>, mass::scheduled<&Failing::cancelAt>,
                              mass::scheduled<&Failing::late>, mass::scheduled<&Failing::far>,
                              mass::scheduled<&Failing::number>, mass::scheduled<&Failing::endless>,
                              mass::scheduled<&Failing::walk>, mass::scheduled<&Failing::refuse>>;
};

/// Returns the message of a run in which an event fails among others.
/// @param schedule schedules the event at place (1, 3)
template <class F>
std::string messageOf(const std::string& engine, int threads, F&& schedule) {
  Mass mass = makeMass(1, threads, {}, {"events.engine=" + engine});
  mass::PlacesOptions<Failing> options;
  options.borders = {Border::fixed, Border::periodic};
  const auto places = mass.createPlaces<Failing>({2, 4}, options);
  places.lookahead(seconds(0x1p-6));
  for (std::int64_t row = 0; row < 2; ++row) places.schedule<&Failing::walk>(seconds(0.5), 4 * row);
  schedule(places);
  const auto before = places.hash();
  std::string message;
  try {
    places.runEvents(seconds(3));
  } catch (const std::exception& error) {
    message = error.what();
  }
  EXPECT_EQ(places.hash(), before);
  EXPECT_THROW(places.runEvents(seconds(1)), UsageError);
  return message;
}

/// Expects a message of each engine with some parts, the same of all.
template <class F>
void expectMessage(F&& schedule, const std::vector<std::string>& parts,
                   const std::vector<int>& threads = {1, 2, 3}) {
  const std::string expected = messageOf("reference", 1, schedule);
  for (const std::string& part : parts)
    EXPECT_NE(expected.find(part), std::string::npos) << part << " is not in: " << expected;
  for (const int count : threads) {
    EXPECT_EQ(messageOf("time_warp", count, schedule), expected) << count << " threads";
    EXPECT_EQ(messageOf("conservative", count, schedule), expected) << count << " threads";
  }
}

TEST(ScheduleFaults, NamePlaceTimeAndRule) {
  using P = mass::Places<Failing>;
  const auto at = seconds(1.25);
  expectMessage([&](const P& places) { places.schedule<&Failing::late>(at, 7, -0.5); },
                {"Failing, place (1, 3), at 1.25 s", "'late'", "-0.5 s"});
  expectMessage([&](const P& places) { places.schedule<&Failing::late>(at, 7, std::nan("")); },
                {"place (1, 3)", "nan s"});
  expectMessage(
      [&](const P& places) {
        places.schedule<&Failing::late>(at, 7, std::numeric_limits<double>::infinity());
      },
      {"inf"});
  expectMessage([&](const P& places) { places.schedule<&Failing::far>(at, 7, 2); },
                {"'walk'", "neighbour (0, 2)", "reach is 1"});
  expectMessage([&](const P& places) { places.schedule<&Failing::number>(at, 7, 8); },
                {"place 8", "0 to 7"});
  expectMessage([&](const P& places) { places.schedule<&Failing::number>(at, 7, -1); },
                {"place -1"});
  expectMessage([&](const P& places) { places.schedule<&Failing::send>(at, 7, 0x1p-11); },
                {"place (1, 3), at 1.25 s", "'refuse'", "0.00048828125 s", "place (1, 0)",
                 "lookahead of 0.015625 s"});
  expectMessage([&](const P& places) { places.schedule<&Failing::draw>(at, 7, 257); },
                {"place (1, 3)", "more than 256 calls"});
  expectMessage([&](const P& places) { places.schedule<&Failing::cancelAt>(at, 7, 6U); },
                {"place (1, 3)", "place number 6"});
}

TEST(ScheduleFaults, LookaheadIsCheckedAndNeeded) {
  Mass mass = makeMass(1, 2, {}, {"events.engine=conservative"});
  const auto places = mass.createPlaces<Failing>({2, 4});
  places.schedule<&Failing::draw>(seconds(1), 0, 256);
  EXPECT_THROW(places.lookahead(seconds(-1)), UsageError);
  EXPECT_THROW(places.lookahead(seconds(std::nan(""))), UsageError);
  EXPECT_THROW(places.runEvents(seconds(1)), UsageError);
  EXPECT_THROW(places.lookahead(seconds(0)), UsageError);
  places.lookahead(seconds(1e-9));
  places.runEvents(seconds(2));
  EXPECT_EQ(places.download<&Failing::n>()[0], 1);
  places.schedule<&Failing::draw>(seconds(1e9), 0, 1);
  places.lookahead(seconds(1e-9));  // less than the distance of two numbers at 10^9
  EXPECT_THROW(places.runEvents(seconds(2e9)), UsageError);
}

TEST(ScheduleMemory, AtItsBoundTimeWarpHasTheSameResults) {
  const auto run = [](const std::string& memory) {
    Mass mass = makeMass(1, 3, {}, {"events.engine=time_warp", "events.memory=" + memory});
    mass::PlacesOptions<Failing> options = mass::borders<Failing>(Border::periodic);
    const auto places = mass.createPlaces<Failing>({30, 40}, options);
    places.scheduleAll<&Failing::walk>(seconds(0.5));
    places.runEvents(seconds(1));
    return std::pair(places.hash(), places.eventCounts().hash);
  };
  // 6 rings of 1024 messages between three threads, and 1200 events: 0.433 MiB
  EXPECT_EQ(run("0.44"), run("0"));
  EXPECT_THROW(run("0.43"), UsageError);
}

TEST(ScheduleFaults, TheFirstFailureIsReported) {
  const auto schedule = [](const mass::Places<Failing>& places) {
    for (std::int64_t place = 0; place < 8; ++place)
      places.schedule<&Failing::refuse>(seconds(2.5 - 0.125 * static_cast<double>(place)), place,
                                        -static_cast<std::int32_t>(place));
  };
  expectMessage(schedule, {"more than -7 at 18"});
  const auto countdown = [](const mass::Places<Failing>& places) {
    for (int most = 0; most < 8; ++most) places.schedule<&Failing::refuse>(seconds(2), most, most);
  };
  expectMessage(countdown, {"more than 0 at"});
}

TEST(ScheduleFaults, EventsWithoutEndAtOneTimeAreNamed) {
  expectMessage(
      [](const mass::Places<Failing>& places) {
        places.schedule<&Failing::endless>(seconds(1.25), 7);
      },
      {"place (1, 3), at 1.25 s", "1000000", "'endless'"}, {2});
}

TEST(ScheduleFaults, TreesOfEventsWithoutEndAtOneTimeAreNamed) {
  const auto schedule = [](const mass::Places<Failing>& places) {
    places.schedule<&Failing::grow>(seconds(1.25), 7);
  };
  const std::string expected = messageOf("reference", 1, schedule);
  for (const char* const part :
       {"place (1, 3), at 1.25 s", "1000000 events without a delay at this", "'grow'"})
    EXPECT_NE(expected.find(part), std::string::npos) << part << " is not in: " << expected;
  EXPECT_EQ(messageOf("conservative", 2, schedule), expected);
}

TEST(ScheduleFaults, RequestsOfTheProgramAreChecked) {
  Mass mass = makeMass(1, 2);
  const auto places = mass.createPlaces<Failing>({2, 4});
  EXPECT_THROW(places.schedule<&Failing::walk>(seconds(-1), 0), UsageError);
  EXPECT_THROW(places.schedule<&Failing::walk>(seconds(std::nan("")), 0), UsageError);
  EXPECT_THROW(places.schedule<&Failing::walk>(seconds(1), 8), UsageError);
  EXPECT_THROW(places.schedule<&Failing::walk>(seconds(1), -1), UsageError);
  EXPECT_THROW(places.runEvents(seconds(-1)), UsageError);
  EXPECT_EQ(places.pendingEvents(), 0);
}

/// Place with a large state, of which every event changes all.
class Heavy : public mass::Place<1> {
 public:
  std::uint64_t words[64] = {};
  using Attributes = mass::Attributes<&Heavy::words>;

  void change(mass::Schedule<Heavy>& schedule) {
    for (std::uint64_t& word : words) ++word;
    schedule.after<&Heavy::change>(seconds(0x1p-10), mass::thisPlace);
  }
  void sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(300)); }
  using Events = mass::Events<mass::scheduled<&Heavy::change>, mass::scheduled<&Heavy::sleep>>;
};

// One thread sleeps, and the other one would save 16384 states of 1 KiB.
TEST(ScheduleMemory, IsBoundedWhereAThreadIsAhead) {
  Mass mass = makeMass(1, 2, {}, {"events.engine=time_warp", "events.memory=1"});
  const auto places = mass.createPlaces<Heavy>({64});
  places.schedule<&Heavy::sleep>(seconds(0), 0);
  for (std::int64_t place = 1; place < 64; ++place)
    places.schedule<&Heavy::change>(seconds(0), place);
  places.runEvents(seconds(1));
  EXPECT_EQ(places.eventCounts().events, 63 * 1024 + 1);
  EXPECT_LT(mass.eventReports()[0].bytes, 4 << 20);
}

/// Place whose event doubles until there are 2^10.
class Growing : public mass::Place<1> {
 public:
  std::int32_t n = 0;
  using Attributes = mass::Attributes<&Growing::n>;

  void grow(std::int32_t depth, mass::Schedule<Growing>& schedule) {
    ++n;
    for (int i = 0; i < (depth < 10 ? 2 : 1); ++i)
      schedule.after<&Growing::grow>(seconds(depth < 10 ? 0x1p-8 : 0.25), mass::thisPlace,
                                     depth + 1);
  }
  using Events = mass::Events<mass::scheduled<&Growing::grow>>;
};

// 8192 events of 40 bytes become pending within the first part of a call, all of one thread.
TEST(ScheduleMemory, PendingEventsMayGrowBeyondTheBound) {
  const auto run = [](const std::string& engine) {
    Mass mass = makeMass(1, 2, {}, {"events.engine=" + engine, "events.memory=0.2"});
    const auto places = mass.createPlaces<Growing>({64});
    for (std::int64_t place = 0; place < 8; ++place)
      places.schedule<&Growing::grow>(seconds(0), place, 0);
    places.runEvents(seconds(1));
    EXPECT_EQ(places.pendingEvents(), 8192);
    places.runEvents(seconds(0.5));
    return std::pair(places.hash(), places.eventCounts().hash);
  };
  EXPECT_EQ(run("time_warp"), run("reference"));
}

}  // namespace
