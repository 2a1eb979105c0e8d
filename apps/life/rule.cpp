#include <apps/life/rule.hpp>

#include <mass/mass.hpp>

#include <cstddef>

namespace life {
namespace {

/// Parser of a rule's text.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : text_(text) {}

  Rule read() {
    Rule rule;
    if (skip('B')) {
      rule.birth = counts();
      expect('/');
      expect('S');
      rule.survival = counts();
    } else {
      rule.survival = counts();
      expect('/');
      rule.birth = counts();
    }
    if (at_ < text_.size()) fail("unexpected text after the rule");
    return rule;
  }

 private:
  /// Skips the character `wanted`, upper or lower case. Returns false if it is not the next one.
  bool skip(char wanted) {
    if (at_ == text_.size()) return false;
    const char here = text_[at_];
    const bool same = here == wanted || (wanted != '/' && here == wanted - 'A' + 'a');
    if (same) ++at_;
    return same;
  }

  void expect(char wanted) {
    if (!skip(wanted)) fail(fmt::format("expected '{}'", wanted));
  }

  /// Reads digits up to the next other character. Returns the bit mask of the counts they name.
  std::uint32_t counts() {
    std::uint32_t bits = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (text_[at_] == '9') fail("a cell has at most 8 neighbours");
      const std::uint32_t bit = 1U << (text_[at_] - '0');
      if ((bits & bit) != 0) fail("a digit is repeated");
      bits |= bit;
    }
    return bits;
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw mass::InputError(
        "rule \"{}\", position {}: {}; write a rule as B3/S23 (birth with 3 living neighbours, "
        "survival with 2 or 3) or 23/3. Rules of more than two states, other neighbourhoods "
        "(B3/S23V) and bounded grids (B3/S23:T100,100) are not supported: the size and the border "
        "of the world are settings",
        printable(), at_ + 1, problem);
  }

  /// Returns at most 60 characters of the text for a message, with `?` for unprintable ones.
  std::string printable() const {
    constexpr std::size_t maxLength = 60;
    std::string clean(text_.substr(0, maxLength));
    for (char& c : clean) c = c >= ' ' && c <= '~' ? c : '?';
    return text_.size() > maxLength ? clean + "..." : clean;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string digits(std::uint32_t bits) {
  std::string text;
  for (int n = 0; n <= 8; ++n) {
    if ((bits >> n & 1U) != 0) text += static_cast<char>('0' + n);
  }
  return text;
}

}  // namespace

Rule Rule::parse(std::string_view text) {
  return RuleReader(text).read();
}

std::string Rule::text() const {
  return fmt::format("B{}/S{}", digits(birth), digits(survival));
}

}  // namespace life
