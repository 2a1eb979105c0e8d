#include <apps/life/pattern.hpp>

#include <mass/mass.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <fstream>
#include <system_error>
#include <utility>

namespace life {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

/// Returns a character in quotes, or the code of an unprintable one.
std::string shown(char c) {
  if (c >= ' ' && c <= '~') return fmt::format("'{}'", c);
  return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c));
}

/// Reader of a text line by line that reports errors with the line's number.
class LineReader {
 public:
  LineReader(std::string_view text, const std::string& source) : rest_(text), source_(source) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
      fail(0, "the file is empty; a pattern is expected");
  }

  /// Reads the next line, without its line break. Returns false after the last line.
  bool next() {
    if (rest_.empty()) return false;
    const auto end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }

  std::string_view line() const { return line_; }

  /// @throws mass::InputError that names `column` (from 0) of the current line.
  template <class... Args>
  [[noreturn]] void fail(std::size_t column, fmt::format_string<Args...> format,
                         Args&&... args) const {
    throw mass::InputError("{}:{}:{}: {}", source_, std::max<std::size_t>(number_, 1), column + 1,
                           fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  std::string_view rest_, line_;
  const std::string& source_;
  std::size_t number_ = 0;
};

constexpr std::string_view exampleHeader = "x = 3, y = 3, rule = B3/S23";

/// Parser of run-length encoded text.
class RleReader {
 public:
  RleReader(std::string_view text, const std::string& source) : lines_(text, source) {
    pattern_.name = std::filesystem::path(source).stem().string();
  }

  Pattern read() {
    while (!ended_ && lines_.next()) {
      at_ = 0;
      if (lines_.line().starts_with('#')) {
        readComment();
      } else if (pattern_.rows == 0) {
        skipBlanks();
        if (at_ < lines_.line().size()) readHeader();
      } else {
        readRuns();
      }
    }
    if (pattern_.rows == 0)
      lines_.fail(0, "the header is missing; write one such as {}", exampleHeader);
    if (!ended_) {
      lines_.fail(lines_.line().size(),
                  "the pattern does not end with '!'; the file may be truncated");
    }
    if (!pattern_.rule) pattern_.rule = commentedRule_;
    pattern_.cells.resize(static_cast<std::size_t>(pattern_.rows * pattern_.columns));
    return std::move(pattern_);
  }

 private:
  /// Reads a name (`#N`) or a rule (`#r`). Ignores all other comments: also positions (`#P`, `#R`),
  /// since a pattern is centred.
  void readComment() {
    const std::string_view line = lines_.line();
    if (line.size() < 3 || blanks.find(line[2]) == std::string_view::npos) return;
    const std::string_view value = trimmed(line.substr(2));
    if (value.empty()) return;
    if (line[1] == 'N') pattern_.name = value;
    if (line[1] == 'r') commentedRule_ = readRule(value);
  }

  void readHeader() {
    pattern_.columns = readSize('x');
    expect(',');
    const auto at = at_;
    const std::int64_t rows = readSize('y');
    if (rows > Pattern::maxCells / pattern_.columns) {
      lines_.fail(at, "{} rows of {} columns are too many; a pattern has at most {} cells", rows,
                  pattern_.columns, Pattern::maxCells);
    }
    pattern_.rows = rows;
    skipBlanks();
    if (at_ == lines_.line().size()) return;
    expect(',');
    skipBlanks();
    if (!lines_.line().substr(at_).starts_with("rule")) {
      lines_.fail(at_, "expected \"rule = ...\" or the end of the header, such as {}",
                  exampleHeader);
    }
    at_ += 4;
    expect('=');
    skipBlanks();
    pattern_.rule = readRule(trimmed(lines_.line().substr(at_)));
  }

  /// Reads `x = 12` for `key` x.
  std::int64_t readSize(char key) {
    expect(key);
    expect('=');
    skipBlanks();
    const auto at = at_;
    std::int64_t size = 0;
    while (at_ < lines_.line().size() && isDigit(lines_.line()[at_])) addDigit(size, at);
    if (size == 0) {
      lines_.fail(at, "{} must be a number of at least 1, as in {}", key, exampleHeader);
    }
    return size;
  }

  Rule readRule(std::string_view text) const {
    try {
      return Rule::parse(text);
    } catch (const mass::InputError& error) {
      lines_.fail(static_cast<std::size_t>(text.data() - lines_.line().data()), "{}", error.what());
    }
  }

  void expect(char wanted) {
    skipBlanks();
    if (at_ == lines_.line().size()) {
      lines_.fail(at_, "the header ends where '{}' is expected; write it as {}", wanted,
                  exampleHeader);
    }
    if (lines_.line()[at_] != wanted) {
      lines_.fail(at_, "{} stands where the header has '{}'; write it as {}",
                  shown(lines_.line()[at_]), wanted, exampleHeader);
    }
    ++at_;
  }

  void skipBlanks() {
    at_ = std::min(lines_.line().find_first_not_of(blanks, at_), lines_.line().size());
  }

  /// Appends the current digit to `number` and skips it.
  /// @param start column of the first digit of the number, for errors
  void addDigit(std::int64_t& number, std::size_t start) {
    number = number * 10 + (lines_.line()[at_] - '0');
    if (number > Pattern::maxCells) {
      lines_.fail(start, "the number is larger than {}, the largest number of cells of a pattern",
                  Pattern::maxCells);
    }
    ++at_;
  }

  /// Reads the runs of a line. A count may precede a line break, and its tag follow it: the count
  /// is a member.
  void readRuns() {
    const std::string_view line = lines_.line();
    std::size_t start = 0;
    for (skipBlanks(); at_ < line.size() && !ended_; skipBlanks()) {
      if (isDigit(line[at_])) {
        if (!counted_) start = at_;
        counted_ = true;
        addDigit(count_, start);
        continue;
      }
      if (counted_ && count_ == 0)
        lines_.fail(at_, "a run of 0 cells or rows has no effect; write a count of at least 1");
      readTag(line[at_]);
      count_ = 0;
      counted_ = false;
      ++at_;
    }
  }

  void readTag(char tag) {
    const std::int64_t count = counted_ ? count_ : 1;
    if (tag == 'b' || tag == '.') {
      addRun(count, false);
    } else if (tag == 'o' || tag == 'A') {
      addRun(count, true);
    } else if (tag == '$') {
      row_ += count;
      column_ = 0;
    } else if (tag == '!') {
      if (counted_) lines_.fail(at_, "the number {} before '!' has no effect; remove it", count);
      ended_ = true;
    } else if ((tag >= 'B' && tag <= 'X') || (tag >= 'p' && tag <= 'y')) {
      lines_.fail(
          at_,
          "'{}' is a cell of a third or later state; only two are supported, dead (b or .) and "
          "alive (o or A)",
          tag);
    } else {
      lines_.fail(at_,
                  "unexpected {}; a pattern consists of b (dead), o (alive) and $ (next row), with "
                  "counts, and of '!' at its end",
                  shown(tag));
    }
  }

  void addRun(std::int64_t count, bool alive) {
    if (row_ >= pattern_.rows || count > pattern_.columns - column_) {
      lines_.fail(
          at_,
          "this run of {} reaches row {}, column {}, outside the header's {} rows and {} columns",
          count, row_ + 1, column_ + count, pattern_.rows, pattern_.columns);
    }
    if (alive) {
      const auto begin = static_cast<std::size_t>(row_ * pattern_.columns + column_);
      // Grows with the cells that are read: a header alone allocates no memory.
      pattern_.cells.resize(begin);
      pattern_.cells.resize(begin + static_cast<std::size_t>(count), true);
    }
    column_ += count;
  }

  LineReader lines_;
  Pattern pattern_;
  std::optional<Rule> commentedRule_;
  std::size_t at_ = 0;
  std::int64_t count_ = 0, row_ = 0, column_ = 0;
  bool counted_ = false, ended_ = false;
};

/// Returns the cells of a plaintext line; true is alive.
std::vector<bool> readRow(const LineReader& lines, std::string_view line) {
  std::vector<bool> row;
  row.reserve(line.size());
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c != '.' && c != 'O' && c != '*') {
      lines.fail(at, "unexpected {}; a row consists of '.' (dead) and 'O' or '*' (alive)",
                 shown(c));
    }
    row.push_back(c != '.');
  }
  return row;
}

