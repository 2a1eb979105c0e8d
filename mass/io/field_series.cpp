#include <mass/io/field_series.hpp>
#include <mass/io/frame_store.hpp>
#include <mass/support/error.hpp>

#include <array>
#include <cmath>
#include <utility>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

void requireSensible(const FieldGeometry& geometry) {
  const std::size_t axes = geometry.shape.size();
  if (axes < 1 || axes > 3 || geometry.spacing.size() != axes || geometry.origin.size() != axes) {
    throw UsageError(
        "field series: {} extents, {} spacings and {} origins given; 1 to 3 axes need one of each",
        axes, geometry.spacing.size(), geometry.origin.size());
  }
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const double spacing = geometry.spacing[axis];
    if (geometry.shape[axis] < 1 || !(spacing > 0) || !std::isfinite(spacing) ||
        !std::isfinite(geometry.origin[axis])) {
      throw UsageError("field series: axis {} has {} places of extent {} from {}", axis,
                       geometry.shape[axis], spacing, geometry.origin[axis]);
    }
  }
}

std::vector<hsize_t> axesOf(const FieldGeometry& geometry) {
  return {geometry.shape.begin(), geometry.shape.end()};
}

void writeGeometry(hid_t vtk, const FieldGeometry& geometry) {
  std::array<std::int64_t, 6> extent{};
  std::array<double, 3> spacing{1, 1, 1};
  std::array<double, 3> origin{};
  const std::size_t axes = geometry.shape.size();
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::size_t vtkAxis = axes - 1 - axis;
    extent[2 * vtkAxis + 1] = geometry.shape[axis];
    spacing[vtkAxis] = geometry.spacing[axis];
    origin[vtkAxis] = geometry.origin[axis];
  }
  constexpr std::array<double, 9> direction{1, 0, 0, 0, 1, 0, 0, 0, 1};
  hdf5::writeAttribute(vtk, "WholeExtent", std::span<const std::int64_t>(extent));
  hdf5::writeAttribute(vtk, "Origin", std::span<const double>(origin));
  hdf5::writeAttribute(vtk, "Spacing", std::span<const double>(spacing));
  hdf5::writeAttribute(vtk, "Direction", std::span<const double>(direction));
}

FrameFormat formatFor(const FieldGeometry& geometry) {
  requireSensible(geometry);
  return {"field series", ".vtkhdf", axesOf(geometry),
          [geometry](hid_t file, std::span<const Frame> frames) {
            const hdf5::Id vtk = createVtkGroup(file, "ImageData", frames);
            writeGeometry(vtk, geometry);
            hdf5::createGroup(vtk, "CellData");
            if (frames.size() > 1) createVtkSteps(vtk, frames);
          }};
}

}  // namespace

std::size_t FieldGeometry::places() const {
  std::int64_t product = 1;
  for (const std::int64_t along : shape) product *= along;
  return static_cast<std::size_t>(product);
}

std::vector<std::int64_t> FieldGeometry::coordinates(std::size_t index) const {
  std::vector<std::int64_t> at(shape.size());
  auto rest = static_cast<std::int64_t>(index);
  for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) {
    at[axis] = rest % shape[axis];
  }
  return at;
}

struct FieldSeries::State {
  std::vector<hsize_t> axes;
  FrameStore files;
};

FieldSeries::FieldSeries(const fs::path& folder, const std::string& name,
                         const FieldGeometry& geometry)
    : state_(std::make_unique<State>(
          State{axesOf(geometry), FrameStore(folder, name, formatFor(geometry))})) {}

FieldSeries::~FieldSeries() = default;
FieldSeries::FieldSeries(FieldSeries&&) noexcept = default;
FieldSeries& FieldSeries::operator=(FieldSeries&&) noexcept = default;

fs::path FieldSeries::path() const {
  return state_->files.path();
}

void FieldSeries::begin(std::string run) {
  state_->files.begin(std::move(run));
}

std::string FieldSeries::resume(std::int64_t step, const std::string& list, std::string run) {
  return state_->files.resume(step, list, std::move(run));
}

std::string FieldSeries::list() const {
  return state_->files.list();
}

std::vector<fs::path> FieldSeries::files() const {
  return state_->files.files();
}

void FieldSeries::add(std::int64_t step, double time, std::span<const FieldArray> arrays) {
  FrameStore& files = state_->files;
  std::vector<FrameArray> cells;
  for (const FieldArray& array : arrays) {
    cells.push_back(files.arrayOf(array, "VTKHDF/CellData/", state_->axes));
  }
  files.add(step, time, cells);
  files.writeIndex();
}

}  // namespace mass::detail
