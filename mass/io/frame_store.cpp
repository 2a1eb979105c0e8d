#include <mass/io/frame_store.hpp>

#include <mass/io/atomic_file.hpp>
#include <mass/io/child_process.hpp>
#include <mass/io/foreign_dataset.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>
#include <utility>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

constexpr int stepDigits = 12;
constexpr const char* frameAdvice = "remove the frames or give the series another name";

/// Doubles each '%', which HDF5 interprets as a pattern in the names of virtual sources.
std::string escapePercent(std::string name) {
  for (std::size_t at = name.find('%'); at != std::string::npos; at = name.find('%', at + 2)) {
    name.insert(at, 1, '%');
  }
  return name;
}

}  // namespace

FrameStore::FrameStore(fs::path folder, std::string name, FrameFormat format)
    : folder_(std::move(folder)), name_(std::move(name)), format_(std::move(format)) {
  if (name_.empty() || name_ == "." || name_ == ".." || name_.find('/') != std::string::npos) {
    throw UsageError("{}: '{}' cannot be the name of a file", format_.kind, name_);
  }
}

fs::path FrameStore::path() const {
  return folder_ / (name_ + format_.extension);
}

std::string FrameStore::frameName(std::int64_t step) const {
  return fmt::format("{:0{}}{}", step, stepDigits, format_.extension);
}

/// Returns the step in the file name of a frame; -1 for another file.
std::int64_t FrameStore::stepOf(const std::string& fileName) const {
  std::int64_t step = -1;
  const auto [end, error] =
      std::from_chars(fileName.data(), fileName.data() + fileName.size(), step);
  return error == std::errc() && step >= 0 && frameName(step) == fileName ? step : -1;
}

/// True if the name is that of an incomplete frame of a killed run.
bool FrameStore::isLeftover(const std::string& fileName) const {
  constexpr std::string_view suffix = ".partial";
  return fileName.ends_with(suffix) &&
         stepOf(fileName.substr(0, fileName.size() - suffix.size())) >= 0;
}

FrameArray FrameStore::arrayOf(const FieldArray& quantity, const std::string& group,
                               std::vector<hsize_t> shape) const {
  const std::string& called = quantity.name;
  if (called.empty() || called == "." || called.find('/') != std::string::npos) {
    throw UsageError("{} {}: '{}' cannot be the name of an array; use one without '/'",
                     format_.kind, name_, called);
  }
  const bool isEmpty = std::find(shape.begin(), shape.end(), 0U) != shape.end();
  if (quantity.type == ElementType::opaque || quantity.components < 1 ||
      (quantity.data == nullptr && !isEmpty)) {
    throw UsageError("{} {}: array '{}' needs numbers, at least one each; it has {} {}",
                     format_.kind, name_, called, quantity.components, nameOf(quantity.type));
  }
  if (quantity.components > 1) shape.push_back(quantity.components);
  // A boolean is stored as a byte, and is read back as one.
  const auto type = quantity.type == ElementType::boolean ? ElementType::uint8 : quantity.type;
  return {group + called, type, std::move(shape), quantity.data};
}

std::vector<FrameColumn> FrameStore::columnsOf(std::span<const FrameArray> arrays) const {
  std::vector<FrameColumn> found;
  for (const FrameArray& array : arrays) {
    const auto samePath = [&](const FrameColumn& column) { return column.path == array.path; };
    if (std::any_of(found.begin(), found.end(), samePath)) {
      throw UsageError("{} {}: there are two arrays named '{}'", format_.kind, name_,
                       array.path.substr(array.path.rfind('/') + 1));
    }
    found.push_back({array.path, array.type, array.shape});
    if (areLists()) found.back().shape.front() = 0;
  }
  return found;
}

// Files of an earlier run

