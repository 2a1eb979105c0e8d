#pragma once

#include <mass/support/element_type.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace mass {

/// Reads a CSV file of numbers line by line; the first line names the columns. Blanks and
/// quotes around cells and empty lines do not count. Every error is an InputError that names the
/// file and, where there is one, the line.
class CsvReader {
 public:
  /// Reads the names. Throws InputError when there are none, or one is there twice.
  explicit CsvReader(std::filesystem::path file);

  const std::vector<std::string>& columns() const { return columns_; }

  /// Goes on to the next line of cells; false where there is none. Throws InputError when it has
  /// more or fewer than there are columns.
  bool next();

  /// The number of the line at hand; the first one is 1.
  std::int64_t line() const { return line_; }

  /// Appends the bytes of the number in a cell of the line at hand. Throws InputError when it is
  /// none of that type, which is not opaque.
  void read(std::size_t column, detail::ElementType type, std::vector<char>& into) const;

  /// Returns the number in a cell of the current line.
  /// @throws InputError if the cell holds no number of type T
  template <class T>
  T number(std::size_t column) const {
    std::vector<char> bytes;
    read(column, detail::elementTypeOf<T>(), bytes);
    T value{};
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  /// The text of a cell fit for a message: short, and without control characters.
  static std::string shown(std::string_view text);

  /// Throws InputError "agents.csv:7: <message>" for the line at hand.
  [[noreturn]] void fail(std::string_view message) const;

 private:
  bool nextLine();

  std::filesystem::path file_;
  std::ifstream stream_;
  std::vector<std::string> columns_;
  std::string text_;  ///< the line at hand
  std::vector<std::string_view> cells_;
  std::int64_t line_ = 0;
};

}  // namespace mass