/// Returns the pattern of rows of different lengths, padded with dead cells.
Pattern joined(const std::vector<std::vector<bool>>& rows, std::string name,
               const LineReader& lines) {
  Pattern pattern;
  pattern.name = std::move(name);
  pattern.rows = static_cast<std::int64_t>(rows.size());
  for (const auto& row : rows) {
    pattern.columns = std::max(pattern.columns, static_cast<std::int64_t>(row.size()));
  }
  if (pattern.columns == 0) lines.fail(0, "there are no cells; rows of '.' and 'O' are expected");
  if (pattern.rows > Pattern::maxCells / pattern.columns) {
    lines.fail(0, "{} rows of {} columns are too many; a pattern has at most {} cells",
               pattern.rows, pattern.columns, Pattern::maxCells);
  }
  pattern.cells.resize(static_cast<std::size_t>(pattern.rows * pattern.columns));
  auto to = pattern.cells.begin();
  for (const auto& row : rows) {
    std::copy(row.begin(), row.end(), to);
    to += pattern.columns;
  }
  return pattern;
}

/// Returns the contents of a text file.
/// @throws mass::InputError if it is not a readable text file.
std::string fileText(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw mass::InputError("{}: the pattern file does not exist", path.string());
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw mass::InputError("{}: not a file; a pattern is a file in .rle or .cells format",
                           path.string());
  }
  std::string text(static_cast<std::size_t>(std::filesystem::file_size(path, error)), '\0');
  std::ifstream file(path, std::ios::binary);
  if (error || !file.read(text.data(), static_cast<std::streamsize>(text.size()))) {
    throw mass::InputError("{}: the pattern file cannot be read; check its permissions",
                           path.string());
  }
  if (text.find('\0') != std::string::npos) {
    throw mass::InputError("{}: a binary file; a pattern is text in .rle or .cells format",
                           path.string());
  }
  return text;
}

}  // namespace

