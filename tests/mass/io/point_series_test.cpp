#include <mass/io/point_series.hpp>

#include <mass/io/hdf5.hpp>
#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "../../support/temporary_folder.hpp"

namespace mass {
namespace {

using detail::hdf5::Id;
using testing::contains;
using testing::messageOf;
using testing::TemporaryFolder;
namespace fs = std::filesystem;

/// Returns the number of points of a step: 5, 0, 2, 7, 4, 1, 6, 3, 5, 0, ...
struct Sample {
  std::size_t count;
  std::vector<float> positions;
  std::vector<std::uint64_t> ids;
  std::vector<double> flows;

  explicit Sample(std::int64_t step) : count(static_cast<std::size_t>(5 + 3 * step) % 8) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto x = static_cast<float>(i);
      positions.insert(positions.end(), {x, static_cast<float>(step), 0.5F});
      ids.push_back(100 * static_cast<std::uint64_t>(step) + i);
      flows.insert(flows.end(), {0.25 * x, -0.25 * x});
    }
  }
  std::vector<detail::FieldArray> arrays() const {
    return {{"id", detail::ElementType::uint64, 1, ids.data()},
            {"flow", detail::ElementType::float64, 2, flows.data()}};
  }
};

void addStep(detail::PointSeries& series, std::int64_t step) {
  const Sample sample(step);
  series.add(step, 0.5 * static_cast<double>(step), sample.count,
             {"position", detail::ElementType::float32, 3, sample.positions.data()},
             sample.arrays());
}

