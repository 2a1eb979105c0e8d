#include <apps/life3d/rule.hpp>

#include <cctype>
#include <charconv>
#include <cstddef>

namespace life3d {
namespace {

/// Reads counts of living neighbours, such as `5-7,10`.
class CountReader {
 public:
  /// @param letter B or S, which stands before the counts
  CountReader(std::string_view text, char letter) : rest_(text), letter_(letter) {}

  /// Returns the bit mask of the counts.
  std::uint32_t read() {
    if (rest_.empty()) {
      throw mass::InputError(
          "no number of living neighbours after {}; both lists have at least one, as in B6/S5-7",
          letter_);
    }
    std::uint32_t mask = readRange();
    while (skip(',')) mask |= readRange();
    if (!rest_.empty()) failAt(rest_);
    return mask;
  }

 private:
  std::uint32_t readRange() {
    const int first = readCount();
    const int last = skip('-') ? readCount() : first;
    if (first > last)
      throw mass::InputError("the range {}-{} after {} is empty; the lower count is first", first,
                             last, letter_);
    std::uint32_t mask = 0;
    for (int count = first; count <= last; ++count) mask |= 1U << static_cast<unsigned>(count);
    return mask;
  }

  int readCount() {
    int count = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), count);
    const std::string_view digits = rest_.substr(0, static_cast<std::size_t>(end - rest_.data()));
    if (digits.empty() || digits[0] == '-') failAt(rest_);
    if (error != std::errc{} || count > Rule::neighbors) {
      throw mass::InputError(
          "{} after {} is above {}, the number of neighbours of a cell; commas separate counts, as "
          "in B6/S5,6,7",
          digits.substr(0, 20), letter_, Rule::neighbors);
    }
    rest_.remove_prefix(digits.size());
    return count;
  }

  bool skip(char separator) {
    if (!rest_.starts_with(separator)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  [[noreturn]] void failAt(std::string_view rest) const {
    throw mass::InputError(
        "expected a number of living neighbours after {}, found '{}'; counts are as in B6/S5-7,10",
        letter_, mass::CsvReader::shown(rest));
  }

  std::string_view rest_;
  char letter_;
};

/// Reads a rule such as `5766`.
Rule parseBays(std::string_view digits) {
  const auto digit = [&](std::size_t i) { return static_cast<int>(digits[i] - '0'); };
  const auto range = [&](std::size_t i) {
    std::uint32_t mask = 0;
    for (int count = digit(i); count <= digit(i + 1); ++count)
      mask |= 1U << static_cast<unsigned>(count);
    if (mask == 0) {
      throw mass::InputError(
          "the digits {} and {} are a range of counts, and the lower one is first", digit(i),
          digit(i + 1));
    }
    return mask;
  };
  const std::uint32_t survival = range(0);
  return {.birth = range(2), .survival = survival};
}

bool isBays(std::string_view text) {
  return text.size() == 4 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string textOf(std::uint32_t mask) {
  const auto has = [&](int count) { return count <= 31 && (mask >> count & 1U) != 0; };
  std::string text;
  for (int first = 0; first <= Rule::neighbors; ++first) {
    if (!has(first)) continue;
    int last = first;
    while (has(last + 1)) ++last;
    if (last < first + 2) last = first;  // two adjacent counts are listed
    if (!text.empty()) text += ',';
    text += fmt::format("{}", first);
    if (last > first) text += fmt::format("-{}", last);
    first = last;
  }
  return text;
}

}  // namespace

std::string Rule::text() const {
  return fmt::format("B{}/S{}", textOf(birth), textOf(survival));
}

Rule parseRule(std::string_view text) {
  if (isBays(text)) return parseBays(text);
  const auto is = [&](std::size_t at, char letter) {
    return at < text.size() && std::toupper(static_cast<unsigned char>(text[at])) == letter;
  };
  const std::size_t slash = text.find('/');
  if (!is(0, 'B') || slash == std::string_view::npos || !is(slash + 1, 'S')) {
    throw mass::InputError(
        "no rule: expected births and survivals, as in B6/S5-7,10, or the four digits of Bays, as "
        "in "
        "5766");
  }
  const std::uint32_t birth = CountReader(text.substr(1, slash - 1), 'B').read();
  return {.birth = birth, .survival = CountReader(text.substr(slash + 2), 'S').read()};
}

}  // namespace life3d
