#pragma once

#include <mass/backend/ranks.hpp>
#include <mass/io/checkpoint_file.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mass::detail {

/// Checkpoint that rank 0 reads for all ranks, which call the functions together.
class RankCheckpoint {
 public:
  /// Opens the file on rank 0. The ranks must outlive this.
  /// @throws CheckpointError on rank 0 if the file cannot be read; RankError on the others
  RankCheckpoint(Ranks& ranks, const std::filesystem::path& file);

  /// Returns the contents except the arrays.
  const CheckpointHeader& header() const { return header_; }
  /// Checks that the file has these arrays and no others.
  /// @throws CheckpointError on rank 0 if it has not; RankError on the others
  void requireArrays(const std::vector<ArrayInfo>& arrays) const;
  /// Returns the hash given to CheckpointWriter::end.
  std::uint64_t hash(const std::string& name) const;
  /// Reads rows of an array on rank 0; does nothing on the others. See CheckpointReader::rows().
  void rows(const std::string& name, std::int64_t first, std::int64_t count, void* packed) const;
  /// Returns the bytes of an array on all ranks.
  std::vector<char> bytesOf(const ArrayInfo& array) const;

 private:
  Ranks& ranks_;
  std::filesystem::path path_;
  std::optional<CheckpointReader> reader_;  // on rank 0
  CheckpointHeader header_;
};

}  // namespace mass::detail
