#include <unistd.h>

#include <array>
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

namespace detail {

void printErrorLine(std::string_view program, std::string_view message) noexcept {
  std::array<char, 4096> line;
  std::size_t length = 0;
  const auto append = [&](char c) {
    line[length++] = c;
    if (length < line.size() && c != '\n') return;
    static_cast<void>(::write(STDERR_FILENO, line.data(), length) < 0);  // no remedy
    length = 0;
  };
  const auto isControl = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; };
  for (const std::string_view part : {program, std::string_view(": "), message}) {
    for (const char c : part) append(isControl(c) ? '?' : c);
  }
  append('\n');
}

}  // namespace detail
}  // namespace mass
