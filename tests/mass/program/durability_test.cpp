// Order of the calls that flush files to the disk. They are replaced by functions that record them.
#include <mass/io/agent_table.hpp>
#include <mass/io/atomic_file.hpp>
#include <mass/io/checkpoint_file.hpp>
#include <mass/io/field_series.hpp>
#include <mass/io/table.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;
namespace detail = mass::detail;
using mass::testing::contains;
using mass::testing::messageOf;
using mass::testing::readBytes;
using mass::testing::TemporaryFolder;
using mass::testing::writeBytes;
using Calls = std::vector<std::string>;

/// Calls of a test, with paths relative to its folder.
struct Recorder {
  fs::path folder;
  Calls calls;
  std::map<std::string, std::string> flushed;  ///< contents of a file when it was flushed last
  int error = 0;                               ///< errno that flushing gives

  std::string name(const fs::path& path) const {
    return fs::weakly_canonical(path).lexically_relative(folder).string();
  }
};
Recorder* recorder = nullptr;  // global, since the replaced functions have no other state

std::string pathOf(int descriptor) {
  return fs::read_symlink(fmt::format("/proc/self/fd/{}", descriptor)).string();
}

int recordFlush(std::string_view call, int descriptor) {
  if (recorder == nullptr) return 0;
  const std::string path = pathOf(descriptor);
  const std::string name = recorder->name(path);
  recorder->calls.push_back(fmt::format("{} {}", call, name));
  if (fs::is_regular_file(path)) recorder->flushed[name] = readBytes(path);
  errno = recorder->error;
  return recorder->error == 0 ? 0 : -1;
}

}  // namespace

extern "C" int fsync(int descriptor) {
  return recordFlush("flush", descriptor);
}

extern "C" int syncfs(int descriptor) noexcept {
  return recordFlush("flush disk of", descriptor);
}

