// Checkpoints of runs with scheduled events: restarts at any time on other threads, and files that
// do not fit.

#include "../../../support/mass_on_ranks.hpp"
#include "../../../support/temporary_folder.hpp"
#include "scheduled_worlds.hpp"

#include <mass/io/checkpoint_file.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

using mass::CheckpointError;
using mass::Mass;
using mass::seconds;
using mass::UsageError;
using mass::detail::ArrayInfo;
using mass::detail::CheckpointHeader;
using mass::detail::CheckpointReader;
using mass::detail::CheckpointWriter;
using mass::detail::PlaceCounts;
using mass::detail::ScheduledEvent;
using mass::testing::contains;
using mass::testing::expectedOf;
using mass::testing::makeMass;
using mass::testing::Model;
using mass::testing::Names;
using mass::testing::placesOf;
using mass::testing::Result;
using mass::testing::resultOf;
using mass::testing::TemporaryFolder;

/// Outcome of a run, its hashes among it.
struct End {
  Result result;
  std::uint64_t hash = 0, ofEvents = 0;
};

Mass massOf(std::uint64_t seed, int devices, int threads, const std::string& engine) {
  return makeMass(devices, threads, {}, {fmt::format("seed={}", seed), "events.engine=" + engine});
}

/// Runs a model in steps, from a checkpoint if `from` is not 0, to the end or to a checkpoint.
/// @param times ends of the steps in s @param from, to numbers of steps @param file checkpoint
template <int D, std::size_t Words>
End runSteps(Mass& mass, const Model<D>& model, const std::vector<double>& times, std::size_t from,
             std::size_t to, const std::filesystem::path& file) {
  const auto places = placesOf<D, Words>(mass, model);
  if (from > 0) {
    places.runEvents(seconds(0.25), model.dice);  // events that the checkpoint replaces
    mass.restoreCheckpoint(file, "test");
  }
  for (std::size_t step = from; step < to; ++step)
    places.runEvents(seconds(times[step]), model.dice);
  if (to < times.size()) mass.saveCheckpoint(file, "test");
  return {resultOf<D, Words>(places), mass.hash(), places.eventCounts().hash};
}

template <int D, std::size_t Words>
void expectSameAfterRestart(std::uint64_t seed) {
  const TemporaryFolder folder;
  const Model<D> model(Names{seed}, 2);
  std::vector<double> times;
  for (const double call : model.calls) times.insert(times.end(), {0.25 * call, 0.75 * call});
  Mass whole = massOf(seed, 1, 2, "time_warp");
  const End expected = runSteps<D, Words>(whole, model, times, 0, times.size(), {});
  Result plain = expectedOf<D, Words>(model, seed);
  EXPECT_EQ(expected.result, plain);
  const std::vector<std::pair<std::string, int>> engines{
      {"reference", 1}, {"time_warp", 1},    {"time_warp", 2},    {"time_warp", 3},
      {"time_warp", 8}, {"conservative", 1}, {"conservative", 2}, {"conservative", 3}};
  const auto allowed = [&](std::size_t number) {  // without a lookahead, not the last three
    return engines[number % (model.dice.lookahead > 0 ? engines.size() : engines.size() - 3)];
  };
  for (std::size_t stop = 1; stop < times.size(); ++stop) {
    const auto [writer, writing] = allowed(stop + seed);
    const auto [reader, reading] = allowed(2 * stop + 3 * seed + 1);
    SCOPED_TRACE(fmt::format("from {} on {} to {} on {} after step {}", writer, writing, reader,
                             reading, stop));
    Mass first = massOf(seed, 1, writing, writer);
    const End before = runSteps<D, Words>(first, model, times, 0, stop, folder / "a.h5");
    Mass second = massOf(seed, 1 + static_cast<int>(seed % 2), reading, reader);
    const End end = runSteps<D, Words>(second, model, times, stop, times.size(), folder / "a.h5");
    EXPECT_EQ(end.result.words, plain.words);
    EXPECT_EQ(end.result.pending, plain.pending);
    EXPECT_EQ(end.hash, expected.hash);
    EXPECT_EQ(end.ofEvents, expected.ofEvents);
    if (before.result.events < plain.events) {
      EXPECT_NE(before.hash, expected.hash);
    }
  }
}

