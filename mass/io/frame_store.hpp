#pragma once

// Private to mass/io, since it includes HDF5: include it from .cpp files only.

#include <mass/io/field_array.hpp>
#include <mass/io/frame_list.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mass::detail {

/// Array in the file of a frame.
struct FrameArray {
  std::string path;  ///< groups and name in the file
  ElementType type = ElementType::float64;
  std::vector<hsize_t> shape;
  const void* data = nullptr;
};

/// Format of the files of a series.
struct FrameFormat {
  std::string kind;       ///< for messages: "field series"
  std::string extension;  ///< with the dot
  /// First axes of every array; the index stacks the frames along a new axis 0. If empty, arrays
  /// are lists of any length, which the index concatenates.
  std::vector<hsize_t> axes;
  /// Writes the contents except the arrays, and creates the arrays' groups, in the file of one
  /// frame or in the index of several.
  std::function<void(hid_t file, std::span<const Frame> frames)> describe;
};

/// Files of a series of frames: one file per frame, `<folder>/<name>/<step><extension>`, and an
/// index
/// `<folder>/<name><extension>`, which refers to the arrays of all frames (HDF5 virtual datasets,
/// relative paths). All files appear by rename, so that they can be opened even if the program is
/// killed.
class FrameStore {
 public:
  /// Has no effect on the disk.
  /// @throws UsageError if `name` is not a file name
  FrameStore(std::filesystem::path folder, std::string name, FrameFormat format);

  /// Begins an empty series. No file of an earlier run is removed.
  /// @param run description of the run, the attribute `run` of all files; empty for none
  /// @throws UsageError if begin(), resume() or add() has been called
  void begin(std::string run);
  /// Continues the series of an earlier run: keeps the frames up to `step` and removes later ones.
  /// @param list list() at the checkpoint of that step: the frames are then compared with their
  ///   checksums, not opened by HDF5. If empty, as with a checkpoint of an earlier version, each is
  ///   read in a child process.
  /// @param run see begin()
  /// @return note on frames of the list whose files are missing, which are left out; empty if none
  /// is
  /// @throws UsageError if begin(), resume() or add() has been called; OutputError if a kept frame
  ///   does not fit, or its bytes are not those of the list
  std::string resume(std::int64_t step, const std::string& list, std::string run);
  /// Returns the list of all frames for a checkpoint, as a text that is not empty.
  std::string list() const { return written_.text(); }
  /// Writes the file of a frame. Without begin() and resume(), the first frame removes all frames
  /// of earlier runs.
  /// @param step at least 0 and greater than lastStep()
  /// @param time physical time, in the model's unit
  /// @param arrays arrays in depth-first order of the file's groups; equal for all frames except
  /// data
  /// @throws UsageError if an argument is not as stated; OutputError if the file cannot be written
  void add(std::int64_t step, double time, std::span<const FrameArray> arrays);
  /// Writes an index of all frames.
  /// @throws OutputError if it cannot be written
  void writeIndex() const;

  /// Returns the paths of the index and of all frames; empty without frames.
  std::vector<std::filesystem::path> files() const;
  /// Returns the file name of the index.
  std::filesystem::path path() const;
  /// Returns the step of the last frame; -1 if there is none.
  std::int64_t lastStep() const {
    return written_.frames.empty() ? -1 : written_.frames.back().step;
  }

  /// Returns a quantity as an array in `group`.
  /// @param group path of the group, with a final '/'
  /// @param shape shape of one component
  /// @throws UsageError if its name is malformed, or it has no numbers
  FrameArray arrayOf(const FieldArray& quantity, const std::string& group,
                     std::vector<hsize_t> shape) const;

 private:
  bool areLists() const { return format_.axes.empty(); }
  std::filesystem::path framesFolder() const { return folder_ / name_; }
  std::string frameName(std::int64_t step) const;
  std::filesystem::path framePath(std::int64_t step) const {
    return framesFolder() / frameName(step);
  }
  std::int64_t stepOf(const std::string& fileName) const;
  bool isLeftover(const std::string& fileName) const;
  std::vector<FrameColumn> columnsOf(std::span<const FrameArray> arrays) const;
  std::string start(std::int64_t keepUpTo, const std::string& list);
  std::vector<std::int64_t> stepsPresent() const;
  void removeLeftovers() const;
  FrameList listedFrames(const std::string& list, std::span<const std::int64_t> present,
                         std::string& note) const;
  std::string leaveOutMissing(FrameList& list, std::span<const std::int64_t> present) const;
  void requireBytes(Frame& frame) const;
  FrameList readFrames(std::span<const std::int64_t> present) const;
  FrameList readUnlisted(std::int64_t step) const;
  void requireAxes(const std::string& path, const FrameColumn& column) const;
  void writeFile(const std::filesystem::path& path, std::span<const Frame> frames,
                 const std::function<void(hid_t file)>& arrays) const;
  void writeFrame(const Frame& frame, std::span<const FrameArray> arrays) const;
  void writeVirtual(hid_t file, std::size_t number) const;

  std::filesystem::path folder_;
  std::string name_;
  FrameFormat format_;
  std::string run_;       ///< attribute `run` of all files; empty for none
  bool started_ = false;  ///< files of earlier runs have been kept or removed
  FrameList written_;
};

/// Creates the group VTKHDF of a file for ParaView, and its time if there is one frame.
/// @param type type of a VTK data set, for instance "ImageData"
/// @throws hdf5::Failure if HDF5 fails
hdf5::Id createVtkGroup(hid_t file, const std::string& type, std::span<const Frame> frames);
/// Creates the group with the times of several frames.
/// @throws hdf5::Failure if HDF5 fails
hdf5::Id createVtkSteps(hid_t vtk, std::span<const Frame> frames);

}  // namespace mass::detail