std::vector<std::int64_t> FrameStore::stepsPresent() const {
  std::vector<std::int64_t> steps;
  if (!fs::exists(framesFolder())) return steps;
  for (const auto& entry : fs::directory_iterator(framesFolder())) {
    const std::int64_t step = stepOf(entry.path().filename().string());
    if (step >= 0) steps.push_back(step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

void FrameStore::removeLeftovers() const {
  if (!fs::exists(framesFolder())) return;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(framesFolder())) {
    if (isLeftover(entry.path().filename().string())) leftovers.push_back(entry.path());
  }
  for (const fs::path& leftover : leftovers) fs::remove(leftover);
}

/// Keeps the frames up to a step. @return note on missing frames; empty if there are none
std::string FrameStore::start(std::int64_t keepUpTo, const std::string& list) {
  const std::vector<std::int64_t> steps = stepsPresent();
  const auto later = std::upper_bound(steps.begin(), steps.end(), keepUpTo);
  const std::span<const std::int64_t> earlier(steps.begin(), later);
  std::string note;
  written_ = list.empty() ? readFrames(earlier) : listedFrames(list, earlier, note);
  for (Frame& frame : written_.frames) requireBytes(frame);
  // The index is written first, so that it never refers to a removed frame.
  if (written_.frames.empty()) {
    fs::remove(path());
  } else {
    writeIndex();
  }
  for (const std::int64_t step : steps) {
    if (!written_.contains(step)) fs::remove(framePath(step));
  }
  removeLeftovers();
  started_ = true;
  return note;
}

/// @throws OutputError if an array of the frame at `path` has other axes
void FrameStore::requireAxes(const std::string& path, const FrameColumn& column) const {
  const std::vector<hsize_t>& axes = format_.axes;
  if (column.shape.size() >= axes.size() &&
      std::equal(axes.begin(), axes.end(), column.shape.begin())) {
    return;
  }
  throw OutputError("cannot continue {}: its array '{}' is [{}], the world is [{}]; {}", path,
                    column.path.substr(column.path.rfind('/') + 1), fmt::join(column.shape, " x "),
                    fmt::join(axes, " x "), frameAdvice);
}

/// Compares the file of a frame with its checksum, or determines that if it is not known.
/// @throws OutputError if the file cannot be read or has other bytes
void FrameStore::requireBytes(Frame& frame) const {
  const std::string path = framePath(frame.step).string();
  const auto fail = [&](std::string_view reason) {
    throw OutputError(
        "cannot continue '{}': {}; copy it again, or remove it to continue without that frame",
        path, reason);
  };
  FileSum sum;
  try {
    sum = sumOf(path);
  } catch (const Error& error) {
    fail(error.what());
  }
  if (frame.sum.bytes > 0 && sum != frame.sum)
    fail("its bytes are not those that the run wrote: it is damaged or of another run");
  frame.sum = sum;
}

/// Removes the frames without a file from a list. @return note on them; empty if there are none
std::string FrameStore::leaveOutMissing(FrameList& list,
                                        std::span<const std::int64_t> present) const {
  std::vector<std::int64_t> missing;
  std::erase_if(list.frames, [&](const Frame& frame) {
    const bool isMissing = !std::binary_search(present.begin(), present.end(), frame.step);
    if (isMissing) missing.push_back(frame.step);
    return isMissing;
  });
  // None are present in another folder, where the series begins.
  if (missing.empty() || present.empty()) return {};
  return fmt::format("{} of the earlier files in '{}' {} missing and left out: {}{}",
                     missing.size(), framesFolder().string(), missing.size() == 1 ? "is" : "are",
                     frameName(missing.front()), missing.size() == 1 ? "" : ", ...");
}

/// Returns the frames of a list that are present. @param note describes the others
/// @throws OutputError if their arrays have other axes, the list is malformed, or a frame that is
/// present is not on it: another run wrote that
FrameList FrameStore::listedFrames(const std::string& list, std::span<const std::int64_t> present,
                                   std::string& note) const {
  try {
    FrameList frames = FrameList::parse(list);
    for (const FrameColumn& column : frames.columns) requireAxes(framesFolder().string(), column);
    for (const std::int64_t step : present) {
      if (frames.contains(step)) continue;
      throw OutputError(
          "cannot continue the {} '{}': the checkpoint does not list its frame of step {}, so "
          "another run wrote it; {}",
          format_.kind, path().string(), step, frameAdvice);
    }
    note = leaveOutMissing(frames, present);
    return frames;
  } catch (const hdf5::Failure& failure) {
    throw OutputError("cannot continue {}: {}; {}", path().string(), failure.what(), frameAdvice);
  }
}

/// Returns the list of frames that no checkpoint lists.
FrameList FrameStore::readFrames(std::span<const std::int64_t> present) const {
  FrameList frames;
  for (const std::int64_t step : present) {
    FrameList frame = readUnlisted(step);
    if (frames.frames.empty()) frames.columns = frame.columns;
    if (frame.columns != frames.columns) {
      throw OutputError("cannot continue {}: its arrays differ from those of {}; {}",
                        framePath(step).string(), framePath(frames.frames.front().step).string(),
                        frameAdvice);
    }
    frames.frames.push_back(std::move(frame.frames.front()));
  }
  return frames;
}

/// Reads the list of a frame from its file, in a child process: its bytes have no checksum.
FrameList FrameStore::readUnlisted(std::int64_t step) const {
  constexpr ChildLimits limits{std::size_t{1} << 20, std::size_t{256} << 20, 10};
  const std::string path = framePath(step).string();
  const hdf5::Lock lock;
  try {
    const auto text = readInChild(limits, [&] {
      const std::string list =
          hdf5::readForeign([&] { return detail::readFrame(path, step, areLists()).text(); });
      return std::vector<std::uint8_t>(list.begin(), list.end());
    });
    FrameList frame = FrameList::parse({text.begin(), text.end()});
    for (const FrameColumn& column : frame.columns) requireAxes(path, column);
    return frame;
  } catch (const OutputError&) {
    throw;
  } catch (const Error& error) {
    throw OutputError("cannot continue {}: {}; {}", path, error.what(), frameAdvice);
  }
}

// Writing

void FrameStore::writeFile(const fs::path& path, std::span<const Frame> frames,
                           const std::function<void(hid_t file)>& arrays) const {
  AtomicFile atomic(path);
  const hdf5::Lock lock;
  hdf5::NewFile file(atomic.temporary(), path);
  try {
    if (!run_.empty()) hdf5::writeAttribute(file, hdf5::runAttribute, run_);
    format_.describe(file, frames);
    arrays(file);
  } catch (const hdf5::Failure& failure) {
    file.requireWritten();
    throw OutputError("cannot write {}: {}", path.string(), failure.what());
  }
  file.close();
  atomic.publish();
}

void FrameStore::writeFrame(const Frame& frame, std::span<const FrameArray> arrays) const {
  writeFile(framePath(frame.step), {&frame, 1}, [&](hid_t file) {
    hdf5::writeAttribute(file, "time", frame.time);
    for (const FrameArray& array : arrays) {
      const hdf5::Id type = hdf5::dataType(array.type, sizeOf(array.type));
      const hdf5::Id set =
          hdf5::createDataset(file, array.path, type, hdf5::dataSpace(array.shape));
      hdf5::writeAttribute(set, "type", std::string(nameOf(array.type)));
      if (array.data == nullptr) continue;  // an empty array
      hdf5::checked(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.data), "H5Dwrite");
    }
  });
}

void FrameStore::writeVirtual(hid_t file, std::size_t number) const {
  const FrameColumn& column = written_.columns[number];
  std::vector<hsize_t> shape = column.shape;
  // A series of one frame is an image without time, whose arrays have no axis of frames.
  const bool stacks = !areLists() && written_.frames.size() > 1;
  if (stacks) shape.insert(shape.begin(), written_.frames.size());
  if (areLists()) {
    for (const Frame& frame : written_.frames) shape.front() += frame.lengths[number];
  }
  const hdf5::Id creation = hdf5::datasetProperties();
  const std::string sourceName = escapePercent('/' + column.path);
  hsize_t first = 0;
  for (const Frame& frame : written_.frames) {
    std::vector<hsize_t> source = column.shape;
    source.front() = frame.lengths[number];
    const hsize_t count = stacks ? 1 : source.front();
    if (count == 0) continue;  // nothing to refer to
    const std::string from = escapePercent(name_) + '/' + frameName(frame.step);
    hdf5::checked(H5Pset_virtual(creation, hdf5::rowsOf(shape, first, count), from.c_str(),
                                 sourceName.c_str(), hdf5::dataSpace(source)),
                  "H5Pset_virtual");
    first += count;
  }
  const hdf5::Id type = hdf5::dataType(column.type, sizeOf(column.type));
  hdf5::createDataset(file, column.path, type, hdf5::dataSpace(shape), creation);
}

void FrameStore::writeIndex() const {
  writeFile(path(), written_.frames, [&](hid_t file) {
    for (std::size_t i = 0; i < written_.columns.size(); ++i) writeVirtual(file, i);
  });
}

// The series

void FrameStore::begin(std::string run) {
  if (started_) throw UsageError("{} {}: begin() must be the first call", format_.kind, name_);
  run_ = std::move(run);
  started_ = true;
}

std::vector<fs::path> FrameStore::files() const {
  std::vector<fs::path> files;
  for (const Frame& frame : written_.frames) files.push_back(framePath(frame.step));
  if (!files.empty()) files.push_back(path());
  return files;
}

std::string FrameStore::resume(std::int64_t step, const std::string& list, std::string run) {
  if (started_) throw UsageError("{} {}: resume() must be the first call", format_.kind, name_);
  run_ = std::move(run);
  try {
    return start(step, list);
  } catch (const fs::filesystem_error& error) {
    throw cannotWrite(error.path1(), error.code().value());
  }
}

void FrameStore::add(std::int64_t step, double time, std::span<const FrameArray> arrays) {
  const std::vector<FrameColumn> columns = columnsOf(arrays);
  if (step <= lastStep() || !std::isfinite(time)) {
    throw UsageError("{} {}: a frame of step {} at time {} cannot follow step {}", format_.kind,
                     name_, step, time, lastStep());
  }
  try {
    if (!started_) start(-1, {});
    if (written_.frames.empty()) makeFolder(framesFolder());
  } catch (const fs::filesystem_error& error) {
    throw cannotWrite(error.path1(), error.code().value());
  }
  if (written_.frames.empty()) written_.columns = columns;
  if (written_.columns != columns) {
    throw UsageError("{} {}: the frame of step {} has other arrays than that of step {}",
                     format_.kind, name_, step, written_.frames.front().step);
  }
  Frame frame{step, time};
  for (const FrameArray& array : arrays) frame.lengths.push_back(array.shape.front());
  writeFrame(frame, arrays);
  requireBytes(frame);
  written_.frames.push_back(std::move(frame));
}

// Groups of ParaView's files

hdf5::Id createVtkGroup(hid_t file, const std::string& type, std::span<const Frame> frames) {
  constexpr std::array<std::int64_t, 2> version{2, 0};
  hdf5::Id vtk = hdf5::createGroup(file, "VTKHDF");
  hdf5::writeAttribute(vtk, "Version", std::span<const std::int64_t>(version));
  hdf5::writeAttribute(vtk, "Type", type);
  if (frames.size() != 1) return vtk;
  const hdf5::Id fieldData = hdf5::createGroup(vtk, "FieldData");
  hdf5::writeDataset(fieldData, "TimeValue", std::span(&frames[0].time, 1));
  hdf5::writeDataset(fieldData, "Step", std::span(&frames[0].step, 1));
  return vtk;
}

hdf5::Id createVtkSteps(hid_t vtk, std::span<const Frame> frames) {
  std::vector<double> times;
  for (const Frame& frame : frames) times.push_back(frame.time);
  hdf5::Id steps = hdf5::createGroup(vtk, "Steps");
  hdf5::writeAttribute(steps, "NSteps", static_cast<std::int64_t>(frames.size()));
  hdf5::writeDataset(steps, "Values", std::span<const double>(times));
  return steps;
}

}  // namespace mass::detail