Pattern Pattern::load(const std::filesystem::path& path) {
  const std::string text = fileText(path);
  const std::string source = path.string();
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".rle") return parseRle(text, source);
  if (ending == ".cells") return parseCells(text, source);
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] == '#' || text[first] == 'x')
    return parseRle(text, source);
  if (std::string_view("!.O*").find(text[first]) != std::string_view::npos)
    return parseCells(text, source);
  throw mass::InputError(
      "{}: begins neither like an RLE file ({}) nor like a plaintext file (\"!Name: ...\")", source,
      exampleHeader);
}

Pattern Pattern::parseRle(std::string_view text, const std::string& source) {
  return RleReader(text, source).read();
}

Pattern Pattern::parseCells(std::string_view text, const std::string& source) {
  constexpr std::string_view nameComment = "!Name:";
  std::string name = std::filesystem::path(source).stem().string();
  std::vector<std::vector<bool>> rows;
  LineReader lines(text, source);
  while (lines.next()) {
    std::string_view line = lines.line();
    line = line.substr(0, line.find_last_not_of(blanks) + 1);
    if (!line.starts_with('!')) {
      rows.push_back(readRow(lines, line));
    } else if (line.starts_with(nameComment)) {
      const auto given = trimmed(line.substr(nameComment.size()));
      if (!given.empty()) name = given;
    }
  }
  return joined(rows, std::move(name), lines);
}

std::vector<CellPosition> place(const Pattern& pattern, std::int64_t rows, std::int64_t columns) {
  if (pattern.rows > rows || pattern.columns > columns) {
    throw mass::InputError(
        "the pattern {} of {} rows and {} columns does not fit into the world of {} rows and {} "
        "columns; make the world larger",
        pattern.name, pattern.rows, pattern.columns, rows, columns);
  }
  return place(pattern, rows, columns,
               {(rows - pattern.rows) / 2, (columns - pattern.columns) / 2});
}

std::vector<CellPosition> place(const Pattern& pattern, std::int64_t rows, std::int64_t columns,
                                CellPosition corner) {
  if (corner.row < 0 || corner.column < 0 || pattern.rows > rows - corner.row ||
      pattern.columns > columns - corner.column) {
    throw mass::InputError(
        "the pattern {} of {} rows and {} columns, its corner at row {}, column {}, does not fit "
        "into the world of {} rows and {} columns; move the pattern or make the world larger",
        pattern.name, pattern.rows, pattern.columns, corner.row, corner.column, rows, columns);
  }
  std::vector<CellPosition> living;
  auto alive = pattern.cells.begin();
  for (std::int64_t row = 0; row < pattern.rows; ++row) {
    for (std::int64_t column = 0; column < pattern.columns; ++column, ++alive) {
      if (*alive) living.push_back({corner.row + row, corner.column + column});
    }
  }
  return living;
}

}  // namespace life
