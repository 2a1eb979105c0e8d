#include <mass/io/atomic_file.hpp>
#include <mass/io/field_series.hpp>
#include <mass/io/hdf5.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>

namespace mass {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view extension = ".vtkhdf";
constexpr int stepDigits = 12;

/// An array as every frame has it.
struct Column {
  std::string name;
  ElementType type;
  std::vector<hsize_t> shape;  ///< of one frame: the axes, then the components if there are several

  bool operator==(const Column&) const = default;
};

struct Frame {
  std::int64_t step;
  double time;
};

std::string frameName(std::int64_t step) {
  return fmt::format("{:0{}}{}", step, stepDigits, extension);
}

/// The step in a frame's file name; nothing for any other file.
std::optional<std::int64_t> stepOf(const std::string& fileName) {
  std::int64_t step = 0;
  const auto [end, error] =
      std::from_chars(fileName.data(), fileName.data() + fileName.size(), step);
  if (error != std::errc() || step < 0 || frameName(step) != fileName) return std::nullopt;
  return step;
}

/// Whether a killed run left this file while it wrote a frame.
bool isLeftover(const std::string& fileName) {
  constexpr std::string_view suffix = ".partial";
  return fileName.ends_with(suffix) &&
         stepOf(fileName.substr(0, fileName.size() - suffix.size())).has_value();
}

/// HDF5 reads '%' in the names of virtual sources as the start of a pattern.
std::string withoutPatterns(std::string name) {
  for (std::size_t at = name.find('%'); at != std::string::npos; at = name.find('%', at + 2)) {
    name.insert(at, 1, '%');
  }
  return name;
}

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

}  // namespace

struct FieldSeries::State {
  fs::path folder;
  std::string name;
  FieldGeometry geometry;
  bool started = false;  ///< whatever an earlier run left has been dealt with
  std::vector<Frame> frames;
  std::vector<Column> columns;

  fs::path indexPath() const { return folder / (name + std::string(extension)); }
  fs::path framesFolder() const { return folder / name; }
  fs::path framePath(std::int64_t step) const { return framesFolder() / frameName(step); }

  Column columnOf(const FieldArray& array) const;
  std::vector<Column> columnsOf(std::span<const FieldArray> arrays) const;
  void start(std::int64_t keepUpTo);
  std::vector<std::int64_t> stepsPresent() const;
  void removeLeftovers() const;
  void readFrame(std::int64_t step);
  std::vector<Column> readColumns(hid_t cellData) const;
  void writeFile(const fs::path& path, const std::function<void(hid_t vtk)>& contents) const;
  void writeGeometry(hid_t vtk) const;
  void writeFrame(const Frame& frame, std::span<const FieldArray> arrays) const;
  void writeIndex() const;
  void writeVirtual(hid_t cellData, const Column& column) const;
};

Column FieldSeries::State::columnOf(const FieldArray& array) const {
  if (array.name.empty() || array.name == "." || array.name.find('/') != std::string::npos) {
    throw UsageError("field series {}: '{}' cannot be the name of an array; use one without '/'",
                     name, array.name);
  }
  if (array.type == ElementType::opaque || array.components < 1 || array.data == nullptr) {
    throw UsageError(
        "field series {}: array '{}' needs numbers, at least one a place; it has {} {}", name,
        array.name, array.components, nameOf(array.type));
  }
  Column column{array.name, array.type, {geometry.shape.begin(), geometry.shape.end()}};
  if (array.components > 1) column.shape.push_back(array.components);
  // A boolean is a byte in the file; read back it cannot be told from one.
  if (column.type == ElementType::boolean) column.type = ElementType::uint8;
  return column;
}

std::vector<Column> FieldSeries::State::columnsOf(std::span<const FieldArray> arrays) const {
  std::vector<Column> found;
  for (const FieldArray& array : arrays) {
    const auto sameName = [&](const Column& column) { return column.name == array.name; };
    if (std::any_of(found.begin(), found.end(), sameName)) {
      throw UsageError("field series {}: there are two arrays named '{}'", name, array.name);
    }
    found.push_back(columnOf(array));
  }
  return found;
}

// --- what an earlier run left
// ---------------------------------------------------------------------------------

