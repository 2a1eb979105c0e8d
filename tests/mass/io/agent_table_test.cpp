#include <mass/io/agent_table.hpp>

#include <mass/io/hdf5.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../../support/temporary_folder.hpp"

namespace mass {
namespace {

using testing::contains;
using testing::messageOf;
using testing::readBytes;
using testing::TemporaryFolder;
using testing::writeBytes;
namespace fs = std::filesystem;

const std::vector<detail::FieldArray> columns{{"id", detail::ElementType::uint64},
                                              {"at", detail::ElementType::float32, 2},
                                              {"alive", detail::ElementType::boolean}};

/// Rows of a step; their number is step modulo 4.
struct Sample {
  std::vector<std::uint64_t> ids;
  std::vector<float> at;
  std::vector<std::uint8_t> alive;

  explicit Sample(std::int64_t step) {
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(step % 4); ++i) {
      ids.push_back(100 * static_cast<std::uint64_t>(step) + i);
      at.insert(at.end(), {static_cast<float>(step), 0.1F * static_cast<float>(i)});
      alive.push_back(i % 2);
    }
  }
  std::vector<detail::FieldArray> arrays() const {
    auto filled = columns;
    filled[0].data = ids.data();
    filled[1].data = at.data();
    filled[2].data = alive.data();
    return filled;
  }
};

void addStep(detail::AgentTable& table, std::int64_t step) {
  const Sample sample(step);
  table.add(step, sample.ids.size(), sample.arrays());
}

void addSteps(detail::AgentTable& table, std::int64_t first, std::int64_t last) {
  for (std::int64_t step = first; step <= last; ++step) addStep(table, step);
}

template <class T>
std::vector<T> column(hid_t file, const std::string& name, hid_t type, hsize_t components = 1) {
  const detail::hdf5::Id set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2");
  const auto shape = detail::hdf5::shapeOf(set);
  EXPECT_EQ(shape.size(), components == 1 ? 1U : 2U);
  std::vector<T> values(shape.front() * components);
  detail::hdf5::readDataset(file, name, type, values.size(), values.data());
  return values;
}

/// Expects an HDF5 table with the rows of the given steps.
void expectRows(const fs::path& path, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> steps;
  std::vector<std::uint64_t> ids;
  std::vector<float> at;
  std::vector<int> alive;
  for (std::int64_t step = first; step <= last; ++step) {
    const Sample sample(step);
    steps.insert(steps.end(), sample.ids.size(), step);
    ids.insert(ids.end(), sample.ids.begin(), sample.ids.end());
    at.insert(at.end(), sample.at.begin(), sample.at.end());
    alive.insert(alive.end(), sample.alive.begin(), sample.alive.end());
  }
  const detail::hdf5::Id file = detail::hdf5::openFile(path);
  EXPECT_EQ(column<std::int64_t>(file, "step", H5T_NATIVE_INT64), steps);
  EXPECT_EQ(column<std::uint64_t>(file, "id", H5T_NATIVE_UINT64), ids);
  EXPECT_EQ(column<float>(file, "at", H5T_NATIVE_FLOAT, 2), at);
  EXPECT_EQ(column<int>(file, "alive", H5T_NATIVE_INT), alive);
}

std::string csvOf(std::int64_t last) {
  const TemporaryFolder folder;
  const auto table = detail::AgentTable::open(folder / "a.csv", columns);
  addSteps(*table, 0, last);
  table->finish();
  return readBytes(folder / "a.csv");
}

TEST(AgentTable, AsCsvHasARowAnAgent) {
  EXPECT_EQ(csvOf(2), "step,id,at.0,at.1,alive\n1,100,1,0,0\n2,200,2,0,0\n2,201,2,0.1,1\n");
}

TEST(AgentTable, NumbersOfEveryTypeReadBackToTheSame) {
  const TemporaryFolder folder;
  const std::int8_t small = -128;
  const std::uint8_t byte = 65;
  const std::uint64_t large = 18446744073709551615U;
  const double third = 1.0 / 3;
  const std::vector<detail::FieldArray> each{{"small", detail::ElementType::int8, 1, &small},
                                             {"byte", detail::ElementType::uint8, 1, &byte},
                                             {"large", detail::ElementType::uint64, 1, &large},
                                             {"third", detail::ElementType::float64, 1, &third}};
  const auto table = detail::AgentTable::open(folder / "a.csv", each);
  table->add(0, 1, each);
  EXPECT_EQ(readBytes(folder / "a.csv.partial"),
            "step,small,byte,large,third\n0,-128,65,18446744073709551615,0.3333333333333333\n");
}

TEST(AgentTable, AsHdf5HasAnArrayAColumn) {
  const TemporaryFolder folder;
  const auto table = detail::AgentTable::open(folder / "a.h5", columns);
  addSteps(*table, 0, 6);
  table->flush();
  expectRows(folder / "a.h5", 0, 6);
  addSteps(*table, 7, 9);
  expectRows(folder / "a.h5", 0, 6);
  table->finish();
  expectRows(folder / "a.h5", 0, 9);
  expectRows(folder / "a" / "000000000009.h5", 7, 9);  // alone
  const detail::hdf5::Id file = detail::hdf5::openFile(folder / "a.h5");
  EXPECT_EQ(detail::hdf5::memberNames(file),
            (std::vector<std::string>{"step", "id", "at", "alive"}));
}

TEST(AgentTable, MayBeMovedWithItsFolder) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "here");
  const auto table = detail::AgentTable::open(folder / "here" / "a.h5", columns);
  addSteps(*table, 0, 6);
  table->finish();
  fs::rename(folder / "here", folder / "there");
  expectRows(folder / "there" / "a.h5", 0, 6);
}

