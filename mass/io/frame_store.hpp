#pragma once

// Private to mass/io, as it shows HDF5: include it from .cpp files only.

#include <mass/io/field_array.hpp>
#include <mass/io/hdf5.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mass::detail {

/// An array of a frame's file.
struct FrameArray {
  std::string path;  ///< in the file: its groups and its name
  ElementType type = ElementType::float64;
  std::vector<hsize_t> shape;
  const void* data = nullptr;
};

/// What is known of a frame that is on the disk.
struct Frame {
  std::int64_t step = 0;
  double time = 0;
  std::vector<hsize_t> lengths{};  ///< of its arrays, along axis 0
};

/// What the files of a kind of series look like.
struct FrameFormat {
  std::string kind;       ///< for messages: "field series"
  std::string extension;  ///< with the dot
  /// The axes that every array begins with; in the index the arrays of several frames lie behind
  /// each other along a new axis 0. None: arrays are lists of any length, which the index joins.
  std::vector<hsize_t> axes;
  /// Writes what there is besides arrays, and the groups that they are in: for the file of one
  /// frame, or for the index of these.
  std::function<void(hid_t file, std::span<const Frame> frames)> describe;
};

/// The files of a series of frames: `<folder>/<name>/<step><extension>`, one a frame, and an index
/// `<folder>/<name><extension>`, which points at the arrays of all frames (HDF5 virtual datasets,
/// relative paths). All appear by rename, so that whatever kills the program, what is there can be
/// opened.
class FrameStore {
 public:
  /// Touches no file. Throws UsageError when the name is none for a file.
  FrameStore(std::filesystem::path folder, std::string name, FrameFormat format);

  /// Goes on with the frames an earlier run left: keeps those of steps up to `step`, removes later
  /// ones. Only before the first add(). Throws OutputError if a kept frame does not fit.
  void resume(std::int64_t step);
  /// Writes the file of the frame of `step` (≥ 0, later than the last one). Every frame must have
  /// the same arrays, in the order in which one walks through the file. The first frame of a series
  /// that was not resumed removes all frames of earlier runs. Throws OutputError, UsageError.
  void add(std::int64_t step, double time, std::span<const FrameArray> arrays);
  /// Makes the index show all frames. Throws OutputError.
  void writeIndex() const;

  /// The index.
  std::filesystem::path path() const;
  /// The last frame's; -1: there is none.
  std::int64_t lastStep() const { return frames_.empty() ? -1 : frames_.back().step; }

  /// A quantity as an array below a group; `shape` is that of one component.
  /// Throws UsageError when its name is none, or it has no numbers.
  FrameArray arrayOf(const FieldArray& quantity, const std::string& group,
                     std::vector<hsize_t> shape) const;

 private:
  /// An array as every frame has it; where it is a list, with no length.
  struct Column {
    std::string path;
    ElementType type;
    std::vector<hsize_t> shape;

    bool operator==(const Column&) const = default;
  };

  bool areLists() const { return format_.axes.empty(); }
  std::filesystem::path framesFolder() const { return folder_ / name_; }
  std::string frameName(std::int64_t step) const;
  std::filesystem::path framePath(std::int64_t step) const {
    return framesFolder() / frameName(step);
  }
  std::int64_t stepOf(const std::string& fileName) const;
  bool isLeftover(const std::string& fileName) const;
  std::vector<Column> columnsOf(std::span<const FrameArray> arrays) const;
  void start(std::int64_t keepUpTo);
  std::vector<std::int64_t> stepsPresent() const;
  void removeLeftovers() const;
  void readFrame(std::int64_t step);
  void requireAxes(const std::string& path, const Column& column) const;
  void writeFile(const std::filesystem::path& path, std::span<const Frame> frames,
                 const std::function<void(hid_t file)>& arrays) const;
  void writeFrame(const Frame& frame, std::span<const FrameArray> arrays) const;
  void writeVirtual(hid_t file, std::size_t number) const;

  std::filesystem::path folder_;
  std::string name_;
  FrameFormat format_;
  bool started_ = false;  ///< whatever an earlier run left has been dealt with
  std::vector<Frame> frames_;
  std::vector<Column> columns_;
};

/// What a file for ParaView begins with: the group VTKHDF, of a type of VTK's, and the time where
/// it is of one frame. Throws hdf5::Failure.
hdf5::Id createVtkGroup(hid_t file, const std::string& type, std::span<const Frame> frames);
/// The group with the times of several frames. Throws hdf5::Failure.
hdf5::Id createVtkSteps(hid_t vtk, std::span<const Frame> frames);

}  // namespace mass::detail
