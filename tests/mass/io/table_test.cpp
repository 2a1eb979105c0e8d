#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mass/io/table.hpp>
#include <mass/support/error.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "../../support/temporary_folder.hpp"

namespace mass {
namespace {

using testing::contains;
using testing::messageOf;
using testing::readBytes;
using testing::TemporaryFolder;
using testing::writeBytes;
using Names = std::set<std::string>;

const std::vector<std::string> columns{"population", "mean"};

void addSteps(detail::Table& table, std::int64_t first, std::int64_t last) {
  for (std::int64_t step = first; step <= last; ++step) {
    const std::vector<double> values{static_cast<double>(step * 10),
                                     std::sqrt(static_cast<double>(step))};
    table.add(step, values);
  }
}

std::string bytesOfARun(std::int64_t last) {
  TemporaryFolder folder;
  detail::Table table(folder / "t.csv", columns);
  addSteps(table, 0, last);
  table.finish();
  return readBytes(folder / "t.csv");
}

TEST(Table, AppearsWithFinish) {
  TemporaryFolder folder;
  detail::Table table(folder / "t.csv", columns);
  EXPECT_EQ(folder.names(), Names{"t.csv.partial"});
  table.add(0, std::vector<double>{116, 0.5});
  table.add(10, std::vector<double>{117, -2});
  table.finish();
  EXPECT_EQ(folder.names(), Names{"t.csv"});
  EXPECT_EQ(readBytes(folder / "t.csv"), "step,population,mean\n0,116,0.5\n10,117,-2\n");
}

TEST(Table, ShowsEveryRowAtOnce) {
  TemporaryFolder folder;
  detail::Table table(folder / "t.csv", {"x"});
  EXPECT_EQ(readBytes(folder / "t.csv.partial"), "step,x\n");
  table.add(1, std::vector<double>{2});
  EXPECT_EQ(readBytes(folder / "t.csv.partial"), "step,x\n1,2\n");
  table.flush();
  EXPECT_EQ(readBytes(folder / "t.csv.partial"), "step,x\n1,2\n");
}

TEST(Table, NumbersAreShortAndReadBackToTheSame) {
  TemporaryFolder folder;
  detail::Table table(folder / "t.csv", {"x"});
  const std::vector<double> numbers{0.1,
                                    1e-300,
                                    1.0 / 3,
                                    4503599627370497.0,
                                    std::numeric_limits<double>::max(),
                                    std::numeric_limits<double>::denorm_min()};
  std::int64_t step = 0;
  for (const double number : numbers) table.add(step++, std::vector<double>{number});
  std::ifstream rows(folder / "t.csv.partial");
  std::string line;
  std::getline(rows, line);
  for (const double number : numbers) {
    ASSERT_TRUE(std::getline(rows, line));
    EXPECT_EQ(std::strtod(line.c_str() + 2, nullptr), number);
  }
  EXPECT_TRUE(contains(readBytes(folder / "t.csv.partial"), "\n0,0.1\n"));
  EXPECT_TRUE(contains(readBytes(folder / "t.csv.partial"), "\n3,4503599627370497\n"));
}

TEST(Table, NotANumberAndInfinityAreWords) {
  TemporaryFolder folder;
  detail::Table table(folder / "t.csv", columns);
  table.add(0, std::vector<double>{std::nan(""), -std::numeric_limits<double>::infinity()});
  EXPECT_TRUE(contains(readBytes(folder / "t.csv.partial"), "\n0,nan,-inf\n"));
}

TEST(Table, AnUnfinishedTableStaysPartialAndTheOldOneStays) {
  TemporaryFolder folder;
  writeBytes(folder / "t.csv", "old");
  {
    detail::Table table(folder / "t.csv", columns);
    addSteps(table, 0, 3);
  }
  EXPECT_EQ(folder.names(), (Names{"t.csv", "t.csv.partial"}));
  EXPECT_EQ(readBytes(folder / "t.csv"), "old");
}

TEST(Table, ANewTableForgetsAnEarlierPartialOne) {
  TemporaryFolder folder;
  { detail::Table(folder / "t.csv", {"other"}).add(0, std::vector<double>{1}); }
  detail::Table table(folder / "t.csv", columns);
  table.finish();
  EXPECT_EQ(readBytes(folder / "t.csv"), "step,population,mean\n");
}

TEST(Table, RefusesWhatIsNoRow) {
  TemporaryFolder folder;
  detail::Table table(folder / "t.csv", columns);
  const std::vector<double> values{1, 2};
  EXPECT_THROW(table.add(0, std::vector<double>{1}), UsageError);
  EXPECT_THROW(table.add(0, std::vector<double>{1, 2, 3}), UsageError);
  table.add(5, values);
  EXPECT_THROW(table.add(5, values), UsageError);
  EXPECT_THROW(table.add(4, values), UsageError);
  table.finish();
  EXPECT_THROW(table.add(6, values), UsageError);
  table.finish();  // without effect
  EXPECT_EQ(readBytes(folder / "t.csv"), "step,population,mean\n5,1,2\n");
  for (const std::string name : {"", "a,b", "a\"b", "a\nb"}) {
    EXPECT_THROW(detail::Table(folder / "u.csv", {name}), UsageError) << name;
  }
}

TEST(Table, AnUnwritableFolderIsNamed) {
  TemporaryFolder folder;
  const auto path = folder / "missing/t.csv";
  const std::string message = messageOf<OutputError>([&] { detail::Table(path, columns); });
  EXPECT_TRUE(contains(message, path.string()));
  EXPECT_TRUE(contains(message, "No such file"));
}

TEST(Table, ARowThatCannotBeWrittenLeavesNoPartBehind) {
  TemporaryFolder folder;
  detail::Table table(folder / "t.csv", {"x"});
  table.add(1, std::vector<double>{1});
  const std::string before = readBytes(folder / "t.csv.partial");
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  auto* const oldHandler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{before.size() + 3, old.rlim_max};  // space for half a row
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const std::string message =
      messageOf<OutputError>([&] { table.add(2, std::vector<double>{1.0 / 3}); });
  ::setrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, oldHandler);
  EXPECT_TRUE(contains(message, (folder / "t.csv.partial").string()));
  EXPECT_EQ(readBytes(folder / "t.csv.partial"), before);
  table.add(2, std::vector<double>{2});  // when the disk has space again
  table.finish();
  EXPECT_EQ(readBytes(folder / "t.csv"), "step,x\n1,1\n2,2\n");
}

class Resume : public ::testing::Test {
 protected:
  /// Continues after `lastStep` to step 20. Returns true if the file is that of an uninterrupted
  /// run.
  void expectSameBytes(std::int64_t lastStep) {
    detail::Table table = detail::Table::resume(folder_ / "t.csv", columns, lastStep);
    addSteps(table, lastStep + 1, 20);
    table.finish();
    EXPECT_EQ(readBytes(folder_ / "t.csv"), expected_) << lastStep;
    EXPECT_EQ(folder_.names(), Names{"t.csv"});
  }

