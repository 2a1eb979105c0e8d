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

/// A cell of a world; row 0 is the top, column 0 the left.
struct Cell {
  std::int64_t row = 0;
  std::int64_t column = 0;
  friend auto operator<=>(const Cell&, const Cell&) = default;
};

/// A rectangle of dead and living cells, as read from a file of LifeWiki's.
struct Pattern {
  /// The largest rows × columns that is read (a quarter of a GiB here).
  static constexpr std::int64_t maxCells = std::int64_t{1} << 31;

  std::string name;          ///< as the file gives it, else the file's name without its ending
  std::int64_t rows = 0;     ///< at least 1
  std::int64_t columns = 0;  ///< at least 1
  std::vector<bool> cells;   ///< rows × columns, row by row; true is alive
  std::optional<Rule> rule;  ///< the rule the file asks for

  /// Reads a file: run-length encoded when it ends in .rle, plaintext when in .cells, and by how it
  /// begins otherwise. Throws mass::InputError when the file cannot be read or its text is wrong.
  static Pattern load(const std::filesystem::path& path);

  /// Reads run-length encoded text: comment lines, a header such as `x = 3, y = 3, rule = B3/S23`,
  /// then runs up to `!`. `source` (a path) is named in errors. Throws mass::InputError with
  /// source, line and column.
  static Pattern parseRle(std::string_view text, const std::string& source);

  /// Reads plaintext: `!` comments, then a line per row of `.` (dead) and `O` or `*` (alive). Short
  /// lines are filled with dead cells. Throws mass::InputError with source, line and column.
  static Pattern parseCells(std::string_view text, const std::string& source);
};

/// The living cells of `pattern`, centred in a world of `rows` × `columns` cells, in row-major
/// order. Throws mass::InputError when the pattern is larger than the world.
std::vector<Cell> place(const Pattern& pattern, std::int64_t rows, std::int64_t columns);

/// The same with the pattern's upper left corner at `corner`. Throws mass::InputError when any part
/// of the pattern would lie outside the world.
std::vector<Cell> place(const Pattern& pattern, std::int64_t rows, std::int64_t columns,
                        Cell corner);

}  // namespace life
