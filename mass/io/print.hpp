#pragma once

#include <mass/support/export.hpp>

#include <string_view>

namespace mass {

/// Writes text to standard output and flushes it.
/// @throws OutputError if it cannot be written
MASS_EXPORT void printResult(std::string_view text);

/// Writes a message to standard error and flushes it. Errors are ignored.
MASS_EXPORT void printError(std::string_view text);

namespace detail {

/// Writes `<program>: <message>` as one line to standard error; control characters, as in file
/// names, become '?'. Allocates no memory, and may be called by a signal handler.
void printErrorLine(std::string_view program, std::string_view message) noexcept;

}  // namespace detail
}  // namespace mass
