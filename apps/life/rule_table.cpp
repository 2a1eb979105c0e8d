#include <apps/life/rule_table.hpp>

#include <apps/life/hensel.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>

namespace life {
namespace {

/// Returns the arrangements whose number of living cells is among `counts`, a bit mask.
std::bitset<256> withCounts(std::uint32_t counts) {
  std::bitset<256> set;
  for (unsigned arrangement = 0; arrangement < 256; ++arrangement) {
    set[arrangement] = (counts >> std::popcount(arrangement) & 1U) != 0;
  }
  return set;
}

/// Returns the bit mask of the numbers of living cells; nothing if the set depends on more.
std::optional<std::uint32_t> countsOf(const std::bitset<256>& set) {
  std::uint32_t counts = 0;
  for (unsigned arrangement = 0; arrangement < 256; ++arrangement) {
    if (set[arrangement]) counts |= 1U << std::popcount(arrangement);
  }
  if (withCounts(counts) != set) return std::nullopt;
  return counts;
}

/// Returns digits, each with the letters of its arrangements in `set`, or with a minus sign and the
/// letters of the others if these are fewer. All arrangements have no letters.
std::string notationOf(const std::bitset<256>& set) {
  std::array<std::string, 9> with, without;  // letters by number of living cells
  for (unsigned arrangement = 0; arrangement < 256; ++arrangement) {
    const auto count = static_cast<std::size_t>(std::popcount(arrangement));
    std::string& letters = (set[arrangement] ? with : without)[count];
    const char letter = hensel::letterOf(static_cast<std::uint8_t>(arrangement));
    if (letters.find(letter) == std::string::npos) letters += letter;
  }
  std::string text;
  for (std::size_t count = 0; count < with.size(); ++count) {
    if (with[count].empty()) continue;
    text += static_cast<char>('0' + count);
    if (without[count].empty()) continue;
    const bool isShorter = without[count].size() < with[count].size();
    std::string& letters = isShorter ? without[count] : with[count];
    std::sort(letters.begin(), letters.end());
    if (isShorter) text += '-';
    text += letters;
  }
  return text;
}

}  // namespace

RuleTable::RuleTable(const Rule& rule)
    : birth(withCounts(rule.birth)), survival(withCounts(rule.survival)) {}

std::optional<Rule> RuleTable::totalistic() const {
  const auto births = countsOf(birth), survivals = countsOf(survival);
  if (states > 2 || !births || !survivals) return std::nullopt;
  return Rule{*births, *survivals};
}

std::array<std::uint8_t, 256> RuleTable::outcomes() const {
  std::array<std::uint8_t, 256> bytes{};
  for (std::size_t arrangement = 0; arrangement < bytes.size(); ++arrangement) {
    bytes[arrangement] =
        static_cast<std::uint8_t>((birth[arrangement] ? 1 : 0) | (survival[arrangement] ? 2 : 0));
  }
  return bytes;
}

std::string RuleTable::text() const {
  const std::string text = fmt::format("B{}/S{}", notationOf(birth), notationOf(survival));
  return states == 2 ? text : fmt::format("{}/C{}", text, states);
}

}  // namespace life
