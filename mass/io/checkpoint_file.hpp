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

/// Array of a checkpoint: `shape[0]` rows, each of shape[1] x shape[2] x ... adjacent elements.
struct ArrayInfo {
  std::string name;  ///< not empty, without '/'
  ElementType type = ElementType::opaque;
  std::size_t elementSize = 0;  ///< bytes; sizeOf(type) unless the type is opaque
  std::vector<std::uint64_t> shape;

  /// Returns the bytes of one row.
  std::uint64_t rowBytes() const;
  bool operator==(const ArrayInfo&) const = default;
};

/// Contents of a checkpoint except its arrays.
struct CheckpointHeader {
  std::string model;                              ///< name of the model that wrote it
  std::string settings;                           ///< the settings, as YAML text
  std::map<std::string, std::uint64_t> counters;  ///< e.g. "life.step"
  std::map<std::string, double> numbers;          ///< e.g. "heat2d.time"
  std::map<std::string, std::string> texts;       ///< e.g. "species"; names without '/'
  std::string run{};  ///< description of the run that wrote it; empty in older files

  bool operator==(const CheckpointHeader&) const = default;
};

/// Writes a checkpoint, array by array and row by row, without a copy of the whole world. The file
/// has its name only after commit(); before that, or after an error, an older file of that name is
/// unchanged.
///
/// The format is HDF5: contiguous little-endian datasets in the group /arrays, and checksums of all
/// contents.
class CheckpointWriter {
 public:
  /// @throws OutputError if the file cannot be created
  CheckpointWriter(const std::filesystem::path& path, const CheckpointHeader& header);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Begins an array.
  /// @throws UsageError if another array is open, the name is used, or `info` is malformed;
  ///   OutputError if the file cannot be written
  void begin(const ArrayInfo& info);
  /// Writes the next rows of the open array.
  /// @param first number of rows written so far
  /// @param packed `count` x rowBytes() bytes
  /// @throws UsageError if no array is open or the rows are not the next ones; OutputError if the
  /// file
  ///   cannot be written
  void rows(std::uint64_t first, std::uint64_t count, const void* packed);
  /// Ends the open array.
  /// @param hash any number; CheckpointReader::hash returns it
  /// @throws UsageError if no array is open or rows are missing; OutputError if the file cannot be
  ///   written
  void end(std::uint64_t hash);
  /// Flushes the complete file to the disk and renames it. No other call may follow.
  /// @throws UsageError if an array is open; OutputError if the file cannot be written
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// True if `path` is a regular file that begins as a checkpoint. Links are followed.
bool beginsAsCheckpoint(const std::filesystem::path& path);

/// Reads a checkpoint. Checks every byte against a checksum before returning it.
class CheckpointReader {
 public:
  /// Opens the file and checks all contents except those of the arrays, which rows() checks.
  /// @throws CheckpointError if the file is missing, damaged or no checkpoint
  explicit CheckpointReader(const std::filesystem::path& path);
  ~CheckpointReader();
  CheckpointReader(const CheckpointReader&) = delete;
  CheckpointReader& operator=(const CheckpointReader&) = delete;

  /// Returns the contents except the arrays.
  const CheckpointHeader& header() const;
  /// Returns the arrays in the order in which they were written.
  const std::vector<ArrayInfo>& arrays() const;
  /// @throws CheckpointError if the array is missing or has another type or shape
  void require(const ArrayInfo& wanted) const;
  /// Returns the hash given to CheckpointWriter::end.
  /// @throws CheckpointError if there is no such array
  std::uint64_t hash(const std::string& name) const;
  /// Reads rows [first, first + count) of an array. Cost is least for many rows at once, since
  /// whole blocks of about 1 MiB are read and checked.
  /// @param packed receives `count` x rowBytes() bytes
  /// @throws CheckpointError if there are no such rows, or they are damaged
  void rows(const std::string& name, std::uint64_t first, std::uint64_t count, void* packed) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mass::detail