std::vector<std::int64_t> FieldSeries::State::stepsPresent() const {
  std::vector<std::int64_t> steps;
  if (!fs::exists(framesFolder())) return steps;
  for (const auto& entry : fs::directory_iterator(framesFolder())) {
    if (const auto step = stepOf(entry.path().filename().string())) steps.push_back(*step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

void FieldSeries::State::removeLeftovers() const {
  if (!fs::exists(framesFolder())) return;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(framesFolder())) {
    if (isLeftover(entry.path().filename().string())) leftovers.push_back(entry.path());
  }
  for (const fs::path& leftover : leftovers) fs::remove(leftover);
}

void FieldSeries::State::start(std::int64_t keepUpTo) {
  frames.clear();
  std::vector<std::int64_t> steps = stepsPresent();
  const auto later = std::upper_bound(steps.begin(), steps.end(), keepUpTo);
  for (auto step = steps.begin(); step != later; ++step) readFrame(*step);
  // The index first: at no moment does it point at a frame that is gone.
  if (frames.empty()) {
    fs::remove(indexPath());
  } else {
    writeIndex();
  }
  for (auto step = later; step != steps.end(); ++step) fs::remove(framePath(*step));
  removeLeftovers();
  started = true;
}

std::vector<Column> FieldSeries::State::readColumns(hid_t cellData) const {
  std::vector<Column> found;
  for (const std::string& member : hdf5::memberNames(cellData)) {
    const hdf5::Id set(H5Dopen2(cellData, member.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2");
    const auto type = elementTypeNamed(hdf5::readTextAttribute(set, "type"));
    if (!type) throw hdf5::Failure("array '{}' has an unknown type", member);
    found.push_back({member, *type, hdf5::shapeOf(set)});
  }
  return found;
}

void FieldSeries::State::readFrame(std::int64_t step) {
  const std::string path = framePath(step).string();
  const char* const advice = "remove the frames or give the series another name";
  const hdf5::Quiet quiet;
  try {
    const hdf5::Id file = hdf5::openFile(path);
    Frame frame{step, 0};
    hdf5::readDataset(file, "VTKHDF/FieldData/TimeValue", H5T_NATIVE_DOUBLE, 1, &frame.time);
    const hdf5::Id cellData(H5Gopen2(file, "VTKHDF/CellData", H5P_DEFAULT), H5Gclose, "H5Gopen2");
    const std::vector<Column> found = readColumns(cellData);
    const std::vector<hsize_t> axes(geometry.shape.begin(), geometry.shape.end());
    for (const Column& column : found) {
      if (!std::equal(axes.begin(), axes.end(), column.shape.begin(),
                      column.shape.begin() + static_cast<std::ptrdiff_t>(
                                                 std::min(axes.size(), column.shape.size())))) {
        throw OutputError("cannot go on with {}: its array '{}' is [{}], the world is [{}]; {}",
                          path, column.name, fmt::join(column.shape, " x "), fmt::join(axes, " x "),
                          advice);
      }
    }
    if (frames.empty()) columns = found;
    if (found != columns) {
      throw OutputError("cannot go on with {}: its arrays differ from those of {}; {}", path,
                        framePath(frames.front().step).string(), advice);
    }
    frames.push_back(frame);
  } catch (const hdf5::Failure& failure) {
    throw OutputError("cannot go on with {}: {}; {}", path, failure.what(), advice);
  }
}

// --- writing
// --------------------------------------------------------------------------------------------------

void FieldSeries::State::writeFile(const fs::path& path,
                                   const std::function<void(hid_t vtk)>& contents) const {
  AtomicFile atomic(path);
  const hdf5::Quiet quiet;
  hdf5::NewFile file(atomic.temporary(), path);
  try {
    const hdf5::Id vtk = hdf5::createGroup(file, "VTKHDF");
    writeGeometry(vtk);
    contents(vtk);
  } catch (const hdf5::Failure& failure) {
    file.requireWritten();
    throw OutputError("cannot write {}: {}", path.string(), failure.what());
  }
  file.close();
  atomic.commit();
}

void FieldSeries::State::writeGeometry(hid_t vtk) const {
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
  constexpr std::array<std::int64_t, 2> version{2, 0};
  constexpr std::array<double, 9> direction{1, 0, 0, 0, 1, 0, 0, 0, 1};
  hdf5::writeAttribute(vtk, "Version", std::span<const std::int64_t>(version));
  hdf5::writeAttribute(vtk, "Type", std::string("ImageData"));
  hdf5::writeAttribute(vtk, "WholeExtent", std::span<const std::int64_t>(extent));
  hdf5::writeAttribute(vtk, "Origin", std::span<const double>(origin));
  hdf5::writeAttribute(vtk, "Spacing", std::span<const double>(spacing));
  hdf5::writeAttribute(vtk, "Direction", std::span<const double>(direction));
}

void FieldSeries::State::writeFrame(const Frame& frame, std::span<const FieldArray> arrays) const {
  writeFile(framePath(frame.step), [&](hid_t vtk) {
    const hdf5::Id fieldData = hdf5::createGroup(vtk, "FieldData");
    hdf5::writeDataset(fieldData, "TimeValue", std::span(&frame.time, 1));
    hdf5::writeDataset(fieldData, "Step", std::span(&frame.step, 1));
    const hdf5::Id cellData = hdf5::createGroup(vtk, "CellData");
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const Column& column = columns[i];
      const hdf5::Id type = hdf5::dataType(column.type, sizeOf(column.type));
      const hdf5::Id set =
          hdf5::createDataset(cellData, column.name, type, hdf5::dataSpace(column.shape));
      hdf5::writeAttribute(set, "type", std::string(nameOf(column.type)));
      hdf5::checked(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, arrays[i].data), "H5Dwrite");
    }
  });
}

void FieldSeries::State::writeVirtual(hid_t cellData, const Column& column) const {
  // VTK takes a series of one frame for an image without time, and its arrays must look like that.
  const bool temporal = frames.size() > 1;
  std::vector<hsize_t> shape = column.shape;
  if (temporal) shape.insert(shape.begin(), frames.size());
  const hdf5::Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "H5Pcreate");
  const hdf5::Id source = hdf5::dataSpace(column.shape);
  const std::string sourceName = "/VTKHDF/CellData/" + withoutPatterns(column.name);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::string file = withoutPatterns(name) + "/" + frameName(frames[i].step);
    const hdf5::Id place = temporal ? hdf5::rowsOf(shape, i, 1) : hdf5::dataSpace(shape);
    hdf5::checked(H5Pset_virtual(creation, place, file.c_str(), sourceName.c_str(), source),
                  "H5Pset_virtual");
  }
  const hdf5::Id type = hdf5::dataType(column.type, sizeOf(column.type));
  hdf5::createDataset(cellData, column.name, type, hdf5::dataSpace(shape), creation);
}