  TemporaryFolder folder_;
  const std::string expected_ = bytesOfARun(20);
};

TEST_F(Resume, FromAPartialTableDropsLaterRows) {
  for (const std::int64_t lastStep : {-1, 0, 7, 12}) {
    {
      detail::Table table(folder_ / "t.csv", columns);
      addSteps(table, 0, 12);
    }
    expectSameBytes(lastStep);
  }
}

TEST_F(Resume, FromAFinishedTable) {
  for (const std::int64_t lastStep : {-1, 0, 7, 15}) {
    {
      detail::Table table(folder_ / "t.csv", columns);
      addSteps(table, 0, 15);
      table.finish();
    }
    expectSameBytes(lastStep);
  }
}

TEST_F(Resume, PrefersThePartialTableWhichIsNewer) {
  writeBytes(folder_ / "t.csv", "step,population,mean\n0,77,77\n1,77,77\n");
  {
    detail::Table table(folder_ / "t.csv", columns);
    addSteps(table, 0, 5);
  }
  expectSameBytes(3);
}

TEST_F(Resume, DropsALineThatWasTornAnywhere) {
  const std::string whole = bytesOfARun(5);
  const std::size_t wanted = bytesOfARun(3).size();
  for (std::size_t length = wanted; length <= whole.size(); ++length) {
    writeBytes(folder_ / "t.csv.partial", whole.substr(0, length));
    expectSameBytes(3);
  }
}

TEST_F(Resume, BeginsANewTableWhereThereIsNone) {
  expectSameBytes(-1);
  std::filesystem::remove(folder_ / "t.csv");
  const std::string header = "step,population,mean\n";
  for (std::size_t length = 0; length <= header.size();
       ++length) {  // killed while writing the header
    writeBytes(folder_ / "t.csv.partial", header.substr(0, length));
    expectSameBytes(-1);
  }
}

TEST_F(Resume, KeepsTheOrderOfSteps) {
  writeBytes(folder_ / "t.csv.partial", "step,population,mean\n3,1,1\n");
  detail::Table table = detail::Table::resume(folder_ / "t.csv", columns, 10);
  EXPECT_THROW(table.add(3, std::vector<double>{1, 1}), UsageError);
  table.add(4, std::vector<double>{1, 1});
}

TEST_F(Resume, AForeignHeaderIsAnErrorAndTheFileStays) {
  for (const std::string_view contents :
       {"step,population\n1,2\n", "step,population,mean,more\n1,2,3,4\n", "some text",
        "step,population,MEAN\n1,2,3\n", "\n"}) {
    writeBytes(folder_ / "t.csv", contents);
    const std::string message =
        messageOf<OutputError>([&] { detail::Table::resume(folder_ / "t.csv", columns, 5); });
    EXPECT_TRUE(contains(message, (folder_ / "t.csv").string()));
    EXPECT_TRUE(contains(message, "'step,population,mean'"));
    EXPECT_EQ(readBytes(folder_ / "t.csv"), contents);
    EXPECT_EQ(folder_.names(), Names{"t.csv"});
  }
}

TEST_F(Resume, ALineThatIsNoRowIsNamed) {
  const std::string header = "step,population,mean\n0,1,2\n";
  for (const std::string line : {"x,1,2\n", "1,2\n", "1,2,3,4\n", "\n", "0,1,2\n", "1x,2,3\n"}) {
    writeBytes(folder_ / "t.csv.partial", header + line + "9,1,2\n");
    const std::string message =
        messageOf<OutputError>([&] { detail::Table::resume(folder_ / "t.csv", columns, 9); });
    EXPECT_TRUE(contains(message, "line 3")) << line;
  }
}

TEST_F(Resume, ATableWithoutTheRowsThatWereFlushedIsAnErrorAndTheFileStays) {
  const std::string contents = "step,population,mean\n0,1,2\n4,1,2\n";
  writeBytes(folder_ / "t.csv", contents);
  const std::string message =
      messageOf<OutputError>([&] { detail::Table::resume(folder_ / "t.csv", columns, 9, 8); });
  EXPECT_TRUE(contains(message, "no row of step 8"));
  EXPECT_EQ(readBytes(folder_ / "t.csv"), contents);
  EXPECT_EQ(folder_.names(), Names{"t.csv"});
  detail::Table::resume(folder_ / "t.csv", columns, 7, 4).finish();
  EXPECT_EQ(readBytes(folder_ / "t.csv"), contents);
}

TEST_F(Resume, AFolderInPlaceOfTheTableIsAnError) {
  std::filesystem::create_directory(folder_ / "t.csv");
  EXPECT_THROW(detail::Table::resume(folder_ / "t.csv", columns, 5), OutputError);
}

}  // namespace
}  // namespace mass