TEST(AgentTable, OfNoRowsAtAllIsWhole) {
  const TemporaryFolder folder;
  for (const std::string name : {"a.csv", "a.h5"}) {
    const auto table = detail::AgentTable::open(folder / name, columns);
    addStep(*table, 0);
    addStep(*table, 4);
    table->finish();
  }
  EXPECT_EQ(readBytes(folder / "a.csv"), "step,id,at.0,at.1,alive\n");
  expectRows(folder / "a.h5", 0, 0);
}

TEST(AgentTable, GoesOnFromAnyStepWithTheSameContents) {
  for (const std::string name : {"a.csv", "a.h5"}) {
    for (const std::int64_t last : {-1, 0, 1, 6, 8}) {
      for (const bool finished : {false, true}) {
        const TemporaryFolder folder;
        {
          const auto table = detail::AgentTable::open(folder / name, columns);
          addSteps(*table, 0, last);
          table->flush();
          addSteps(*table, last + 1, 8);
          if (finished) table->finish();
        }
        const auto table =
            detail::AgentTable::open(folder / name, columns, detail::AgentTable::Resumed{last, -1});
        addSteps(*table, last + 1, 13);
        table->finish();
        if (name == "a.csv") {
          EXPECT_EQ(readBytes(folder / name), csvOf(13));
        } else {
          expectRows(folder / name, 0, 13);
        }
      }
    }
  }
}

TEST(AgentTable, BeginsAnewWhereThereIsNothingToGoOnFrom) {
  const TemporaryFolder folder;
  for (const std::string name : {"a.csv", "a.h5"}) {
    const auto table =
        detail::AgentTable::open(folder / name, columns, detail::AgentTable::Resumed{5, 5});
    addStep(*table, 6);
    EXPECT_EQ(table->lastRow(), 6);
    table->finish();
  }
  expectRows(folder / "a.h5", 6, 6);
}

TEST(AgentTable, DoesNotKeepALargeHdf5TableInMemory) {
  const TemporaryFolder folder;
  constexpr std::size_t rows = 1 << 20;
  const std::vector<double> values(rows);
  const std::vector<detail::FieldArray> column{
      {"value", detail::ElementType::float64, 1, values.data()}};
  const auto table = detail::AgentTable::open(folder / "a.h5", column);
  for (std::int64_t step = 0; step < 5; ++step) table->add(step, rows, column);
  EXPECT_TRUE(fs::exists(folder / "a" / "000000000004.h5"));
}

TEST(AgentTable, ANewOneForgetsAnOldOne) {
  const TemporaryFolder folder;
  for (const std::string name : {"a.csv", "a.h5"}) {
    {
      const auto table = detail::AgentTable::open(folder / name, columns);
      addSteps(*table, 0, 8);
      table->finish();
    }
    const auto table = detail::AgentTable::open(folder / name, columns);
    addSteps(*table, 0, 3);
    table->finish();
  }
  EXPECT_EQ(readBytes(folder / "a.csv"), csvOf(3));
  expectRows(folder / "a.h5", 0, 3);
}

TEST(AgentTable, OfADescribedRunKeepsFilesOfOthers) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "t");
  writeBytes(folder / "t/000000000007.h5", "mine");
  const auto table = detail::AgentTable::open(folder / "t.h5", columns, {}, "text of the run");
  addStep(*table, 2);
  table->finish();
  EXPECT_EQ(table->files(), (std::vector<fs::path>{folder / "t/000000000002.h5", folder / "t.h5"}));
  for (const fs::path& file : table->files())
    EXPECT_TRUE(contains(readBytes(file), "text of the run")) << file;
  EXPECT_EQ(readBytes(folder / "t/000000000007.h5"), "mine");
}

