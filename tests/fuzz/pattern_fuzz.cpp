// Passes arbitrary bytes to the pattern readers: they must return a valid pattern or throw
// InputError.
#include <apps/life/pattern.hpp>

#include <mass/support/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

/// True if a number has 4 to 10 digits: a pattern of that size takes too long. Readers refuse
/// longer numbers immediately.
bool isSlow(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && digits >= 4 && digits <= 10) return true;
    digits = digit ? digits + 1 : 0;
  }
  return digits >= 4 && digits <= 10;
}

/// Returns the pattern in run-length encoded form, with one run per cell.
std::string encoded(const life::Pattern& pattern) {
  std::string text = fmt::format("x = {}, y = {}\n", pattern.columns, pattern.rows);
  for (std::size_t i = 0; i < pattern.cells.size(); ++i) {
    if (i > 0 && i % static_cast<std::size_t>(pattern.columns) == 0) text += '$';
    text += pattern.cells[i] ? 'o' : 'b';
  }
  return text + "!";
}

void checkPattern(const life::Pattern& pattern) {
  require(pattern.rows >= 1 && pattern.columns >= 1);
  require(pattern.rows <= life::Pattern::maxCells / pattern.columns);
  require(pattern.cells.size() == static_cast<std::size_t>(pattern.rows * pattern.columns));
  if (pattern.cells.size() > 4096) return;  // the other checks take too long
  require(life::Pattern::parseRle(encoded(pattern), "fuzz").cells == pattern.cells);
  for (const life::CellPosition& cell :
       life::place(pattern, pattern.rows + 2, pattern.columns + 2)) {
    const auto index = (cell.row - 1) * pattern.columns + cell.column - 1;
    require(pattern.cells.at(static_cast<std::size_t>(index)));
  }
}

template <class Read>
void attempt(Read read) {
  try {
    read();
  } catch (const mass::InputError& error) {
    require(!std::string_view(error.what()).empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  if (!isSlow(text)) attempt([&] { checkPattern(life::Pattern::parseRle(text, "fuzz")); });
  attempt([&] { checkPattern(life::Pattern::parseCells(text, "fuzz")); });
  attempt([&] {
    const life::Rule rule = life::Rule::parse(text);
    require(life::Rule::parse(rule.text()) == rule);
  });
  return 0;
}