void FieldSeries::State::writeIndex() const {
  writeFile(indexPath(), [&](hid_t vtk) {
    const hdf5::Id cellData = hdf5::createGroup(vtk, "CellData");
    for (const Column& column : columns) writeVirtual(cellData, column);
    if (frames.size() < 2) return;
    std::vector<double> times;
    for (const Frame& frame : frames) times.push_back(frame.time);
    const hdf5::Id steps = hdf5::createGroup(vtk, "Steps");
    hdf5::writeAttribute(steps, "NSteps", static_cast<std::int64_t>(frames.size()));
    hdf5::writeDataset(steps, "Values", std::span<const double>(times));
  });
}

// --- the class
// --------------------------------------------------------------------------------------------------

FieldSeries::FieldSeries(const fs::path& folder, const std::string& name,
                         const FieldGeometry& geometry) {
  requireSensible(geometry);
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
    throw UsageError("field series: '{}' cannot be the name of a file", name);
  }
  state_ = std::make_unique<State>(State{folder, name, geometry, false, {}, {}});
}

FieldSeries::~FieldSeries() = default;
FieldSeries::FieldSeries(FieldSeries&&) noexcept = default;
FieldSeries& FieldSeries::operator=(FieldSeries&&) noexcept = default;

fs::path FieldSeries::path() const {
  return state_->indexPath();
}

void FieldSeries::resume(std::int64_t step) {
  if (state_->started) throw UsageError("field series {}: resume() came too late", state_->name);
  try {
    state_->start(step);
  } catch (const fs::filesystem_error& error) {
    throw cannotWrite(error.path1(), error.code().value());
  }
}

void FieldSeries::add(std::int64_t step, double time, std::span<const FieldArray> arrays) {
  State& state = *state_;
  const std::vector<Column> columns = state.columnsOf(arrays);
  const std::int64_t last = state.frames.empty() ? -1 : state.frames.back().step;
  if (step <= last || !std::isfinite(time)) {
    throw UsageError("field series {}: a frame of step {} at time {} cannot follow step {}",
                     state.name, step, time, last);
  }
  try {
    if (!state.started) state.start(-1);
    if (state.frames.empty()) makeFolder(state.framesFolder());
  } catch (const fs::filesystem_error& error) {
    throw cannotWrite(error.path1(), error.code().value());
  }
  if (state.frames.empty()) state.columns = columns;
  if (state.columns != columns) {
    throw UsageError("field series {}: the frame of step {} has other arrays than that of step {}",
                     state.name, step, state.frames.front().step);
  }
  const Frame frame{step, time};
  state.writeFrame(frame, arrays);
  state.frames.push_back(frame);
  state.writeIndex();
}

}  // namespace mass