template <class T>
std::vector<T> read(hid_t vtk, const std::string& name, hid_t type) {
  const Id set(H5Dopen2(vtk, name.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2");
  std::size_t count = 1;
  for (const hsize_t extent : detail::hdf5::shapeOf(set)) count *= extent;
  std::vector<T> values(count);
  detail::hdf5::readDataset(vtk, name, type, count, values.data());
  return values;
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Expects the numbers of points, and the concatenated arrays of all frames, as VTK reads them.
void expectPoints(hid_t vtk, const std::vector<std::int64_t>& steps) {
  std::vector<std::int64_t> counts, connectivity, offsets;
  std::vector<float> positions;
  std::vector<std::uint64_t> ids;
  std::vector<double> flows;
  for (const std::int64_t step : steps) {
    const Sample sample(step);
    counts.push_back(static_cast<std::int64_t>(sample.count));
    for (std::int64_t i = 0; i <= counts.back(); ++i) {
      if (i < counts.back()) connectivity.push_back(i);
      offsets.push_back(i);
    }
    append(positions, sample.positions);
    append(ids, sample.ids);
    append(flows, sample.flows);
  }
  for (const std::string name : {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"}) {
    EXPECT_EQ(read<std::int64_t>(vtk, name, H5T_NATIVE_INT64), counts);
  }
  EXPECT_EQ(read<std::int64_t>(vtk, "Connectivity", H5T_NATIVE_INT64), connectivity);
  EXPECT_EQ(read<std::int64_t>(vtk, "Offsets", H5T_NATIVE_INT64), offsets);
  EXPECT_EQ(read<int>(vtk, "Types", H5T_NATIVE_INT), std::vector<int>(connectivity.size(), 1));
  EXPECT_EQ(read<float>(vtk, "Points", H5T_NATIVE_FLOAT), positions);
  EXPECT_EQ(read<std::uint64_t>(vtk, "PointData/id", H5T_NATIVE_UINT64), ids);
  EXPECT_EQ(read<double>(vtk, "PointData/flow", H5T_NATIVE_DOUBLE), flows);
}

/// Expects the offsets by which VTK finds each frame.
void expectSteps(hid_t vtk, const std::vector<std::int64_t>& steps) {
  const Id group(H5Gopen2(vtk, "Steps", H5P_DEFAULT), H5Gclose, "H5Gopen2");
  std::vector<std::int64_t> before, numbers(steps.size());
  std::vector<double> times;
  std::int64_t points = 0;
  for (const std::int64_t step : steps) {
    times.push_back(0.5 * static_cast<double>(step));
    before.push_back(points);
    points += static_cast<std::int64_t>(Sample(step).count);
  }
  std::iota(numbers.begin(), numbers.end(), 0);
  EXPECT_EQ(read<double>(group, "Values", H5T_NATIVE_DOUBLE), times);
  for (const std::string name : {"PointOffsets", "CellOffsets", "ConnectivityIdOffsets"}) {
    EXPECT_EQ(read<std::int64_t>(group, name, H5T_NATIVE_INT64), before) << name;
  }
  EXPECT_EQ(read<std::int64_t>(group, "PartOffsets", H5T_NATIVE_INT64), numbers);
  EXPECT_EQ(read<std::int64_t>(group, "NumberOfParts", H5T_NATIVE_INT64),
            std::vector<std::int64_t>(steps.size(), 1));
}

void expectSeries(const fs::path& path, const std::vector<std::int64_t>& steps) {
  const Id file = detail::hdf5::openFile(path);
  const Id vtk(H5Gopen2(file, "VTKHDF", H5P_DEFAULT), H5Gclose, "H5Gopen2");
  EXPECT_EQ(detail::hdf5::readTextAttribute(vtk, "Type"), "UnstructuredGrid");
  expectPoints(vtk, steps);
  if (steps.size() > 1) {
    expectSteps(vtk, steps);
  } else {
    EXPECT_EQ(H5Lexists(vtk, "Steps", H5P_DEFAULT), 0);
  }
}

TEST(PointSeries, IsATemporalGridWhosePointsComeAndGo) {
  const TemporaryFolder folder;
  detail::PointSeries series(folder / "out", "birds");
  EXPECT_EQ(series.path(), folder / "out" / "birds.vtkhdf");
  EXPECT_FALSE(fs::exists(folder / "out"));
  for (const std::int64_t step : {0, 1, 2, 3}) addStep(series, step);
  expectSeries(series.path(), {0, 1, 2, 3});
  fs::rename(folder / "out", folder / "moved");
  expectSeries(folder / "moved" / "birds.vtkhdf", {0, 1, 2, 3});
  expectSeries(folder / "moved" / "birds" / "000000000003.vtkhdf", {3});  // alone
}

TEST(PointSeries, MayHaveNoPointsFromTheBeginning) {
  const TemporaryFolder folder;
  detail::PointSeries series(folder.path(), "birds");
  addStep(series, 1);
  expectSeries(series.path(), {1});
  addStep(series, 9);
  expectSeries(series.path(), {1, 9});
}

TEST(PointSeries, ResumeKeepsEarlierFramesAndDropsLaterOnes) {
  const TemporaryFolder folder;
  for (const std::int64_t kept : {1, 2, 4}) {
    {
      detail::PointSeries series(folder.path(), "birds");
      for (const std::int64_t step : {1, 2, 3, 4}) addStep(series, step);
    }
    detail::PointSeries series(folder.path(), "birds");
    series.resume(kept);
    std::vector<std::int64_t> steps(static_cast<std::size_t>(kept));
    std::iota(steps.begin(), steps.end(), 1);
    expectSeries(series.path(), steps);
    addStep(series, 12);
    steps.push_back(12);
    expectSeries(series.path(), steps);
  }
}

TEST(PointSeries, RefusesWhatDoesNotFit) {
  const TemporaryFolder folder;
  EXPECT_THROW(detail::PointSeries(folder.path(), "a/b"), UsageError);
  detail::PointSeries series(folder.path(), "birds");
  const std::vector<double> flat(4);
  const auto message = messageOf<UsageError>([&] {
    series.add(0, 0, 2, {"position", detail::ElementType::float64, 2, flat.data()}, {});
  });
  EXPECT_TRUE(contains(message, "x, y and z"));
  addStep(series, 2);
  EXPECT_THROW(addStep(series, 2), UsageError);
  EXPECT_THROW(series.add(3, 0, 0, {"position", detail::ElementType::float64, 3}, {}), UsageError);
  addStep(series, 3);

  // Frames of places cannot be continued by points.
  detail::PointSeries other(folder.path(), "birds");
  fs::resize_file(folder / "birds" / "000000000003.vtkhdf", 300);
  EXPECT_TRUE(contains(messageOf<OutputError>([&] { other.resume(3); }), "000000000003.vtkhdf"));
}

// Writes files for check_vtkhdf.py if it requests them.
TEST(PointSeries, WritesSamplesForOtherReaders) {
  const char* folder = std::getenv("MASS_SAMPLES");
  if (folder == nullptr) GTEST_SKIP() << "MASS_SAMPLES names no folder";
  detail::PointSeries series(folder, "points");
  for (std::int64_t step = 0; step < 10; ++step) addStep(series, step);
  detail::PointSeries single(folder, "single_points");
  addStep(single, 0);
  detail::PointSeries none(folder, "no_points");
  addStep(none, 1);
  addStep(none, 9);
}

}  // namespace
}  // namespace mass
