#include <apps/life/rule.hpp>

#include <mass/mass.hpp>

#include <cstddef>

namespace life {
namespace {

/// Reads one rule's text from the left.
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
    if (at_ < text_.size()) fail("nothing may follow the rule");
    return rule;
  }

 private:
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

  /// The neighbour counts up to the next character that is no digit, as bits.
  std::uint32_t counts() {
    std::uint32_t bits = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (text_[at_] == '9') fail("a cell has at most 8 neighbours");
      const std::uint32_t bit = 1U << (text_[at_] - '0');
      if ((bits & bit) != 0) fail("each digit may stand only once");
      bits |= bit;
    }
    return bits;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw mass::InputError(
        "rule \"{}\", position {}: {}; a rule is written like B3/S23 (born with 3 living "
        "neighbours, surviving "
        "with 2 or 3) or 23/3. Rules of more than two states, other neighbourhoods (B3/S23V) and "
        "bounded grids "
        "(B3/S23:T100,100) are not supported: a world's size and border are settings",
        printable(), at_ + 1, what);
  }

  /// The text, cut and cleaned for a message.
  std::string printable() const {
    constexpr std::size_t longest = 60;
    std::string clean(text_.substr(0, longest));
    for (char& c : clean) c = c >= ' ' && c <= '~' ? c : '?';
    return text_.size() > longest ? clean + "..." : clean;
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