TEST(ScheduledCheckpoints, RestartsOnOtherThreadsAreAsTheWholeRun) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    seed % 2 == 0 ? expectSameAfterRestart<1, 2>(seed) : expectSameAfterRestart<2, 20>(seed);
  }
}

/// Runs a model in one call, which is interrupted four times, and goes on from a checkpoint with
/// another engine each time.
template <int D, std::size_t Words>
void expectSameIfInterrupted(std::uint64_t seed) {
  const TemporaryFolder folder;
  Model<D> model(Names{seed}, 2);
  model.dice.lookahead = std::max(model.dice.lookahead, 0.25);
  model.calls = {std::accumulate(model.calls.begin(), model.calls.end(), 0.0)};
  Mass whole = massOf(seed, 1, 1, "reference");
  const End expected = runSteps<D, Words>(whole, model, model.calls, 0, 1, {});
  EXPECT_EQ(expected.result, (expectedOf<D, Words>(model, seed)));
  const std::vector<std::pair<std::string, int>> engines{
      {"time_warp", 2}, {"conservative", 2}, {"reference", 1}, {"time_warp", 1}, {"time_warp", 3}};
  bool isInterrupted = false;
  for (std::size_t start = 0; start < engines.size(); ++start) {
    const auto& [engine, threads] = engines[(start + seed) % engines.size()];
    Mass mass = massOf(seed, 1, threads, engine);
    const auto places = placesOf<D, Words>(mass, model);
    if (start > 0) mass.restoreCheckpoint(folder / "a.h5", "test");
    mass::detail::ScheduleClock& clock = *places.sharedPopulation()->schedule;
    EXPECT_EQ(clock.isInterrupted(), isInterrupted);
    if (start + 1 < engines.size()) {
      const std::size_t parts = start == 1 ? 1 : 9;  // a call has at least 10
      clock.interruptIf([=, asked = std::size_t{0}]() mutable { return asked++ == parts; });
    }
    const double begin = clock.now();
    places.runEvents(seconds(model.calls[0]), model.dice);
    isInterrupted = clock.isInterrupted();
    EXPECT_EQ(isInterrupted, start + 1 < engines.size());
    EXPECT_LT(begin, clock.now());
    EXPECT_EQ(clock.now() < model.calls[0], isInterrupted);
    mass.saveCheckpoint(folder / "a.h5", "test");
    if (isInterrupted) continue;
    EXPECT_EQ(clock.now(), model.calls[0]);
    EXPECT_EQ((resultOf<D, Words>(places).words), expected.result.words);
    EXPECT_EQ(mass.hash(), expected.hash) << engine;
    EXPECT_EQ(places.eventCounts().hash, expected.ofEvents);
  }
}

TEST(ScheduledCheckpoints, CallsThatWereInterruptedAreContinued) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    seed % 2 == 0 ? expectSameIfInterrupted<1, 2>(seed) : expectSameIfInterrupted<2, 20>(seed);
  }
}

/// Place of a queue: customers of several values, and others.
class Desk : public mass::Place<1> {
 public:
  std::int64_t sum = 0;
  using Attributes = mass::Attributes<&Desk::sum>;
  struct Customer {
    std::int32_t number = 0;
    double amount = 0;
  };
  void arrive(const Customer& customer, std::int8_t times, mass::Schedule<Desk>& schedule) {
    sum = 31 * sum + customer.number + static_cast<std::int64_t>(customer.amount) + times;
    if (times > 0)
      schedule.after<&Desk::arrive>(seconds(1), mass::neighbor(1), customer,
                                    static_cast<std::int8_t>(times - 1));
  }
  void close() { sum = -1; }
  void fail() { throw UsageError("no"); }
  using Events = mass::Events<mass::scheduled<&Desk::arrive>, mass::scheduled<&Desk::close>,
                              mass::scheduled<&Desk::fail>>;
};

/// Place whose rules are others.
class OtherDesk : public mass::Place<1> {
 public:
  std::int64_t sum = 0;
  using Attributes = mass::Attributes<&OtherDesk::sum>;
  void close() { sum = -1; }
  using Events = mass::Events<mass::scheduled<&OtherDesk::close>>;
};

/// Place without events.
class Shelf : public mass::Place<1> {
 public:
  std::int64_t sum = 0;
  using Attributes = mass::Attributes<&Shelf::sum>;
};

