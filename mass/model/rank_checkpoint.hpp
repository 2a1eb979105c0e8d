#pragma once

#include <mass/backend/ranks.hpp>
#include <mass/io/checkpoint_file.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mass::detail {

/// Default bytes of the pieces in which rows are read, written and sent.
inline constexpr std::size_t defaultPieceBytes = std::size_t{64} << 20;

/// Function that all ranks call for rows [first, first + count) of an array. @param packed memory
/// for the rows
using RowPieceFunction = std::function<void(std::int64_t first, std::int64_t count, char* packed)>;

/// Calls `work` for the rows of an array, in order and in pieces. The memory for the rows of a
/// piece is allocated on each rank; it takes up pages only where it is used.
/// @param pieceBytes largest size of a piece of more than one row
void forEachRowPiece(const ArrayInfo& array, std::size_t pieceBytes, const RowPieceFunction& work);

/// Checkpoint that rank 0 reads for all ranks, which call the functions together.
class RankCheckpoint {
 public:
  /// Opens the file on rank 0. The ranks must outlive this.
  /// @throws CheckpointError on rank 0 if the file cannot be read; RankError on the others
  RankCheckpoint(Ranks& ranks, const std::filesystem::path& file,
                 std::size_t pieceBytes = defaultPieceBytes);

  /// Returns the contents except the arrays.
  const CheckpointHeader& header() const { return header_; }
  /// Checks that the file has these arrays and no others.
  /// @throws CheckpointError on rank 0 if it has not; RankError on the others
  void requireArrays(const std::vector<ArrayInfo>& arrays) const;
  /// Returns the hash given to CheckpointWriter::end.
  std::uint64_t hash(const std::string& name) const;
  /// Reads an array in pieces on rank 0 and calls `work` for each of them on all ranks, which wait
  /// for each other after each piece.
  /// @param work rank 0 finds the rows in `packed`; other ranks may use that memory
  /// @throws CheckpointError on rank 0 if the rows are damaged
  void forEachPiece(const ArrayInfo& array, const RowPieceFunction& work) const;
  /// Reads an array on rank 0 and returns the rows of this rank, which it sends in pieces.
  /// @param firstRows first row of each rank, and the number of all rows
  std::vector<char> ownRows(const ArrayInfo& array, std::span<const std::size_t> firstRows) const;
  /// Reads an array on rank 0 and returns all rows on every rank.
  std::vector<char> allRows(const ArrayInfo& array) const;

 private:
  Ranks& ranks_;
  std::filesystem::path path_;
  std::size_t pieceBytes_;
  std::optional<CheckpointReader> reader_;  // on rank 0
  CheckpointHeader header_;
};

/// Checkpoint that rank 0 writes for all ranks, which call the functions together.
class RankCheckpointWriter {
 public:
  /// Creates the file on rank 0. The ranks must outlive this.
  /// @throws OutputError on rank 0 if the file cannot be created
  RankCheckpointWriter(Ranks& ranks, const std::filesystem::path& file,
                       const CheckpointHeader& header, std::size_t pieceBytes = defaultPieceBytes);

  /// Writes an array. While rank 0 writes a piece, the others may send it the next one.
  /// @param hash see CheckpointWriter::end()
  /// @param read copies rows to the memory of rank 0
  /// @throws OutputError on rank 0 if the file cannot be written
  void add(const ArrayInfo& array, std::uint64_t hash, const RowPieceFunction& read);
  /// Completes the file. @throws OutputError on rank 0 if it cannot be written
  void commit();

 private:
  Ranks& ranks_;
  std::size_t pieceBytes_;
  std::optional<CheckpointWriter> writer_;  // on rank 0
};

}  // namespace mass::detail
