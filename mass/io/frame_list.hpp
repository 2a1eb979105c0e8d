#pragma once

// Private to mass/io, since it includes HDF5: include it from .cpp files only.

#include <mass/io/file_sum.hpp>
#include <mass/io/hdf5.hpp>
#include <mass/support/element_type.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mass::detail {

/// Frame on the disk.
struct Frame {
  std::int64_t step = 0;
  double time = 0;
  FileSum sum{};                   ///< sum of its file; 0 bytes if not known
  std::vector<hsize_t> lengths{};  ///< extent along axis 0, by array
};

/// Array of every frame of a series; its length is that of Frame::lengths.
struct FrameColumn {
  std::string path;  ///< groups and name in the file
  ElementType type = ElementType::float64;
  std::vector<hsize_t> shape;  ///< the first extent is 0 if the array is a list

  bool operator==(const FrameColumn&) const = default;
};

/// Contents of the frames of a series except their values, and checksums of their files.
/// Checkpoints store it as a text, so that a restart need not open the frames: HDF5 may crash on a
/// damaged one.
struct FrameList {
  std::vector<FrameColumn> columns;
  std::vector<Frame> frames;

  /// True if there is a frame of that step.
  bool contains(std::int64_t step) const;
  /// Returns the list as a text.
  std::string text() const;
  /// Reads a text of text(), or of an earlier version, which has no checksums.
  /// @throws Failure if it is none
  static FrameList parse(const std::string& text);
};

/// Reads the list of a single frame from its file. HDF5 may crash on a damaged one.
/// @param areLists true if the first extent of an array is its length
/// @throws hdf5::Failure if it is no frame
FrameList readFrame(const std::filesystem::path& path, std::int64_t step, bool areLists);

}  // namespace mass::detail
