#pragma once

#include <mass/support/element_type.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mass::detail {

/// One array of a checkpoint: `shape[0]` rows of the product of the other extents elements each,
/// packed.
struct ArrayInfo {
  std::string name;  ///< not empty, without '/'
  ElementType type = ElementType::opaque;
  std::size_t elementSize = 0;  ///< bytes; sizeOf(type) unless the type is opaque
  std::vector<std::uint64_t> shape;

  /// Bytes of one row.
  std::uint64_t rowBytes() const;
  bool operator==(const ArrayInfo&) const = default;
};

/// What a checkpoint says besides its arrays.
struct CheckpointHeader {
  std::string model;                              ///< which model wrote it
  std::string settings;                           ///< the settings, as YAML text
  std::map<std::string, std::uint64_t> counters;  ///< e.g. "life.step"
  std::map<std::string, double> numbers;          ///< e.g. "heat2d.time"
  std::map<std::string, std::string> texts;       ///< e.g. "species"; names without '/'

  bool operator==(const CheckpointHeader&) const = default;
};

/// Writes a checkpoint, array by array and row by row, so that nobody needs a copy of the whole
/// world. The file has its name only after commit(); before, or after an error, an older one of
/// that name is untouched.
///
/// An HDF5 file (h5dump and h5py read it): the arrays as contiguous little-endian datasets in
/// /arrays, and checksums of everything. No two threads may use this class, CheckpointReader or
/// FieldSeries at the same time.
class CheckpointWriter {
 public:
  /// Throws OutputError if the file cannot be created.
  CheckpointWriter(const std::filesystem::path& path, const CheckpointHeader& header);
  ~CheckpointWriter();
  CheckpointWriter(CheckpointWriter&&) noexcept;
  CheckpointWriter& operator=(CheckpointWriter&&) noexcept;

  /// Starts an array. Throws OutputError; UsageError if another is open, the name was used, or the
  /// info is wrong.
  void begin(const ArrayInfo& info);
  /// The next `count` rows of the open array, count × rowBytes() bytes; `first` must be the number
  /// of rows given so far. Throws OutputError, UsageError.
  void rows(std::uint64_t first, std::uint64_t count, const void* packed);
  /// Ends the array, all rows of which have been given. `hash` is the caller's own, given back by
  /// CheckpointReader::hash. Throws OutputError, UsageError.
  void end(std::uint64_t hash);
  /// Puts the finished file in its place, on the disk. Nothing may follow. Throws OutputError,
  /// UsageError.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a checkpoint. Every byte is checked before it is given out. Each function throws
/// CheckpointError.
class CheckpointReader {
 public:
  /// Opens the file and checks everything but the arrays' contents; they are checked as they are
  /// read.
  explicit CheckpointReader(const std::filesystem::path& path);
  ~CheckpointReader();
  CheckpointReader(CheckpointReader&&) noexcept;
  CheckpointReader& operator=(CheckpointReader&&) noexcept;

  const CheckpointHeader& header() const;
  /// In the order in which they were written.
  const std::vector<ArrayInfo>& arrays() const;
  /// Throws if the array is missing or is not exactly of this type and shape; the message names
  /// both.
  void require(const ArrayInfo& wanted) const;
  /// The hash given to CheckpointWriter::end.
  std::uint64_t hash(const std::string& name) const;
  /// Rows first .. first + count - 1, into count × rowBytes() bytes. Cheapest in large pieces.
  void rows(const std::string& name, std::uint64_t first, std::uint64_t count, void* packed) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mass::detail