template <class P>
mass::Places<P> desks(Mass& mass) {
  mass::PlacesOptions<P> options = mass::borders<P>(mass::Border::periodic);
  options.name = "Desk";
  return mass.createPlaces<P>({5}, options);
}

TEST(ScheduledCheckpoints, KeepValuesAndTheNumbersOfTheProgram) {
  const TemporaryFolder folder;
  const auto schedule = [](const mass::Places<Desk>& places) {
    for (std::int32_t i = 0; i < 5; ++i)
      places.schedule<&Desk::arrive>(seconds(0.5), 2, Desk::Customer{i, 100.0 * i}, std::int8_t{9});
  };
  Mass whole = makeMass(1, 2), first = makeMass(1, 1), second = makeMass(1, 3);
  const auto expected = desks<Desk>(whole), written = desks<Desk>(first),
             read = desks<Desk>(second);
  for (const auto& places : {expected, written}) {
    schedule(places);
    places.runEvents(seconds(2));
  }
  first.saveCheckpoint(folder / "a.h5", "test");
  second.restoreCheckpoint(folder / "a.h5", "test");
  EXPECT_EQ(read.pendingEvents(), 5);
  for (const auto& places : {expected, read}) {
    schedule(places);
    places.schedule<&Desk::close>(seconds(7.25), 0);
    places.runEvents(seconds(20));
  }
  EXPECT_EQ(read.download<&Desk::sum>(), expected.download<&Desk::sum>());
  EXPECT_EQ(second.hash(), whole.hash());
}

TEST(ScheduledCheckpoints, PendingEventsCountInTheHash) {
  Mass one = makeMass(1, 2), other = makeMass(1, 2), none = makeMass(1, 2);
  const auto places = desks<Desk>(one), more = desks<Desk>(other);
  desks<Desk>(none);
  EXPECT_EQ(one.hash(), none.hash());
  places.schedule<&Desk::close>(seconds(1), 3);
  EXPECT_NE(one.hash(), none.hash());
  more.schedule<&Desk::close>(seconds(1), 4);
  EXPECT_NE(one.hash(), other.hash());
  EXPECT_EQ(places.hash(), more.hash());
}

