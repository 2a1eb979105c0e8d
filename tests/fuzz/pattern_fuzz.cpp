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

/// Returns the letters of a state in run-length encoded form.
std::string letters(int state) {
  if (state == 0) return ".";
  const auto letter = static_cast<char>('A' + (state - 1) % 24);
  if (state <= 24) return {letter};
  return {static_cast<char>('p' + (state - 25) / 24), letter};
}

/// Returns the pattern in run-length encoded form, with one run per cell.
std::string encoded(const life::Pattern& pattern) {
  std::string text = fmt::format("x = {}, y = {}\n", pattern.columns, pattern.rows);
  const auto states = life::centred(pattern, pattern.rows, pattern.columns);
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (i > 0 && i % static_cast<std::size_t>(pattern.columns) == 0) text += '$';
    text += letters(states[i]);
  }
  return text + "!";
}

template <class Read>
void attempt(Read read) {
  try {
    read();
  } catch (const mass::InputError& error) {
    require(!std::string_view(error.what()).empty());
  }
}

void checkPattern(const life::Pattern& pattern) {
  require(pattern.rows >= 1 && pattern.columns >= 1);
  require(pattern.rows <= life::Pattern::maxCells / pattern.columns);
  for (const life::Run& run : pattern.runs) {
    require(run.row >= 0 && run.row < pattern.rows && run.column >= 0 && run.length >= 1);
    require(run.length <= pattern.columns - run.column);
    require(run.state >= 1 && run.state < pattern.states);
  }
  attempt([&] {
    life::Pattern unmarked = pattern;
    unmarked.removeMarks();
    require(unmarked.states == 2);
    for (const life::Run& run : unmarked.runs) require(run.state == 1);
  });
  if (pattern.rows * pattern.columns > 4096) return;  // the other checks take too long
  const auto again = life::Pattern::parseRle(encoded(pattern), "fuzz");
  require(life::centred(again, pattern.rows, pattern.columns) ==
          life::centred(pattern, pattern.rows, pattern.columns));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  if (!isSlow(text)) attempt([&] { checkPattern(life::Pattern::parseRle(text, "fuzz")); });
  attempt([&] { checkPattern(life::Pattern::parseCells(text, "fuzz")); });
  attempt([&] { checkPattern(life::Pattern::parseLife105(text, "fuzz")); });
  attempt([&] { checkPattern(life::Pattern::parseLife106(text, "fuzz")); });
  attempt([&] {
    const life::RuleTable rule = life::parseRule(text).table;
    require(life::parseRule(rule.text()).table == rule);
  });
  return 0;
}
