#include <mass/io/point_series.hpp>

#include <mass/io/frame_store.hpp>
#include <mass/support/error.hpp>

#include <array>
#include <numeric>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::uint8_t vertexType = 1;  // VTK_VERTEX

/// Writes the offsets of the points of each frame in the concatenated arrays.
void writeOffsets(hid_t steps, std::span<const std::int64_t> counts) {
  std::vector<std::int64_t> numbers(counts.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::vector<std::int64_t> ones(counts.size(), 1);
  std::vector<std::int64_t> before(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), before.begin(), std::int64_t{0});
  hdf5::writeDataset(steps, "PartOffsets", std::span<const std::int64_t>(numbers));
  hdf5::writeDataset(steps, "NumberOfParts", std::span<const std::int64_t>(ones));
  for (const char* const name : {"PointOffsets", "CellOffsets", "ConnectivityIdOffsets"}) {
    hdf5::writeDataset(steps, name, std::span<const std::int64_t>(before));
  }
}

void describe(hid_t file, std::span<const Frame> frames) {
  const hdf5::Id vtk = createVtkGroup(file, "UnstructuredGrid", frames);
  hdf5::createGroup(vtk, "PointData");
  std::vector<std::int64_t> counts;  // the first array has one value per point
  for (const Frame& frame : frames) {
    counts.push_back(static_cast<std::int64_t>(frame.lengths.front()));
  }
  for (const char* const name : {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"}) {
    hdf5::writeDataset(vtk, name, std::span<const std::int64_t>(counts));
  }
  if (frames.size() > 1) writeOffsets(createVtkSteps(vtk, frames), counts);
}

}  // namespace

struct PointSeries::State {
  FrameStore files;
};

PointSeries::PointSeries(const fs::path& folder, const std::string& name)
    : state_(std::make_unique<State>(
          State{FrameStore(folder, name, {"point series", ".vtkhdf", {}, describe})})) {}

PointSeries::~PointSeries() = default;
PointSeries::PointSeries(PointSeries&&) noexcept = default;
PointSeries& PointSeries::operator=(PointSeries&&) noexcept = default;

fs::path PointSeries::path() const {
  return state_->files.path();
}

void PointSeries::begin(std::string run) {
  state_->files.begin(std::move(run));
}

std::string PointSeries::resume(std::int64_t step, const std::string& list, std::string run) {
  return state_->files.resume(step, list, std::move(run));
}

std::string PointSeries::list() const {
  return state_->files.list();
}

std::vector<fs::path> PointSeries::files() const {
  return state_->files.files();
}

void PointSeries::add(std::int64_t step, double time, std::size_t count,
                      const FieldArray& positions, std::span<const FieldArray> arrays) {
  if (positions.components != 3) {
    throw UsageError("point series: a position has {} components; x, y and z are needed",
                     positions.components);
  }
  FrameStore& files = state_->files;
  std::vector<std::int64_t> numbers(count + 1);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::vector<std::uint8_t> types(count, vertexType);
  const FieldArray points{"Points", positions.type, 3, positions.data};
  std::vector<FrameArray> all;  // in the order of the file: the group PointData is created first
  for (const FieldArray& array : arrays) {
    all.push_back(files.arrayOf(array, "VTKHDF/PointData/", {count}));
  }
  all.push_back(files.arrayOf(points, "VTKHDF/", {count}));
  all.push_back({"VTKHDF/Connectivity", ElementType::int64, {count}, numbers.data()});
  all.push_back({"VTKHDF/Offsets", ElementType::int64, {count + 1}, numbers.data()});
  all.push_back({"VTKHDF/Types", ElementType::uint8, {count}, types.data()});
  files.add(step, time, all);
  files.writeIndex();
}

}  // namespace mass::detail