/// Returns the message of a restart from a file by a model with class P.
template <class P>
std::string messageOf(const std::filesystem::path& file) {
  Mass mass = makeMass(1, 2);
  const auto places = desks<P>(mass);
  try {
    mass.restoreCheckpoint(file, "test");
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "";
}

/// Writes a copy of a checkpoint with other contents: its header, its first event, or the counts of
/// its first place.
void change(
    const std::filesystem::path& from, const std::filesystem::path& to,
    const std::function<void(CheckpointHeader&)>& header,
    const std::function<void(ScheduledEvent&)>& first,
    const std::function<void(PlaceCounts&)>& counts = [](PlaceCounts& /*counts*/) {}) {
  const CheckpointReader reader(from);
  CheckpointHeader changed = reader.header();
  header(changed);
  CheckpointWriter writer(to, changed);
  for (const ArrayInfo& array : reader.arrays()) {
    std::vector<char> rows(array.shape[0] * array.rowBytes());
    reader.rows(array.name, 0, array.shape[0], rows.data());
    if (array.name == "Desk.schedule.events") {
      ScheduledEvent event;
      std::memcpy(&event, rows.data(), sizeof(event));
      first(event);
      std::memcpy(rows.data(), &event, sizeof(event));
    }
    if (array.name == "Desk.schedule.counts") {
      PlaceCounts ofPlace;
      std::memcpy(&ofPlace, rows.data(), sizeof(ofPlace));
      counts(ofPlace);
      std::memcpy(rows.data(), &ofPlace, sizeof(ofPlace));
    }
    writer.begin(array);
    writer.rows(0, array.shape[0], rows.data());
    writer.end(reader.hash(array.name));
  }
  writer.commit();
}

TEST(ScheduledCheckpoints, FilesThatDoNotFitAreOneMessage) {
  const TemporaryFolder folder;
  Mass mass = makeMass(1, 2), others = makeMass(1, 2), plain = makeMass(1, 2);
  const auto places = desks<Desk>(mass);
  desks<OtherDesk>(others);
  desks<Shelf>(plain);
  places.schedule<&Desk::close>(seconds(1), 3);
  const auto file = folder / "a.h5", bad = folder / "bad.h5";
  mass.saveCheckpoint(file, "test");
  EXPECT_EQ(messageOf<Desk>(file), "");
  EXPECT_PRED2(contains, messageOf<OtherDesk>(file), "rules arrive, close, fail; this model has");
  EXPECT_PRED2(contains, messageOf<Shelf>(file), "another version of the model");
  others.saveCheckpoint(file, "test");
  EXPECT_PRED2(contains, messageOf<Desk>(file), "with the rules close; this model has arrive");
  plain.saveCheckpoint(file, "test");
  EXPECT_PRED2(contains, messageOf<Desk>(file), "has no 'Desk.schedule.rules'");

  mass.saveCheckpoint(file, "test");
  const auto none = [](auto& /*anything*/) {};
  const auto expectEvent = [&](const std::function<void(ScheduledEvent&)>& first,
                               const std::string& part) {
    change(file, bad, none, first);
    EXPECT_PRED2(contains, messageOf<Desk>(bad), part);
  };
  expectEvent(none, "");
  expectEvent([](ScheduledEvent& event) { event.place = 5; }, "place 5 of 5");
  expectEvent([](ScheduledEvent& event) { event.rule = 3; }, "rule 3 of 3");
  expectEvent([](ScheduledEvent& event) { event.time = -1; }, "is at -1 s, after 0 s");
  expectEvent([](ScheduledEvent& event) { event.time = std::nan(""); }, "nan");
  change(
      file, bad, [](CheckpointHeader& header) { header.numbers["Desk.schedule.now"] = -2; }, none);
  EXPECT_PRED2(contains, messageOf<Desk>(bad), "are at -2 s");
  change(
      file, bad, [](CheckpointHeader& header) { header.counters["Desk.schedule.pending"] = 2; },
      none);
  EXPECT_PRED2(contains, messageOf<Desk>(bad), "Desk.schedule.events");
  change(
      file, bad, [](CheckpointHeader& header) { header.numbers.clear(); }, none);
  EXPECT_PRED2(contains, messageOf<Desk>(bad), "no 'Desk.schedule.now'");
}

// Numbers of events have 32 bits.
TEST(ScheduledCheckpoints, APlaceThatHasScheduledAllNumbersIsNamed) {
  const TemporaryFolder folder;
  Mass mass = makeMass(1, 1);
  const auto places = desks<Desk>(mass);
  places.schedule<&Desk::arrive>(seconds(1), 0, Desk::Customer{}, std::int8_t{2});
  mass.saveCheckpoint(folder / "a.h5", "test");
  const auto none = [](auto& /*anything*/) {};
  change(folder / "a.h5", folder / "b.h5", none, none,
         [](PlaceCounts& counts) { counts.scheduled = ScheduledEvent::none; });
  mass.restoreCheckpoint(folder / "b.h5", "test");
  try {
    places.runEvents(seconds(2));
    ADD_FAILURE() << "no error";
  } catch (const UsageError& error) {
    EXPECT_PRED2(contains, std::string(error.what()),
                 "place (0), at 1 s: the rule 'arrive' is scheduled after 4294967295 events");
  }
  change(
      folder / "a.h5", folder / "b.h5",
      [](CheckpointHeader& header) {
        header.counters["Desk.schedule.scheduled"] = ScheduledEvent::none;
      },
      none);
  mass.restoreCheckpoint(folder / "b.h5", "test");
  EXPECT_THROW(places.schedule<&Desk::close>(seconds(1), 0), UsageError);
}

TEST(ScheduledCheckpoints, AFailedRunIsNotWrittenAndCanBeRestored) {
  const TemporaryFolder folder;
  Mass mass = makeMass(1, 2);
  const auto places = desks<Desk>(mass);
  places.schedule<&Desk::close>(seconds(1), 3);
  mass.saveCheckpoint(folder / "a.h5", "test");
  places.schedule<&Desk::fail>(seconds(0.5), 3);
  EXPECT_THROW(places.runEvents(seconds(2)), UsageError);
  EXPECT_THROW(mass.saveCheckpoint(folder / "b.h5", "test"), UsageError);
  mass.restoreCheckpoint(folder / "a.h5", "test");
  places.runEvents(seconds(2));
  EXPECT_EQ(places.download<&Desk::sum>(), (std::vector<std::int64_t>{0, 0, 0, -1, 0}));
}

}  // namespace
