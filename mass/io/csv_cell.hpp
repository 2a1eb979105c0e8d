#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mass::detail {

/// True for an error of a spreadsheet: #N/A, #DIV/0!, #WERT!, ...
bool isSpreadsheetError(std::string_view cell);

/// True for a cell that stands for no value: empty, NA, N/A, NaN, NULL, None, ... in any case of
/// letters.
bool isMissing(std::string_view cell);

/// Returns the end of a message about a cell that is no value of its type: "is a missing value:
/// ..."
/// @param separator separator of the cells
/// @param otherwise the text if nothing more is known
std::string cellFault(std::string_view cell, char separator, std::string otherwise);

/// Returns a cell with a decimal point for the decimal comma of its number, if it has one.
std::string withDecimalPoint(std::string_view cell);

/// Decimal mark of the numbers of a CSV file: comma or point, as far as the cells show it. Cells
/// that are no number with one mark show nothing.
class DecimalMark {
 public:
  /// Cell that does not show if its mark is decimal or separates thousands: 1.000.
  struct Undecided {
    std::int64_t line = 0;
    std::size_t column = 0;  ///< index, from 0
    std::string cell{};
  };

  DecimalMark() = default;
  /// @param separator separator of the cells, not a comma. Programs that separate cells by
  ///   semicolons do so because their decimal mark is a comma, so there the mark to question is the
  ///   point; otherwise it is the comma.
  explicit DecimalMark(char separator) : questionable_(separator == ';' ? '.' : ',') {}

  /// Takes a cell into account.
  /// @param line number of its line
  /// @param column index of its column, from 0
  /// @return false if its mark is not that of earlier cells
  bool add(std::int64_t line, std::size_t column, std::string_view cell);

  /// Returns the first undecided cell; nullopt if there is none, or another one shows the mark.
  const std::optional<Undecided>& undecided() const { return undecided_; }

 private:
  char questionable_ = ',';
  char mark_ = '\0';  ///< 0 until a cell shows it
  std::optional<Undecided> undecided_;
};

}  // namespace mass::detail
