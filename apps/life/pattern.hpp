#pragma once

#include <apps/life/rule.hpp>

#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace life {

/// Position of a cell; row 0 is the top, column 0 the left.
struct CellPosition {
  std::int64_t row = 0;
  std::int64_t column = 0;
  friend auto operator<=>(const CellPosition&, const CellPosition&) = default;
};

/// Rectangle of dead and living cells, read from a file in a format of LifeWiki.
struct Pattern {
  /// Largest rows × columns of a pattern that is read (256 MiB as a bit per cell).
  static constexpr std::int64_t maxCells = std::int64_t{1} << 31;

  std::string name;          ///< name in the file; without one, the file name without extension
  std::int64_t rows = 0;     ///< at least 1
  std::int64_t columns = 0;  ///< at least 1
  std::vector<bool> cells;   ///< rows × columns in row-major order; true is alive
  std::optional<Rule> rule;  ///< named by the file

  /// Reads a file: run-length encoded if its extension is .rle, plaintext if it is .cells (in any
  /// case), else by its first character.
  /// @throws mass::InputError if the file is unreadable or its text is malformed.
  static Pattern load(const std::filesystem::path& path);

  /// Reads run-length encoded text: comment lines, a header such as `x = 3, y = 3, rule = B3/S23`,
  /// then runs up to `!`.
  /// @param source path that errors and, without a `#N` line, the pattern are named by
  /// @throws mass::InputError with source, line and column if the text is malformed.
  static Pattern parseRle(std::string_view text, const std::string& source);

  /// Reads plaintext: `!` comments, then a line per row of `.` (dead) and `O` or `*` (alive). Short
  /// lines are padded with dead cells.
  /// @param source path that errors and, without a `!Name:` line, the pattern are named by
  /// @throws mass::InputError with source, line and column if the text is malformed.
  static Pattern parseCells(std::string_view text, const std::string& source);
};

/// Returns the living cells of `pattern`, centred in a world of `rows` × `columns` cells, in
/// row-major order.
/// @throws mass::InputError if the pattern is larger than the world.
std::vector<CellPosition> place(const Pattern& pattern, std::int64_t rows, std::int64_t columns);

/// Returns the living cells of `pattern` with its upper left corner at `corner` of a world of
/// `rows` × `columns` cells, in row-major order.
/// @throws mass::InputError if the pattern is not wholly inside the world.
std::vector<CellPosition> place(const Pattern& pattern, std::int64_t rows, std::int64_t columns,
                                CellPosition corner);

}  // namespace life