TEST(AgentTable, RefusesWhatIsNotOfTheRun) {
  const TemporaryFolder folder;
  for (const std::string name : {"a.csv", "a.h5"}) {
    const auto table = detail::AgentTable::open(folder / name, columns);
    addSteps(*table, 0, 3);
    table->finish();
    const auto message = messageOf<OutputError>([&] {
      detail::AgentTable::open(folder / name, columns, detail::AgentTable::Resumed{9, 7});
    });
    EXPECT_TRUE(contains(message, (folder / name).string()));
    EXPECT_TRUE(contains(message, "no row of step 7, so another run wrote it"));
  }
  writeBytes(folder / "b.csv", "step,id\n");
  EXPECT_TRUE(contains(messageOf<OutputError>([&] {
                         detail::AgentTable::open(folder / "b.csv", columns,
                                                  detail::AgentTable::Resumed{});
                       }),
                       "its columns are 'step,id'"));
  writeBytes(folder / "c.csv", "step,id,at.0,at.1,alive\n3,1,1,1,1\n2,1,1,1,1\n");
  EXPECT_TRUE(contains(
      messageOf<OutputError>([&] {
        detail::AgentTable::open(folder / "c.csv", columns, detail::AgentTable::Resumed{5, -1});
      }),
      "line 3"));
}

TEST(AgentTable, ComparesEarlierFilesWithTheList) {
  const TemporaryFolder folder;
  std::string list;
  {
    const auto table = detail::AgentTable::open(folder / "a.h5", columns);
    addSteps(*table, 0, 3);
    table->flush();
    addSteps(*table, 4, 6);
    table->finish();
    list = table->list();
  }
  const auto resume = [&] {
    return detail::AgentTable::open(folder / "a.h5", columns,
                                    detail::AgentTable::Resumed{6, 6, list});
  };
  EXPECT_EQ(resume()->note(), "");
  const fs::path file = folder / "a/000000000003.h5";
  const std::string whole = readBytes(file);
  writeBytes(file, whole.substr(0, whole.size() / 2));
  EXPECT_TRUE(contains(messageOf<OutputError>(resume), file.string() + "': its bytes are not"));
  fs::remove(file);
  EXPECT_TRUE(contains(resume()->note(), "missing and left out: 000000000003.h5"));
}

TEST(AgentTable, RefusesColumnsThatCannotBe) {
  const TemporaryFolder folder;
  for (const std::string name : {"a.csv", "a.h5"}) {
    for (const std::string twice : {"id", "step"}) {
      auto more = columns;
      more.push_back({twice, detail::ElementType::int32});
      EXPECT_TRUE(
          contains(messageOf<UsageError>([&] { detail::AgentTable::open(folder / name, more); }),
                   "two columns named '" + twice + "'"));
    }
    const auto table = detail::AgentTable::open(folder / name, columns);
    addStep(*table, 3);
    EXPECT_THROW(addStep(*table, 3), UsageError);
  }
}

TEST(AgentTable, CanBeResumedAfterAKillAtAnyMoment) {
  for (const std::string name : {"a.csv", "a.h5"}) {
    const TemporaryFolder folder;
    std::mt19937 random(5);
    std::int64_t kept = -1;
    std::int64_t flushed = -1;
    for (int round = 0; round < 8; ++round) {
      const fs::path note = folder / "note";
      fs::remove(note);
      const pid_t child = ::fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const auto table = detail::AgentTable::open(folder / name, columns,
                                                    detail::AgentTable::Resumed{kept, flushed});
        for (std::int64_t step = kept + 1;; ++step) {
          addStep(*table, step);
          if (step % 5 != 0) continue;
          table->flush();
          std::ofstream(folder / "next") << step << ' ' << table->lastRow();
          fs::rename(folder / "next", note);
        }
      }
      for (int wait = 0; wait < 10000 && !fs::exists(note); ++wait) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      std::ifstream(note) >> kept >> flushed;
    }
    const auto table = detail::AgentTable::open(folder / name, columns,
                                                detail::AgentTable::Resumed{kept, flushed});
    addSteps(*table, kept + 1, kept + 4);
    table->finish();
    EXPECT_GT(kept, 20);
    if (name == "a.csv") {
      EXPECT_EQ(readBytes(folder / name), csvOf(kept + 4));
    } else {
      expectRows(folder / name, 0, kept + 4);
    }
  }
}

}  // namespace
}  // namespace mass
