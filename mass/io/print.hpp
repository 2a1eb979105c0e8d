#pragma once

#include <string_view>

namespace mass {

/// Writes to standard output, all of it before it returns. Throws OutputError.
void printResult(std::string_view text);

/// Writes a message to standard error. That it cannot be written is ignored: there is nobody to
/// tell.
void printError(std::string_view text);

}  // namespace mass
