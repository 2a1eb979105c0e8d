#pragma once

#include <mass/io/csv_cell.hpp>
#include <mass/support/element_type.hpp>
#include <mass/support/export.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace mass {

/// Reads a CSV file of numbers line by line. The first line has the names of the columns, separated
/// by commas, semicolons, tabs, `|` or blanks, the first of these that it has; a line `sep=;`
/// before it may declare the separator. Any number of blanks is one separator. Skipped are: blanks
/// and quotes around cells, empty lines, lines that begin with `#`, columns without a name before
/// the first that has one, empty cells after the last column, and names of rows for which the first
/// line has no cell, as R writes them. Unless commas separate columns, a number may have a decimal
/// comma; a number whose comma or point may as well separate thousands is an error if no other
/// number shows which. Every error is an InputError that names the file, and the line if there is
/// one.
///
///     mass::CsvReader csv("agents.csv");
///     while (csv.next()) total += csv.number<double>(0);
class MASS_EXPORT CsvReader {
 public:
  /// Opens the file and reads the names of the columns.
  /// @throws InputError if the file cannot be read, is empty, or has two columns of one name or a
  ///   column without a name between two others
  explicit CsvReader(std::filesystem::path file);

  /// Returns the names of the columns.
  const std::vector<std::string>& columns() const { return columns_; }

  /// Reads the next line of cells.
  /// @return false at the end of the file
  /// @throws InputError if the line does not have one cell per column, or numbers have both decimal
  ///   commas and points; at the end of the file if no number shows which of them is decimal
  bool next();

  /// Returns the number of the current line; the first line of the file is 1.
  std::int64_t line() const { return line_; }

  /// Appends the bytes of the number in a cell of the current line to `into`, as parseValue() reads
  /// it.
  /// @param column index of the column, from 0
  /// @param type type of the number; not opaque
  /// @throws InputError if the cell holds no number of that type
  void read(std::size_t column, detail::ElementType type, std::vector<char>& into) const;

  /// Returns the number in a cell of the current line.
  /// @param column index of the column, from 0
  /// @throws InputError if the cell holds no number of type T
  template <class T>
  T number(std::size_t column) const {
    std::vector<char> bytes;
    read(column, detail::elementTypeOf<T>(), bytes);
    T value{};
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  /// Returns text for a message: at most 60 bytes of it, without control characters.
  static std::string shown(std::string_view text);

  /// Reports an error in the current line.
  /// @throws InputError "agents.csv:7: <message>", always
  [[noreturn]] void fail(std::string_view message) const;

 private:
  bool nextLine();
  bool readDeclaration();
  void useSeparator(char separator);
  void readHeader();
  void skipCells(std::size_t count);
  void skipRowNames();
  void requireCells() const;
  void useDecimalMark();
  void requireDecimalMark() const;
  [[noreturn]] void failIn(std::int64_t line, std::string_view message) const;

  std::filesystem::path file_;
  std::ifstream stream_;
  char separator_ = '\0';  ///< separator of columns; 0 before the first line
  detail::DecimalMark decimalMark_;
  std::size_t unnamed_ = 0;  ///< number of cells of a line before the first column with a name
  bool isIndented_ = false;  ///< the first line begins with a blank, and blanks separate columns
  bool isFirstRow_ = true;   ///< no line after the names has been read
  std::vector<std::string> columns_;
  std::string text_;  ///< current line
  std::vector<std::string_view> cells_;
  std::int64_t line_ = 0;
};

}  // namespace mass
