#include <mass/io/field_series.hpp>
#include <mass/io/hdf5.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "../../support/temporary_folder.hpp"

using mass::testing::TemporaryFolder;

namespace {

using mass::OutputError;
using mass::UsageError;
using mass::detail::ElementType;
using mass::detail::FieldArray;
using mass::detail::FieldGeometry;
using mass::detail::FieldSeries;
using mass::detail::hdf5::Id;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;
namespace hdf5 = mass::detail::hdf5;

const FieldGeometry plate{{2, 3}, {0.5, 0.25}, {10, 20}};

/// Returns 100 x step + place for every place of the plate.
std::vector<double> valuesAt(std::int64_t step) {
  std::vector<double> values(6);
  for (std::size_t i = 0; i < 6; ++i) {
    values[i] = 100.0 * static_cast<double>(step) + static_cast<double>(i);
  }
  return values;
}

void addStep(FieldSeries& series, std::int64_t step) {
  const std::vector<double> values = valuesAt(step);
  const FieldArray heat{"heat", ElementType::float64, 1, values.data()};
  series.add(step, 0.1 * static_cast<double>(step), {&heat, 1});
}

template <class T>
std::vector<T> attribute(hid_t object, const std::string& name, hid_t type, std::size_t count) {
  std::vector<T> values(count);
  hdf5::readAttribute(object, name, type, count, values.data());
  return values;
}

struct Contents {
  std::vector<double> times;
  std::vector<hsize_t> shape;
  std::vector<double> heat;
};

/// Reads the series by HDF5 alone. Expects `steps` frames.
Contents readSeries(const fs::path& path, std::size_t steps) {
  const Id file = hdf5::openFile(path);
  const Id vtk(H5Gopen2(file, "VTKHDF", H5P_DEFAULT), H5Gclose, "H5Gopen2");
  Contents contents;
  if (steps > 1) {
    const Id group(H5Gopen2(vtk, "Steps", H5P_DEFAULT), H5Gclose, "H5Gopen2");
    EXPECT_EQ(attribute<std::int64_t>(group, "NSteps", H5T_NATIVE_INT64, 1).front(),
              static_cast<std::int64_t>(steps));
    contents.times.resize(steps);
    hdf5::readDataset(group, "Values", H5T_NATIVE_DOUBLE, steps, contents.times.data());
  } else {
    EXPECT_EQ(H5Lexists(vtk, "Steps", H5P_DEFAULT), 0);
  }
  const Id set(H5Dopen2(vtk, "CellData/heat", H5P_DEFAULT), H5Dclose, "H5Dopen2");
  contents.shape = hdf5::shapeOf(set);
  contents.heat.resize(steps * 6);
  hdf5::readDataset(vtk, "CellData/heat", H5T_NATIVE_DOUBLE, steps * 6, contents.heat.data());
  return contents;
}

void expectSteps(const fs::path& path, const std::vector<std::int64_t>& steps) {
  const Contents contents = readSeries(path, steps.size());
  std::vector<double> heat, times;
  for (std::int64_t step : steps) {
    const std::vector<double> values = valuesAt(step);
    heat.insert(heat.end(), values.begin(), values.end());
    times.push_back(0.1 * static_cast<double>(step));
  }
  EXPECT_EQ(contents.heat, heat);
  if (steps.size() > 1) {
    EXPECT_EQ(contents.times, times);
  }
}

std::vector<std::string> namesIn(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::size_t openHandles() {
  return static_cast<std::size_t>(H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL));
}

template <class Wanted, class Work>
std::string messageOf(Work work) {
  try {
    work();
  } catch (const Wanted& error) {
    return error.what();
  }
  return "no error of this kind";
}

TEST(FieldSeries, IsATemporalVtkImageOfCells) {
  const TemporaryFolder folder;
  FieldSeries series(folder / "out", "heat", plate);
  EXPECT_EQ(series.path(), folder / "out" / "heat.vtkhdf");
  EXPECT_FALSE(fs::exists(folder / "out"));
  for (std::int64_t step : {0, 10, 20}) addStep(series, step);

  EXPECT_EQ(readSeries(series.path(), 3).shape, (std::vector<hsize_t>{3, 2, 3}));
  expectSteps(series.path(), {0, 10, 20});
  const Id file = hdf5::openFile(series.path());
  const Id vtk(H5Gopen2(file, "VTKHDF", H5P_DEFAULT), H5Gclose, "H5Gopen2");
  EXPECT_EQ(hdf5::readTextAttribute(vtk, "Type"), "ImageData");
  EXPECT_EQ(attribute<int>(vtk, "Version", H5T_NATIVE_INT, 2), (std::vector{2, 0}));
  EXPECT_EQ(attribute<int>(vtk, "WholeExtent", H5T_NATIVE_INT, 6), (std::vector{0, 3, 0, 2, 0, 0}));
  EXPECT_EQ(attribute<double>(vtk, "Spacing", H5T_NATIVE_DOUBLE, 3), (std::vector{0.25, 0.5, 1.0}));
  EXPECT_EQ(attribute<double>(vtk, "Origin", H5T_NATIVE_DOUBLE, 3), (std::vector{20.0, 10.0, 0.0}));
  EXPECT_EQ(attribute<double>(vtk, "Direction", H5T_NATIVE_DOUBLE, 9),
            (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(namesIn(folder / "out" / "heat"),
            (std::vector<std::string>{"000000000000.vtkhdf", "000000000010.vtkhdf",
                                      "000000000020.vtkhdf"}));
  EXPECT_EQ(namesIn(folder / "out"), (std::vector<std::string>{"heat", "heat.vtkhdf"}));
}

TEST(FieldSeries, EveryFrameCanBeOpenedAlone) {
  const TemporaryFolder folder;
  FieldSeries series(folder.path(), "heat", plate);
  for (std::int64_t step : {3, 4}) addStep(series, step);
  expectSteps(folder / "heat" / "000000000004.vtkhdf", {4});
}

TEST(FieldSeries, OneFrameIsAnImageWithoutTime) {
  const TemporaryFolder folder;
  FieldSeries series(folder.path(), "heat", plate);
  addStep(series, 7);
  EXPECT_EQ(readSeries(series.path(), 1).shape, (std::vector<hsize_t>{2, 3}));
  expectSteps(series.path(), {7});
}

TEST(FieldSeries, CanBeMovedAndReadFromAnywhere) {
  const TemporaryFolder folder;
  {
    FieldSeries series(folder / "a", "100% heat", plate);
    addStep(series, 1);
    addStep(series, 2);
  }
  fs::rename(folder / "a", folder / "b");
  expectSteps(folder / "b" / "100% heat.vtkhdf", {1, 2});
}

TEST(FieldSeries, KeepsTypesAndComponents) {
  const TemporaryFolder folder;
  const bool alive[] = {true, false};
  const std::uint16_t kind[] = {1, 65535};
  const float flow[] = {1, 2, 3, 4, 5, 6};
  const std::vector<FieldArray> arrays{{"alive", ElementType::boolean, 1, alive},
                                       {"kind %", ElementType::uint16, 1, kind},
                                       {"flow", ElementType::float32, 3, flow}};
  FieldSeries series(folder.path(), "all", {{2}, {1}, {0}});
  series.add(0, 0, arrays);
  series.add(1, 1, arrays);
  const Id file = hdf5::openFile(series.path());
  const Id cells(H5Gopen2(file, "VTKHDF/CellData", H5P_DEFAULT), H5Gclose, "H5Gopen2");
  std::vector<int> read(4);
  hdf5::readDataset(cells, "alive", H5T_NATIVE_INT, 4, read.data());
  EXPECT_EQ(read, (std::vector{1, 0, 1, 0}));
  hdf5::readDataset(cells, "kind %", H5T_NATIVE_INT, 4, read.data());
  EXPECT_EQ(read, (std::vector{1, 65535, 1, 65535}));
  const Id set(H5Dopen2(cells, "flow", H5P_DEFAULT), H5Dclose, "H5Dopen2");
  EXPECT_EQ(hdf5::shapeOf(set), (std::vector<hsize_t>{2, 2, 3}));
  const Id type(H5Dget_type(set), H5Tclose, "H5Dget_type");
  EXPECT_GT(H5Tequal(type, H5T_IEEE_F32LE), 0);
  std::vector<float> values(12);
  hdf5::readDataset(cells, "flow", H5T_NATIVE_FLOAT, 12, values.data());
  EXPECT_EQ(values, (std::vector<float>{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
}

TEST(FieldSeries, ResumeKeepsEarlierFramesWithTheirTimesAndDropsLaterOnes) {
  const TemporaryFolder folder;
  {
    FieldSeries series(folder.path(), "heat", plate);
    for (std::int64_t step : {0, 10, 20, 30}) addStep(series, step);
  }
  std::ofstream(folder / "heat" / "000000000040.vtkhdf.partial") << "cut off";
  std::ofstream(folder / "heat" / "notes.txt") << "the user's";
  FieldSeries series(folder.path(), "heat", plate);
  series.resume(15);
  expectSteps(series.path(), {0, 10});
  EXPECT_EQ(namesIn(folder / "heat"),
            (std::vector<std::string>{"000000000000.vtkhdf", "000000000010.vtkhdf", "notes.txt"}));
  addStep(series, 25);
  expectSteps(series.path(), {0, 10, 25});
}

TEST(FieldSeries, ResumeMayFindNothing) {
  const TemporaryFolder folder;
  FieldSeries series(folder / "out", "heat", plate);
  series.resume(100);
  addStep(series, 120);
  addStep(series, 130);
  expectSteps(series.path(), {120, 130});
}

TEST(FieldSeries, ANewSeriesReplacesAnOldOne) {
  const TemporaryFolder folder;
  {
    FieldSeries series(folder.path(), "heat", plate);
    for (std::int64_t step : {0, 10, 20}) addStep(series, step);
  }
  FieldSeries series(folder.path(), "heat", plate);
  expectSteps(series.path(), {0, 10, 20});  // until the first new frame
  addStep(series, 5);
  expectSteps(series.path(), {5});
  EXPECT_EQ(namesIn(folder / "heat"), std::vector<std::string>{"000000000005.vtkhdf"});
}

TEST(FieldSeries, ResumeRefusesFramesThatDoNotFit) {
  const TemporaryFolder folder;
  {
    FieldSeries series(folder.path(), "heat", plate);
    addStep(series, 0);
    addStep(series, 1);
  }
  EXPECT_THAT(messageOf<OutputError>([&] {
                FieldSeries(folder.path(), "heat", {{3, 2}, {1, 1}, {0, 0}}).resume(1);
              }),
              AllOf(HasSubstr("[2 x 3]"), HasSubstr("[3 x 2]"), HasSubstr("000000000000.vtkhdf")));
  fs::resize_file(folder / "heat" / "000000000001.vtkhdf", 300);
  EXPECT_THAT(messageOf<OutputError>([&] { FieldSeries(folder.path(), "heat", plate).resume(1); }),
              AllOf(HasSubstr("000000000001.vtkhdf"), HasSubstr("was cut off")));
  EXPECT_EQ(namesIn(folder / "heat").size(), 2u);
  EXPECT_EQ(openHandles(), 0u);
}

/// Replaces a frame by an HDF5 file with a link at its root.
void writeLinkTo(const fs::path& frame, const std::string& target) {
  const hdf5::NewFile file(frame, frame);
  hdf5::writeAttribute(file, "time", 1.0);
  hdf5::checked(H5Lcreate_soft(target.c_str(), file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT),
                "H5Lcreate_soft");
}

/// Writes frames 0, 10, 20 and 30 of the plate. @return the list before the last one
std::string writeFour(const fs::path& folder) {
  FieldSeries series(folder, "heat", plate);
  for (std::int64_t step : {0, 10, 20}) addStep(series, step);
  std::string list = series.list();
  addStep(series, 30);
  return list;
}

TEST(FieldSeries, ResumeByAListLeavesOutMissingFramesAndSaysSo) {
  const TemporaryFolder folder;
  const std::string list = writeFour(folder.path());
  fs::remove(folder / "heat" / "000000000000.vtkhdf");
  {
    FieldSeries series(folder.path(), "heat", plate);
    EXPECT_EQ(series.resume(25, list), "1 of the earlier files in '" + (folder / "heat").string() +
                                           "' is missing and left out: 000000000000.vtkhdf");
    EXPECT_EQ(namesIn(folder / "heat"),
              (std::vector<std::string>{"000000000010.vtkhdf", "000000000020.vtkhdf"}));
    addStep(series, 40);
    EXPECT_EQ(FieldSeries(folder.path(), "heat", plate).resume(45, series.list()), "");
  }
  const hdf5::Quiet quiet;
  const Id file = hdf5::openFile(folder / "heat.vtkhdf");
  std::vector<double> times(3);
  hdf5::readDataset(file, "VTKHDF/Steps/Values", H5T_NATIVE_DOUBLE, 3, times.data());
  EXPECT_EQ(times, (std::vector{1.0, 2.0, 4.0}));
  fs::remove_all(folder / "heat");
  EXPECT_EQ(FieldSeries(folder.path(), "heat", plate).resume(25, list), "") << "another folder";
}

TEST(FieldSeries, ResumeByAListRefusesFramesWithOtherBytes) {
  const TemporaryFolder folder;
  const std::string list = writeFour(folder.path());
  const fs::path frame = folder / "heat" / "000000000010.vtkhdf";
  const std::string whole = mass::testing::readBytes(frame);
  const auto refusal = [&] {
    return messageOf<OutputError>(
        [&] { FieldSeries(folder.path(), "heat", plate).resume(25, list); });
  };
  const auto isRefused = AllOf(HasSubstr("cannot continue '" + frame.string() + "': its bytes are"),
                               HasSubstr("remove it to continue without"));
  for (std::size_t at = 0; at < whole.size(); at += 101) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    mass::testing::writeBytes(frame, damaged);
    ASSERT_THAT(refusal(), isRefused) << at;
  }
  for (const std::string& other : {whole + '\0', whole.substr(0, 300), std::string()}) {
    mass::testing::writeBytes(frame, other);
    EXPECT_THAT(refusal(), isRefused);
  }
  fs::copy_file(folder / "heat" / "000000000020.vtkhdf", frame,
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(refusal(), isRefused);
  fs::remove(frame);
  fs::create_directory(frame);
  EXPECT_THAT(refusal(), AllOf(HasSubstr(frame.string()), HasSubstr("it is a folder")));
  fs::remove(frame);
  mass::testing::writeBytes(frame, whole);
  EXPECT_EQ(namesIn(folder / "heat").size(), 4u) << "a refusal removes nothing";
  FieldSeries series(folder.path(), "heat", plate);
  EXPECT_EQ(series.resume(25, list), "");
  expectSteps(series.path(), {0, 10, 20});
}

/// Returns a list as the first version wrote it: without sizes and checksums of frames.
std::string withoutSums(const std::string& list) {
  std::istringstream lines(list);
  std::string earlier = "frames-1\n";
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "frames-2");
  while (std::getline(lines, line)) {
    if (line.starts_with("frame ")) {
      std::istringstream words(line);
      std::string frame, step, time, bytes, sum, length;
      words >> frame >> step >> time >> bytes >> sum >> length;
      line = fmt::format("{} {} {} {}", frame, step, time, length);
    }
    earlier += line + '\n';
  }
  return earlier;
}

TEST(FieldSeries, ResumeReadsTheListOfAnEarlierVersion) {
  const TemporaryFolder folder;
  const std::string list = writeFour(folder.path());
  FieldSeries series(folder.path(), "heat", plate);
  EXPECT_EQ(series.resume(25, withoutSums(list)), "");
  expectSteps(series.path(), {0, 10, 20});
  EXPECT_EQ(series.list(), list) << "checksums are those of the files then";
}

TEST(FieldSeries, AListIsThatOfASeriesOfThisWorld) {
  const TemporaryFolder folder;
  FieldSeries series(folder.path(), "heat", plate);
  EXPECT_FALSE(series.list().empty()) << "a text without frames tells that there are none";
  addStep(series, 0);
  const std::string list = series.list();
  const auto resume = [&](const std::string& text, const FieldGeometry& geometry) {
    return messageOf<OutputError>(
        [&] { FieldSeries(folder.path(), "heat", geometry).resume(5, text); });
  };
  EXPECT_THAT(resume(list, {{3, 2}, {1, 1}, {0, 0}}),
              AllOf(HasSubstr("2 x 3"), HasSubstr("3 x 2")));
  EXPECT_THAT(resume("frames", plate), HasSubstr("list of frames"));
  EXPECT_THAT(resume(list.substr(0, list.size() / 2), plate), HasSubstr("list of frames"));
  EXPECT_THAT(resume(FieldSeries(folder.path(), "heat", plate).list(), plate),
              HasSubstr("does not list its frame of step 0, so another run wrote it"));
  EXPECT_EQ(namesIn(folder / "heat").size(), 1u);
}

TEST(FieldSeries, ResumeWithoutAListReadsDamagedFramesInAnotherProcess) {
  const TemporaryFolder folder;
  {
    FieldSeries series(folder.path(), "heat", plate);
    for (std::int64_t step : {0, 10, 20}) addStep(series, step);
  }
  const auto frame = (folder / "heat" / "000000000010.vtkhdf").string();
  const auto resume = [&] {
    return messageOf<OutputError>([&] { FieldSeries(folder.path(), "heat", plate).resume(25); });
  };
  for (const char* const target : {"/", "/VTKHDF"}) {
    writeLinkTo(frame, target);
    EXPECT_THAT(resume(), AllOf(HasSubstr(frame), HasSubstr("'VTKHDF' is a link")));
  }
}

TEST(FieldSeries, RefusesMisuse) {
  const TemporaryFolder folder;
  const auto make = [&](const FieldGeometry& geometry) {
    FieldSeries(folder.path(), "a", geometry);
  };
  EXPECT_THROW(make({{}, {}, {}}), UsageError);
  EXPECT_THROW(make({{1, 1, 1, 1}, {1, 1, 1, 1}, {0, 0, 0, 0}}), UsageError);
  EXPECT_THROW(make({{5, 5}, {1}, {0, 0}}), UsageError);
  EXPECT_THROW(make({{5, 0}, {1, 1}, {0, 0}}), UsageError);
  EXPECT_THROW(make({{5, 5}, {1, -1}, {0, 0}}), UsageError);
  EXPECT_THROW(make({{5, 5}, {1, 1}, {0, std::nan("")}}), UsageError);
  EXPECT_THROW(FieldSeries(folder.path(), "a/b", plate), UsageError);

  FieldSeries series(folder.path(), "a", plate);
  const std::vector<double> values = valuesAt(0);
  const FieldArray good{"heat", ElementType::float64, 1, values.data()};
  const auto add = [&](std::int64_t step, double time, std::vector<FieldArray> arrays) {
    series.add(step, time, arrays);
  };
  EXPECT_THROW(add(-1, 0, {good}), UsageError);
  EXPECT_THROW(add(0, std::nan(""), {good}), UsageError);
  EXPECT_THROW(add(0, 0, {good, good}), UsageError);
  EXPECT_THROW(add(0, 0, {{"a/b", ElementType::float64, 1, values.data()}}), UsageError);
  EXPECT_THROW(add(0, 0, {{"a", ElementType::opaque, 1, values.data()}}), UsageError);
  EXPECT_THROW(add(0, 0, {{"a", ElementType::float64, 0, values.data()}}), UsageError);
  EXPECT_THROW(add(0, 0, {{"a", ElementType::float64, 1, nullptr}}), UsageError);
  EXPECT_TRUE(fs::is_empty(folder.path()));
  add(3, 0, {good});
  EXPECT_THROW(add(3, 1, {good}), UsageError);
  EXPECT_THROW(add(4, 1, {{"cold", ElementType::float64, 1, values.data()}}), UsageError);
  EXPECT_THROW(add(4, 1, {{"heat", ElementType::int64, 1, values.data()}}), UsageError);
  EXPECT_THROW(series.resume(3), UsageError);
  add(4, 1, {good});
  EXPECT_EQ(readSeries(series.path(), 2).times, (std::vector{0.0, 1.0}));
}

/// Adds a frame while files are limited to `bytes`. Returns the message of the error.
std::string addLimited(FieldSeries& series, std::int64_t step, rlim_t bytes) {
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{bytes, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const std::string message = messageOf<OutputError>([&] { addStep(series, step); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_DFL);
  return message;
}

TEST(FieldSeries, ADiskThatFailsLeavesTheEarlierFrames) {
  const TemporaryFolder folder;
  FieldSeries series(folder.path(), "heat", plate);
  addStep(series, 0);
  addStep(series, 1);
  const std::uint64_t size = fs::file_size(folder / "heat" / "000000000001.vtkhdf");
  for (rlim_t bytes = 0; bytes < size; bytes += 30) {
    ASSERT_THAT(addLimited(series, 2, bytes),
                AllOf(HasSubstr("000000000002.vtkhdf"), HasSubstr("too large")));
    ASSERT_EQ(openHandles(), 0u);
    expectSteps(series.path(), {0, 1});
    ASSERT_EQ(namesIn(folder / "heat").size(), 2u);
  }
  addStep(series, 2);
  expectSteps(series.path(), {0, 1, 2});
}

TEST(FieldSeries, AFrameTheIndexHadNoRoomForIsThereWithTheNextOne) {
  const TemporaryFolder folder;
  FieldSeries series(folder.path(), "heat", plate);
  for (std::int64_t step : {0, 1, 2, 3}) addStep(series, step);
  ASSERT_GT(fs::file_size(series.path()), fs::file_size(folder / "heat" / "000000000001.vtkhdf"));
  EXPECT_THAT(addLimited(series, 4, fs::file_size(series.path())),
              AllOf(HasSubstr("heat.vtkhdf"), HasSubstr("too large")));
  expectSteps(series.path(), {0, 1, 2, 3});
  addStep(series, 5);
  expectSteps(series.path(), {0, 1, 2, 3, 4, 5});
}

TEST(FieldSeries, SaysWhereItCannotWrite) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "not a folder";
  FieldSeries series(folder / "file", "heat", plate);
  EXPECT_THAT(messageOf<OutputError>([&] { addStep(series, 0); }), HasSubstr(folder / "file"));
}

TEST(FieldSeries, CanBeReadAndResumedAfterAKillAtAnyMoment) {
  const TemporaryFolder folder;
  std::mt19937 random(11);
  std::int64_t kept = -1;
  for (int round = 0; round < 15; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      FieldSeries series(folder.path(), "heat", plate);
      series.resume(kept);
      for (std::int64_t step = kept + 1;; ++step) addStep(series, step);
    }
    const fs::path next = folder / "heat" / fmt::format("{:012}.vtkhdf", kept + 1);
    for (int wait = 0; wait < 10000 && !fs::exists(next); ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);

    FieldSeries series(folder.path(), "heat", plate);
    std::vector<std::int64_t> steps;
    for (const std::string& name : namesIn(folder / "heat")) {
      if (name.size() == 19) steps.push_back(std::stoll(name));
    }
    if (steps.empty()) continue;
    if (fs::exists(series.path())) {  // the index may lack the last frame
      std::size_t indexed = 1;
      const Id file = hdf5::openFile(series.path());
      if (H5Lexists(file, "VTKHDF/Steps", H5P_DEFAULT) > 0) {
        const Id group(H5Gopen2(file, "VTKHDF/Steps", H5P_DEFAULT), H5Gclose, "H5Gopen2");
        indexed = attribute<std::size_t>(group, "NSteps", H5T_NATIVE_UINT64, 1).front();
      }
      ASSERT_LE(indexed, steps.size());
      expectSteps(series.path(), {steps.begin(), steps.begin() + static_cast<long>(indexed)});
    }
    const bool dropLast = round % 2 == 0;
    kept = steps.back() - (dropLast ? 1 : 0);
    series.resume(kept);
    if (dropLast) steps.pop_back();
    if (!steps.empty()) expectSteps(series.path(), steps);
  }
  EXPECT_GT(kept, 5);
}

// Writes files for check_vtkhdf.py if it requests them.
TEST(FieldSeries, WritesSamplesForOtherReaders) {
  const char* folder = std::getenv("MASS_SAMPLES");
  if (folder == nullptr) GTEST_SKIP() << "MASS_SAMPLES names no folder";
  const auto write = [&](const std::string& name, const FieldGeometry& geometry, int frames) {
    std::size_t places = 1;
    for (std::int64_t extent : geometry.shape) places *= static_cast<std::size_t>(extent);
    FieldSeries series(folder, name, geometry);
    for (int frame = 0; frame < frames; ++frame) {
      std::vector<double> heat(places);
      std::vector<int> count(places);
      std::vector<std::uint8_t> alive(places);
      std::vector<float> flow(places * 3);
      for (std::size_t i = 0; i < places; ++i) {
        heat[i] = 1000.0 * frame + static_cast<double>(i);
        count[i] = -frame - static_cast<int>(i);
        alive[i] = i % 2;
        for (std::size_t c = 0; c < 3; ++c)
          flow[i * 3 + c] = static_cast<float>(heat[i]) + 0.25f * static_cast<float>(c);
      }
      const std::vector<FieldArray> arrays{{"heat", ElementType::float64, 1, heat.data()},
                                           {"count", ElementType::int32, 1, count.data()},
                                           {"alive", ElementType::boolean, 1, alive.data()},
                                           {"flow", ElementType::float32, 3, flow.data()}};
      series.add(frame * 10, 0.5 * frame, arrays);
    }
  };
  write("line", {{5}, {0.5}, {2}}, 3);
  write("plane", {{4, 6}, {0.5, 0.25}, {10, 20}}, 3);
  write("box", {{2, 3, 4}, {3, 2, 1}, {30, 20, 10}}, 3);
  write("thin", {{1, 6}, {1, 1}, {0, 0}}, 2);
  write("column", {{6, 1}, {1, 1}, {0, 0}}, 2);
  write("single", {{4, 6}, {0.5, 0.25}, {10, 20}}, 1);
}

}  // namespace
