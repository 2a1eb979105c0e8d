#pragma once

#include <mass/mass.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace life {

constexpr std::string_view blanks = " \t\r";

constexpr bool isBlank(char c) {
  return blanks.find(c) != std::string_view::npos;
}

constexpr bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

/// Returns `text` without blanks at both ends.
std::string_view trimmed(std::string_view text);

/// Returns the lower-case form of an ASCII letter; other characters unchanged.
char lower(char c);

/// Returns a character in quotes, or the code of an unprintable one.
std::string shown(char c);

/// Reader of a text line by line that reports errors with the line's number.
class LineReader {
 public:
  /// @param source name of the text in messages; must outlive this object
  /// @throws mass::InputError if the text is blank
  LineReader(std::string_view text, const std::string& source);

  /// Reads the next line, without its line break: LF, CR LF or CR. Returns false after the last
  /// line.
  bool next();

  std::string_view line() const { return line_; }
  const std::string& source() const { return source_; }

  /// Returns "source:line:column".
  /// @param column column of the current line, from 0
  std::string where(std::size_t column) const;

  /// @throws mass::InputError that names `column` (from 0) of the current line.
  template <class... Args>
  [[noreturn]] void fail(std::size_t column, fmt::format_string<Args...> format,
                         Args&&... args) const {
    throw mass::InputError("{}: {}", where(column),
                           fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  std::string_view rest_, line_;
  const std::string& source_;
  std::size_t number_ = 0;
};

}  // namespace life