extern "C" int rename(const char* from, const char* to) noexcept {
  if (recorder != nullptr)
    recorder->calls.push_back(
        fmt::format("rename {} {}", recorder->name(from), recorder->name(to)));
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

namespace {

class Durability : public ::testing::Test {
 protected:
  Durability() {
    recording.folder = fs::canonical(folder.path());
    recorder = &recording;
  }
  ~Durability() override { recorder = nullptr; }

  /// Returns the calls since the last take().
  Calls take() { return std::exchange(recording.calls, {}); }

  /// Expects that the file was complete when it was flushed, under its temporary name.
  void expectFlushed(const std::string& name) {
    EXPECT_EQ(recording.flushed[name + ".partial"], readBytes(folder / name)) << name;
  }

  TemporaryFolder folder;
  Recorder recording;
};

Calls durable(const std::string& name) {
  return {fmt::format("flush {0}.partial", name), fmt::format("rename {0}.partial {0}", name),
          "flush ."};
}

TEST_F(Durability, OfAFileIsThatOfItsBytesThenOfItsName) {
  detail::writeAtomically(folder / "a", "some bytes");
  EXPECT_EQ(take(), durable("a"));
  expectFlushed("a");
  detail::publishAtomically(folder / "b", "bytes");
  EXPECT_EQ(take(), (Calls{"rename b.partial b"}));
  detail::synchronizeFolder(folder.path());
  EXPECT_EQ(take(), (Calls{"flush disk of ."}));
}

TEST_F(Durability, AFailureIsAnError) {
  writeBytes(folder / "a", "old");
  recording.error = EIO;
  EXPECT_TRUE(
      contains(messageOf<mass::OutputError>([&] { detail::writeAtomically(folder / "a", "new"); }),
               "Input/output error"));
  EXPECT_EQ(folder.names(), std::set<std::string>{"a"});
  EXPECT_EQ(readBytes(folder / "a"), "old");
  EXPECT_THROW(detail::synchronizeFolder(folder.path()), mass::OutputError);
  // Some file systems cannot flush a folder.
  for (const int harmless : {EINVAL, EROFS}) {
    recording.error = harmless;
    EXPECT_NO_THROW(detail::writeAtomically(folder / "a", "new"));
  }
}

TEST_F(Durability, OfACheckpointIsThatOfAFile) {
  detail::CheckpointWriter writer(folder / "c.h5", {"model", "", {}, {}, {}});
  writer.begin({"a", detail::ElementType::uint8, 1, {3}});
  writer.rows(0, 3, "abc");
  writer.end(1);
  EXPECT_EQ(take(), Calls{});
  writer.commit();
  EXPECT_EQ(take(), durable("c.h5"));
  expectFlushed("c.h5");
}

TEST_F(Durability, OfATableIsAskedForByFlush) {
  detail::Table table(folder / "t.csv", {"a"});
  EXPECT_EQ(take(), durable("t.csv.partial"));
  const double value = 2.5;
  table.add(1, {&value, 1});
  EXPECT_EQ(take(), Calls{});
  table.flush();
  EXPECT_EQ(take(), (Calls{"flush t.csv.partial"}));
  EXPECT_TRUE(contains(recording.flushed["t.csv.partial"], "1,2.5"));
  recording.error = EIO;
  EXPECT_THROW(table.flush(), mass::OutputError);
  recording.error = 0;
  table.add(2, {&value, 1});
  (void)take();
  table.finish();
  EXPECT_EQ(take(), durable("t.csv"));
  expectFlushed("t.csv");
}

TEST_F(Durability, OfATableOfAgentsIsAskedForByFlush) {
  const std::vector<detail::FieldArray> columns{{"id", detail::ElementType::uint64}};
  const auto table = detail::AgentTable::open(folder / "t.csv", columns);
  (void)take();
  const std::uint64_t id = 7;
  const detail::FieldArray column{"id", detail::ElementType::uint64, 1, &id};
  table->add(1, 1, {&column, 1});
  EXPECT_EQ(take(), Calls{});
  table->flush();
  EXPECT_EQ(take(), (Calls{"flush t.csv.partial"}));
  EXPECT_TRUE(contains(recording.flushed["t.csv.partial"], "1,7"));
  table->finish();
  EXPECT_EQ(take(), durable("t.csv"));
}

TEST_F(Durability, OfFramesIsLeftToTheRun) {
  detail::FieldSeries series(folder.path(), "heat", {{2}, {1}, {0}});
  const double values[2] = {1, 2};
  const detail::FieldArray array{"heat", detail::ElementType::float64, 1, values};
  series.add(0, 0, {&array, 1});
  EXPECT_EQ(take(), (Calls{"rename heat/000000000000.vtkhdf.partial heat/000000000000.vtkhdf",
                           "rename heat.vtkhdf.partial heat.vtkhdf"}));
}

class Ground : public mass::Place<2> {
 public:
  float heat = 1;
  using Attributes = mass::Attributes<&Ground::heat>;
  MASS_FN void cool(const mass::Neighborhood<Ground>&) { heat /= 2; }
};
class Ant : public mass::Agent<Ground> {
 public:
  int age = 0;
  using Attributes = mass::Attributes<&Ant::age>;
  MASS_FN void live(mass::Intent<Ant>& intent) {
    ++age;
    intent.move({1, 0});
  }
};

/// Runs 12 steps with all kinds of output and a checkpoint every 5 steps.
void runAnts(const fs::path& folder, const std::string& format) {
  mass::Settings settings;
  mass::testing::setDevices(settings, 1);
  for (const std::string& assignment :
       {"output.folder=" + folder.string(), std::string("steps=12"),
        std::string("output.table_every=1"), std::string("output.frame_every=2"),
        std::string("output.data_every=3"), std::string("output.agents_every=1"),
        "output.agents_format=" + format, std::string("checkpoint.every=5")})
    settings.set(assignment);
  mass::Mass mass(settings);
  const auto ground = mass.createPlaces<Ground>({4, 4});
  const auto ants = mass.createAgents<Ant>(ground, 3, "ants");
  mass::Simulation run(mass, "run");
  run.observe("sum", [=] { return ground.reduce<&Ground::heat>(mass::sum); });
  run.picture<&Ground::heat>(ground, 0, 1);
  run.data<&Ground::heat>(ground);
  run.agentTable<&Ant::age>(ants);
  run.advance([=](mass::Steps steps) {
    for (std::int64_t step = 0; step < steps.count; ++step) {
      ground.callAll<&Ground::cool>();
      ants.callAll<&Ant::live>();
      ants.manageAll();
    }
  });
  ::testing::internal::CaptureStdout();
  const int code = run.run();
  ::testing::internal::GetCapturedStdout();
  ASSERT_EQ(code, 0);
}

/// True if `call` gives a file of results its name without flushing it.
bool isPublished(const std::string& call) {
  const auto isNamed = [&](std::string_view end) { return call.ends_with(end); };
  return call.starts_with("rename ") && !isNamed("checkpoint.h5") && !isNamed("run.json") &&
         !isNamed(".csv") && !isNamed(".csv.partial");
}

TEST_F(Durability, OfACheckpointFollowsThatOfAllThatItContinues) {
  for (const std::string format : {"csv", "hdf5"}) {
    runAnts(folder / format, format);
    const Calls calls = take();
    Calls unflushed{"the table"};
    if (format == "csv") unflushed.emplace_back("the table of agents");
    int checkpoints = 0;
    const Calls tables = unflushed;
    for (const std::string& call : calls) {
      if (isPublished(call)) unflushed.push_back(call);
      if (call == "flush disk of " + format)
        std::erase_if(unflushed, [](const auto& item) { return item.starts_with("rename "); });
      if (call == "flush " + format + "/run.csv.partial") std::erase(unflushed, "the table");
      if (call == "flush " + format + "/ants.csv.partial")
        std::erase(unflushed, "the table of agents");
      if (!call.starts_with("rename " + format + "/checkpoint.h5")) continue;
      EXPECT_EQ(unflushed, Calls{}) << format;
      unflushed = tables;
      ++checkpoints;
    }
    EXPECT_EQ(checkpoints, 2);
    // The record of the finished run follows, too.
    EXPECT_EQ(std::count_if(unflushed.begin(), unflushed.end(), isPublished), 0) << format;
    EXPECT_EQ(calls.back(), "flush " + format);
    ASSERT_GE(calls.size(), 2U);
    EXPECT_EQ(calls[calls.size() - 2],
              fmt::format("rename {0}/run.json.partial {0}/run.json", format));
  }
}

}  // namespace
