#pragma once

#include <string_view>

namespace mass {

/// Writes text to standard output and flushes it.
/// @throws OutputError if it cannot be written
void printResult(std::string_view text);

/// Writes a message to standard error and flushes it. Errors are ignored.
void printError(std::string_view text);

}  // namespace mass
