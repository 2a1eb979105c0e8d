#pragma once

#include <apps/life/rule_parser.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace life {

/// Adjacent cells of one row and one state, none of them dead. Row 0 is the top, column 0 the left.
struct Run {
  std::int64_t row = 0;
  std::int64_t column = 0;  ///< column of the first cell
  std::int64_t length = 1;  ///< at least 1
  std::uint8_t state = 1;   ///< at least 1; see RuleTable
  friend bool operator==(const Run&, const Run&) = default;
};

/// Rule that a file names. It is parsed only if it is used: `rule` of the settings also replaces a
/// rule that is unknown here.
struct FileRule {
  std::string text;   ///< unchanged from the file
  std::string where;  ///< "file:line:column" of the text

  /// @throws mass::InputError that begins with `where` if parseRule() refuses the text
  NamedRule parse() const;
};

/// Rectangle of dead and other cells, read from a file in a format of LifeWiki.
struct Pattern {
  /// Largest rows × columns of a pattern that is read.
  static constexpr std::int64_t maxCells = std::int64_t{1} << 31;

  std::string name;          ///< name in the file; without one, the file name without extension
  std::int64_t rows = 0;     ///< at least 1
  std::int64_t columns = 0;  ///< at least 1
  std::vector<Run> runs;     ///< cells that are not dead; runs of Life 1.05 may overlap
  std::optional<FileRule> rule;
  int states = 2;           ///< number of states that the cells need
  std::string statesWhere;  ///< "file:line:column" of the first cell of the highest state above 1

  /// Reads a file: Life 1.05 or 1.06 if its first line says so; else run-length encoded if its
  /// extension is .rle, plaintext if it is .cells (in any case); else by its contents.
  /// @throws mass::InputError if the file is unreadable, of another format, or malformed
  static Pattern load(const std::filesystem::path& path);

  /// Replaces states of a rule with the suffix History (isHistoryRule()) by living and dead cells.
  /// @return true if a state was replaced
  /// @throws mass::InputError if a cell is of another state, or a boundary
  bool removeMarks();

  /// Reads run-length encoded text: comment lines, a header such as `x = 3, y = 3, rule = B3/S23`,
  /// then runs up to `!`. Cells are `b` and `o`, or `.` and `A` to `yO` for states 0 and 1 to 255.
  /// Without a header, the rectangle is the smallest one with all runs.
  /// @param source path that errors and, without a `#N` line, the pattern are named by
  /// @throws mass::InputError with source, line and column if the text is malformed.
  static Pattern parseRle(std::string_view text, const std::string& source);

  /// Reads plaintext: `!` comments, then a line per row of `.` (dead) and `O` or `*` (alive). Short
  /// lines are padded with dead cells.
  /// @param source path that errors and, without a `!Name:` line, the pattern are named by
  /// @throws mass::InputError with source, line and column if the text is malformed.
  static Pattern parseCells(std::string_view text, const std::string& source);

  /// Reads Life 1.05: `#` comments, `#N` (Conway's rule) or `#R 23/3`, and blocks: `#P x y`, then
  /// rows as in plaintext. The rectangle is the smallest one with all blocks.
  /// @param source path that errors and the pattern are named by
  /// @throws mass::InputError with source, line and column if the text is malformed.
  static Pattern parseLife105(std::string_view text, const std::string& source);

  /// Reads Life 1.06: a line `x y` for each living cell, x to the right and y downwards.
  /// @param source path that errors and the pattern are named by
  /// @throws mass::InputError with source, line and column if the text is malformed.
  static Pattern parseLife106(std::string_view text, const std::string& source);
};

/// Returns the states of all cells of a world of `rows` × `columns` cells with the pattern in the
/// centre, in row-major order.
/// @throws mass::InputError if the pattern is larger than the world.
std::vector<std::uint8_t> centred(const Pattern& pattern, std::int64_t rows, std::int64_t columns);

}  // namespace life
