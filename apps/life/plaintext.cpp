#include <apps/life/line_reader.hpp>
#include <apps/life/pattern.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

namespace life {
namespace {

/// Returns `text` without blanks at its end.
std::string_view endTrimmed(std::string_view text) {
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// Pattern that grows by rows or cells at any position. finish() moves it to its own corner.
class Builder {
 public:
  /// @param expected cells that a text has, for messages
  Builder(const std::string& source, std::string_view expected) : expected_(expected) {
    pattern_.name = std::filesystem::path(source).stem().string();
  }

  Pattern& pattern() { return pattern_; }

  /// Adds a row of `.` (dead), `O` and `*` (alive), whose first cell is at `column`.
  void addRow(const LineReader& lines, std::string_view row, std::int64_t top,
              std::int64_t column) {
    const auto begin = static_cast<std::size_t>(row.data() - lines.line().data());
    for (std::size_t at = 0; at < row.size();) {
      const std::size_t end = std::min(row.find_first_not_of(row[at], at), row.size());
      if (std::string_view(".O*").find(row[at]) == std::string_view::npos) {
        lines.fail(begin + at, "unexpected {}; a row consists of '.' (dead) and 'O' or '*' (alive)",
                   shown(row[at]));
      }
      const auto length = static_cast<std::int64_t>(end - at);
      if (row[at] != '.')
        pattern_.runs.push_back({top, column + static_cast<std::int64_t>(at), length});
      at = end;
    }
    cover(top, column, static_cast<std::int64_t>(row.size()));
  }

  void addCell(std::int64_t row, std::int64_t column) {
    pattern_.runs.push_back({row, column});
    cover(row, column, 1);
  }

  /// @throws mass::InputError if there are no cells, or the pattern is too large
  Pattern finish(const LineReader& lines) {
    if (left_ >= right_) lines.fail(0, "there are no cells; {} are expected", expected_);
    pattern_.rows = bottom_ - top_;
    pattern_.columns = right_ - left_;
    if (pattern_.rows > Pattern::maxCells / pattern_.columns) {
      lines.fail(0, "{} rows of {} columns are too many; a pattern has at most {} cells",
                 pattern_.rows, pattern_.columns, Pattern::maxCells);
    }
    for (Run& run : pattern_.runs) {
      run.row -= top_;
      run.column -= left_;
    }
    return std::move(pattern_);
  }

 private:
  /// Extends the rectangle by `length` cells of a row.
  void cover(std::int64_t row, std::int64_t column, std::int64_t length) {
    top_ = std::min(top_, row);
    bottom_ = std::max(bottom_, row + 1);
    if (length == 0) return;
    left_ = std::min(left_, column);
    right_ = std::max(right_, column + length);
  }

  Pattern pattern_;
  std::string_view expected_;
  static constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  std::int64_t top_ = far, left_ = far, bottom_ = -far, right_ = -far;
};

/// Reads two integers, as in `-3 12`, from column `begin` of the current line on.
std::pair<std::int64_t, std::int64_t> readPair(const LineReader& lines, std::size_t begin) {
  const std::string_view line = lines.line();
  std::int64_t numbers[2] = {};
  std::size_t at = begin;
  for (std::int64_t& number : numbers) {
    at = std::min(line.find_first_not_of(blanks, at), line.size());
    const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), number);
    if (error == std::errc::invalid_argument) lines.fail(at, "expected two integers, x and y");
    if (error != std::errc() || number < -Pattern::maxCells || number > Pattern::maxCells) {
      lines.fail(at, "the number is larger than {}, the largest number of cells of a pattern",
                 Pattern::maxCells);
    }
    at = static_cast<std::size_t>(end - line.data());
  }
  if (line.find_first_not_of(blanks, at) != std::string_view::npos)
    lines.fail(at, "unexpected {}; expected two integers, x and y", shown(line[at]));
  return {numbers[0], numbers[1]};
}

}  // namespace

Pattern Pattern::parseCells(std::string_view text, const std::string& source) {
  constexpr std::string_view nameComment = "!Name:";
  Builder builder(source, "rows of '.' and 'O'");
  LineReader lines(text, source);
  std::int64_t row = 0;
  while (lines.next()) {
    const std::string_view line = endTrimmed(lines.line());
    if (!line.starts_with('!')) {
      builder.addRow(lines, line, row++, 0);
    } else if (line.starts_with(nameComment)) {
      const auto given = trimmed(line.substr(nameComment.size()));
      if (!given.empty()) builder.pattern().name = given;
    }
  }
  return builder.finish(lines);
}

Pattern Pattern::parseLife105(std::string_view text, const std::string& source) {
  Builder builder(source, "blocks, '#P x y' and rows of '.' and '*',");
  LineReader lines(text, source);
  std::int64_t row = 0, column = 0;
  while (lines.next()) {
    const std::string_view line = endTrimmed(lines.line());
    if (!line.starts_with('#')) {
      if (!line.empty()) builder.addRow(lines, line, row, column);
      ++row;
      continue;
    }
    const char kind = line.size() > 1 ? line[1] : ' ';
    const auto value = trimmed(line.substr(std::min<std::size_t>(line.size(), 2)));
    if (kind == 'P') {
      std::tie(column, row) = readPair(lines, 2);
    } else if (kind == 'N') {
      builder.pattern().rule = {"B3/S23", lines.where(0)};
    } else if (kind == 'R' && !value.empty()) {
      const auto at = static_cast<std::size_t>(value.data() - line.data());
      builder.pattern().rule = {std::string(value), lines.where(at)};
    } else if (kind == 'I') {
      lines.fail(0, "files that include others are not supported; copy the pattern in here");
    }
  }
  return builder.finish(lines);
}

Pattern Pattern::parseLife106(std::string_view text, const std::string& source) {
  Builder builder(source, "lines 'x y'");
  LineReader lines(text, source);
  while (lines.next()) {
    const std::string_view line = trimmed(lines.line());
    if (line.empty() || line.starts_with('#')) continue;
    const auto [column, row] = readPair(lines, 0);
    builder.addCell(row, column);
  }
  return builder.finish(lines);
}

}  // namespace life
