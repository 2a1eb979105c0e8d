#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace mass::detail {

/// Characters that may separate columns. The first one that the header has is used.
constexpr std::string_view csvSeparators = ",;\t| ";

/// Returns `text` without blanks, tabs and carriage returns at both ends.
std::string_view withoutBlanks(std::string_view text);

/// Returns the cells of a line without blanks and quotes around them. A separator between quotes
/// belongs to the cell. Quotes within a cell are not supported, since cells are numbers and names.
/// @param separator one of csvSeparators; any number of blanks and tabs is one blank
std::vector<std::string_view> cellsOf(std::string_view line, char separator);

/// Returns the separator of the names of columns; a comma if there is one name.
char separatorOf(std::string_view header);

/// Returns the text after "sep=" in a line that declares the separator, as Excel reads it; nullopt
/// if the line begins in another way.
std::optional<std::string_view> separatorDeclaration(std::string_view line);

/// True if a line begins with `#`, and not with an error of a spreadsheet in its first cell.
/// @param separator separator of the cells; 0 before the header
bool isComment(std::string_view line, char separator);

/// True if the first cell of a line can only be the name of a row: it is a text, or it is between
/// quotes and the last cell is not, since R quotes texts only.
bool isRowName(std::string_view line, std::string_view firstCell);

}  // namespace mass::detail
