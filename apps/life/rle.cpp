#include <apps/life/line_reader.hpp>
#include <apps/life/pattern.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace life {
namespace {

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
      } else if (!begun_) {
        begin();
      } else {
        readRuns();
      }
    }
    if (!begun_) lines_.fail(0, "the header is missing; write one such as {}", exampleHeader);
    if (!ended_) {
      lines_.fail(lines_.line().size(),
                  "the pattern does not end with '!'; the file may be truncated");
    }
    if (pattern_.rows == 0) lines_.fail(0, "there are neither cells nor a header");
    if (!pattern_.rule) pattern_.rule = commentedRule_;
    return std::move(pattern_);
  }

 private:
  /// Reads the first line that is no comment: the header, or runs.
  void begin() {
    skipBlanks();
    const std::string_view line = lines_.line().substr(at_);
    if (line.empty()) return;
    begun_ = true;
    // x before a capital letter is the first letter of a state.
    const bool isState = line.size() > 1 && line[1] >= 'A' && line[1] <= 'Z';
    const bool isCutHeader = line[0] == 'x' && !isState;
    hasHeader_ = isCutHeader || line.find('=') != std::string_view::npos;
    if (hasHeader_) {
      readHeader();
    } else {
      readRuns();
    }
  }

  /// @param at column of the number of rows in the current line
  /// @throws mass::InputError if the pattern is too large
  void requireSize(std::size_t at) const {
    if (pattern_.rows <= Pattern::maxCells / pattern_.columns) return;
    lines_.fail(at, "{} rows of {} columns are too many; a pattern has at most {} cells",
                pattern_.rows, pattern_.columns, Pattern::maxCells);
  }

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
    pattern_.rows = readSize('y');
    requireSize(at);
    skipBlanks();
    if (at_ == lines_.line().size()) return;
    expect(',');
    skipBlanks();
    constexpr std::string_view key = "rule";
    const std::string_view rest = lines_.line().substr(at_);
    if (!std::equal(key.begin(), key.end(), rest.begin(),
                    rest.begin() + std::min(key.size(), rest.size()),
                    [](char wanted, char c) { return wanted == lower(c); })) {
      lines_.fail(at_, "expected \"rule = ...\" or the end of the header, such as {}",
                  exampleHeader);
    }
    at_ += key.size();
    expect('=');
    skipBlanks();
    const std::string_view rule = trimmed(lines_.line().substr(at_));
    if (!rule.empty()) pattern_.rule = readRule(rule);
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

  /// @param text part of the current line
  FileRule readRule(std::string_view text) const {
    const auto column = static_cast<std::size_t>(text.data() - lines_.line().data());
    return {std::string(text), lines_.where(column)};
  }

  void expect(char wanted) {
    skipBlanks();
    if (at_ == lines_.line().size()) {
      lines_.fail(at_, "the header ends where '{}' is expected; write it as {}", wanted,
                  exampleHeader);
    }
    if (lower(lines_.line()[at_]) != wanted) {
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
      addRun(count, 0);
    } else if (tag == 'o') {
      addRun(count, 1);
    } else if ((tag >= 'A' && tag <= 'X') || (tag >= 'p' && tag <= 'y')) {
      addRun(count, readState());
    } else if (tag == '$') {
      row_ += count;
      column_ = 0;
    } else if (tag == '!') {
      if (counted_) lines_.fail(at_, "the number {} before '!' has no effect; remove it", count);
      ended_ = true;
    } else {
      lines_.fail(at_,
                  "unexpected {}; a pattern consists of b (dead), o (alive) and $ (next row), or . "
                  "and A, B, ... (states 0, 1, 2, ...), with counts, and of '!' at its end",
                  shown(tag));
    }
  }

  /// Reads a state from its letters: A to X are 1 to 24, pA to pX 25 to 48, ..., yA to yO 241 to
  /// 255. Skips the first of two letters.
  std::uint8_t readState() {
    constexpr int letters = 24;
    const std::string_view line = lines_.line();
    const char first = line[at_];
    if (first <= 'X') return static_cast<std::uint8_t>(first - 'A' + 1);
    const char second = at_ + 1 < line.size() ? line[at_ + 1] : ' ';
    const int state = (first - 'p' + 1) * letters + (second - 'A' + 1);
    if (second < 'A' || second > 'X' || state >= RuleTable::maxStates) {
      lines_.fail(at_, "unexpected {}; states above 24 are pA to pX, qA to qX, ..., yA to yO",
                  shown(first));
    }
    ++at_;
    return static_cast<std::uint8_t>(state);
  }

  void addRun(std::int64_t count, std::uint8_t state) {
    if (!hasHeader_) cover(count);
    if (row_ >= pattern_.rows || count > pattern_.columns - column_) {
      lines_.fail(
          at_,
          "this run of {} reaches row {}, column {}, outside the header's {} rows and {} columns",
          count, row_ + 1, column_ + count, pattern_.rows, pattern_.columns);
    }
    if (state > 0) pattern_.runs.push_back({row_, column_, count, state});
    if (state >= pattern_.states) {
      pattern_.states = state + 1;
      pattern_.statesWhere = lines_.where(at_);
    }
    column_ += count;
  }

  /// Extends the rectangle of a pattern without a header by a run.
  void cover(std::int64_t count) {
    pattern_.rows = std::max(pattern_.rows, row_ + 1);
    pattern_.columns = std::max(pattern_.columns, column_ + count);
    requireSize(at_);
  }

  LineReader lines_;
  Pattern pattern_;
  std::optional<FileRule> commentedRule_;
  std::size_t at_ = 0;
  std::int64_t count_ = 0, row_ = 0, column_ = 0;
  bool counted_ = false, begun_ = false, hasHeader_ = false, ended_ = false;
};

}  // namespace

Pattern Pattern::parseRle(std::string_view text, const std::string& source) {
  return RleReader(text, source).read();
}

}  // namespace life
