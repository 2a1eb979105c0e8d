#include <cerrno>
#include <cstdio>
#include <mass/io/print.hpp>
#include <mass/support/error.hpp>
#include <system_error>

namespace mass {

void printResult(std::string_view text) {
  errno = 0;
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  const int error = errno;
  if (whole && std::fflush(stdout) == 0) return;
  throw OutputError(
      "cannot write to the standard output: {} (free some space or send it somewhere else)",
      std::generic_category().message(whole ? errno : error));
}

void printError(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace mass
