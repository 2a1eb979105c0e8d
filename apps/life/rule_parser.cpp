#include <apps/life/rule_parser.hpp>

#include <apps/life/hensel.hpp>
#include <apps/life/line_reader.hpp>
#include <apps/life/rule_hint.hpp>
#include <apps/life/rule_names.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstddef>
#include <utility>
#include <vector>

namespace life {
namespace {

constexpr std::string_view spellings =
    "write a rule as B3/S23 (birth with 3 living neighbours, survival with 2 or 3) or 23/3, "
    "B2-a/S12 (Hensel's notation), B2/S345/C4 (4 states), or a name such as HighLife";

/// Error about the text of a rule.
class MalformedRule : public mass::InputError {
 public:
  MalformedRule(const std::string& message, std::string remedy)
      : mass::InputError(message), remedy_(std::move(remedy)) {}

  const std::string& remedy() const { return remedy_; }

 private:
  std::string remedy_;
};

/// Text of a rule that is read from left to right, without blanks and quotes around it.
class RuleText {
 public:
  explicit RuleText(std::string_view text) : text_(text), end_(text.size()) {
    trim();
    const std::string_view inner = rest();
    const bool isQuoted = inner.size() > 1 && inner.front() == inner.back() &&
                          (inner.front() == '"' || inner.front() == '\'');
    if (!isQuoted) return;
    ++at_;
    --end_;
    trim();
  }

  bool atEnd() const { return at_ == end_; }
  std::string_view rest() const { return text_.substr(at_, end_ - at_); }
  /// Returns the next character in lower case; 0 at the end.
  char peek() const { return atEnd() ? '\0' : lower(text_[at_]); }
  void skip(std::size_t count = 1) { at_ += count; }
  bool skipIf(char wanted) {
    if (peek() != wanted || atEnd()) return false;
    ++at_;
    return true;
  }
  void skipBlanks() {
    while (!atEnd() && isBlank(text_[at_])) ++at_;
  }
  /// Removes `count` characters from the end.
  void shorten(std::size_t count) {
    end_ -= count;
    trim();
  }

  /// Reads a number. Returns nothing if there is no digit.
  /// @param largest largest number that is read
  std::optional<std::int64_t> number(std::int64_t largest) {
    if (!isDigit(peek())) return std::nullopt;
    const RuleText start = *this;
    std::int64_t value = 0;
    while (isDigit(peek())) {
      value = value * 10 + (peek() - '0');
      if (value > largest) start.fail(fmt::format("the number is larger than {}", largest));
      ++at_;
    }
    return value;
  }

  /// @throws mass::InputError that names the present position
  [[noreturn]] void fail(std::string_view problem) const {
    throw MalformedRule(
        fmt::format("rule \"{}\", position {}: {}", printable(text_), at_ + 1, problem),
        std::string(spellings));
  }
  /// @throws mass::InputError about the whole text
  [[noreturn]] void refuse(std::string_view problem,
                           const std::string& remedy = std::string(spellings)) const {
    throw MalformedRule(fmt::format("rule \"{}\": {}", printable(text_), problem), remedy);
  }

 private:
  /// Skips blanks at both ends.
  void trim() {
    while (at_ < end_ && isBlank(text_[at_])) ++at_;
    while (at_ < end_ && isBlank(text_[end_ - 1])) --end_;
  }

  std::string_view text_;
  std::size_t at_ = 0, end_ = 0;
};

/// Suffix of a rule of Golly whose cells have marks.
constexpr std::string_view historySuffix = "history";

/// Removes a suffix in any case of letters. Returns true if the text has it, and more before it.
bool takeSuffix(RuleText& text, std::string_view suffix) {
  const std::string_view rest = text.rest();
  if (rest.size() <= suffix.size()) return false;
  const bool isThere = std::equal(suffix.rbegin(), suffix.rend(), rest.rbegin(),
                                  [](char wanted, char c) { return wanted == lower(c); });
  if (isThere) text.shorten(suffix.size());
  return isThere;
}

NamedRule readRule(std::string_view whole);

/// True if a text is a rule.
bool isRule(std::string_view text) {
  try {
    readRule(text);
    return true;
  } catch (const mass::InputError&) {
    return false;
  }
}

/// Throws if the text is a rule with the suffix of Golly for states that change others.
void refuseLabels(RuleText text) {
  for (const std::string_view suffix : {"super", "investigator"}) {
    if (takeSuffix(text, suffix) && isRule(text.rest())) {
      text.refuse(fmt::format("the label states of {} rules are not supported", suffix),
                  "convert the pattern to a rule of two states in Golly");
    }
  }
}

/// Throws the error about a name that is unknown.
[[noreturn]] void refuseName(const RuleText& text) {
  std::vector<std::string> names;
  for (const RuleName& known : ruleNames()) names.emplace_back(known.name);
  const std::string nearest = mass::nearestName(text.rest(), names);
  text.refuse(
      "no rule of this name is known, and rules that files of Golly (.rule) define are not "
      "supported",
      nearest.empty() ? std::string(spellings) : fmt::format("did you mean {}?", nearest));
}

/// Throws if the text is a rule of a kind that does not depend on the eight nearest cells only, or
/// a name that is unknown.
void refuseOtherKinds(const RuleText& text) {
  refuseLabels(text);
  const std::string_view rest = text.rest();
  const auto is = [&](std::size_t at, auto test) {
    return at < rest.size() && test(static_cast<unsigned char>(rest[at])) != 0;
  };
  const char first = text.peek();
  const bool hasNumber = is(1, [](int c) { return std::isdigit(c); });
  const bool hasLetter = is(1, [](int c) { return std::isalpha(c); });
  if (first == 'r' && hasNumber)
    text.refuse("a Larger than Life rule counts cells farther away than the eight nearest");
  if (first == 'w' && hasNumber) text.refuse("an elementary rule is of one-dimensional worlds");
  if (first == 'm' && hasNumber) text.refuse("a Margolus rule is of blocks of four cells");
  if (rest.size() > 3 && lower(rest[1]) == 'a' && first == 'm' && lower(rest[2]) == 'p')
    text.refuse("a map of 512 outcomes is not supported");
  const bool isKey = std::string_view("bsgc").find(first) != std::string_view::npos;
  if (std::isalpha(static_cast<unsigned char>(first)) != 0 && (!isKey || hasLetter)) {
    refuseName(text);
  }
  if (lower(rest.back()) == 'h') text.refuse("a rule of hexagonal cells (H) is not supported");
}

/// Parser of a rule without grid and name.
class RuleReader {
 public:
  explicit RuleReader(RuleText& text) : text_(text) {}

  RuleTable read() {
    if (lower(text_.rest().back()) == 'v') {
      orthogonal_ = true;
      text_.shorten(1);
    }
    const bool isKeyed = !isDigit(text_.peek()) && !isSeparator();
    return isKeyed ? readKeyed() : readOrdered();
  }

 private:
  bool isSeparator() const { return text_.peek() == '/' || text_.peek() == '_'; }

  /// Skips a separator and blanks. Returns true if there was a separator.
  bool skipSeparator() {
    text_.skipBlanks();
    const bool found = isSeparator();
    if (found) text_.skip();
    text_.skipBlanks();
    return found;
  }

  /// Reads parts that begin with B, S, and C or G, in any order; a third part may be a number.
  RuleTable readKeyed() {
    std::optional<std::bitset<256>> birth, survival;
    std::optional<int> states;
    bool separated = false;
    while (!text_.atEnd()) {
      const char key = text_.peek();
      if (key == 'b' && !birth) {
        text_.skip();
        birth = arrangements();
      } else if (key == 's' && !survival) {
        text_.skip();
        survival = arrangements();
      } else if ((key == 'c' || key == 'g') && !states) {
        text_.skip();
        states = stateCount();
      } else if (separated && birth && survival && !states) {
        states = stateCount();
      } else {
        failAt(birth.has_value(), survival.has_value());
      }
      separated = skipSeparator();
    }
    if (separated || !birth || !survival) failAt(birth.has_value(), survival.has_value());
    return table(*birth, *survival, states.value_or(2));
  }

  [[noreturn]] void failAt(bool hasBirth, bool hasSurvival) const {
    if (!hasSurvival) text_.fail("expected 'S' and the counts of survival");
    if (!hasBirth) text_.fail("expected 'B' and the counts of birth");
    text_.fail("unexpected text after the rule");
  }

  /// Reads `survival/birth` or `survival/birth/states`.
  RuleTable readOrdered() {
    const auto survival = arrangements();
    if (!skipSeparator()) text_.fail("expected '/'");
    const auto birth = arrangements();
    int states = 2;
    if (skipSeparator()) {
      if (!text_.skipIf('c')) text_.skipIf('g');
      states = stateCount();
    }
    if (!text_.atEnd()) text_.fail("unexpected text after the rule");
    return table(birth, survival, states);
  }

  static RuleTable table(const std::bitset<256>& birth, const std::bitset<256>& survival,
                         int states) {
    RuleTable table;
    table.birth = birth;
    table.survival = survival;
    table.states = states;
    return table;
  }

  int stateCount() {
    const RuleText start = text_;
    const auto count = text_.number(RuleTable::maxStates);
    if (!count || *count < 2)
      start.fail(fmt::format("expected a number of states, 2 to {}", RuleTable::maxStates));
    return static_cast<int>(*count);
  }

  /// Reads digits with letters up to another character. Returns the arrangements that they name.
  std::bitset<256> arrangements() {
    std::bitset<256> set;
    std::uint32_t counts = 0;
    while (isDigit(text_.peek())) {
      const int count = text_.peek() - '0';
      const int most = orthogonal_ ? 4 : 8;
      if (count > most) text_.fail(fmt::format("a cell has at most {} neighbours", most));
      if ((counts >> count & 1U) != 0) text_.fail("a digit is repeated");
      counts |= 1U << count;
      text_.skip();
      add(count, letters(count), set);
    }
    return set;
  }

  /// Reads the letters after a digit, which a minus sign may precede. Returns the letters of the
  /// arrangements that count.
  std::string letters(int count) {
    const std::string_view known = orthogonal_ ? "" : hensel::lettersOf(count);
    const bool isExcluding = text_.skipIf('-');
    std::string named;
    for (; hensel::lettersOf(4).find(text_.peek()) != std::string_view::npos; text_.skip()) {
      const char letter = text_.peek();
      if (known.find(letter) == std::string_view::npos) {
        if (known.empty()) text_.fail(fmt::format("{} neighbours have no letters here", count));
        text_.fail(fmt::format("the letters of {} neighbours are {}", count, known));
      }
      if (named.find(letter) != std::string::npos) text_.fail("a letter is repeated");
      named += letter;
    }
    if (named.empty() && isExcluding) text_.fail("expected letters after '-'");
    if (named.empty()) return fmt::format(" {}", known);
    if (!isExcluding) return named;
    std::string others;
    for (const char letter : known) {
      if (named.find(letter) == std::string::npos) others += letter;
    }
    return others;
  }

  /// Adds the arrangements of `count` living cells and the given letters to `set`.
  void add(int count, const std::string& letters, std::bitset<256>& set) const {
    constexpr unsigned edges = 0b01010101;
    for (unsigned arrangement = 0; arrangement < 256; ++arrangement) {
      const unsigned seen = orthogonal_ ? arrangement & edges : arrangement;
      const char letter =
          orthogonal_ ? ' ' : hensel::letterOf(static_cast<std::uint8_t>(arrangement));
      if (std::popcount(seen) == count && letters.find(letter) != std::string::npos)
        set.set(arrangement);
    }
  }

  RuleText& text_;
  bool orthogonal_ = false;
};

/// Reads the text after the colon: `T72,48`, `P72,48`, or `T72` for a square.
BoundedGrid readGrid(RuleText& text) {
  constexpr std::array<std::pair<char, std::string_view>, 3> others{
      {{'k', "a Klein bottle"}, {'c', "a cross-surface"}, {'s', "a sphere"}}};
  text.skipBlanks();
  for (const auto& [key, name] : others) {
    if (text.peek() == key)
      text.fail(fmt::format("{} is not supported; a grid is a torus (T) or a plane (P)", name));
  }
  BoundedGrid grid;
  grid.isTorus = text.peek() == 't';
  if (!text.skipIf('t') && !text.skipIf('p'))
    text.fail("expected a grid such as T72,48 (torus) or P72,48 (plane) after ':'");
  constexpr std::int64_t largest = std::int64_t{1} << 31;
  const auto size = [&] {
    text.skipBlanks();
    const RuleText start = text;
    const auto read = text.number(largest);
    if (!read) start.fail("expected a number of cells");
    if (*read == 0) start.fail("0 is an infinite side; a world has a finite height and width");
    text.skipBlanks();
    return *read;
  };
  grid.columns = size();
  grid.rows = text.skipIf(',') ? size() : grid.columns;
  if (!text.atEnd()) text.fail("unexpected text; shifted and twisted grids are not supported");
  return grid;
}

NamedRule readRule(std::string_view whole) {
  NamedRule rule;
  RuleText text(whole);
  const std::size_t colon = text.rest().find_last_of(':');
  if (colon != std::string_view::npos && ruleNamed(whole).empty()) {
    RuleText grid = text;
    grid.skip(colon + 1);
    rule.grid = readGrid(grid);
    text.shorten(text.rest().size() - colon);
  }
  if (text.atEnd()) text.fail("a rule is missing");
  rule.isHistory = takeSuffix(text, historySuffix);
  const std::string_view named = ruleNamed(text.rest());
  if (!named.empty()) {
    RuleText meaning(named);
    rule.table = RuleReader(meaning).read();
  } else {
    refuseOtherKinds(text);
    rule.table = RuleReader(text).read();
  }
  if (rule.isHistory && rule.table.states > 2)
    text.refuse("History follows a rule of two states only");
  return rule;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t maxLength = 60;
  std::string clean(text.substr(0, maxLength));
  for (char& c : clean) c = c >= ' ' && c <= '~' ? c : '?';
  return text.size() > maxLength ? clean + "..." : clean;
}

bool isHistoryRule(std::string_view text) {
  RuleText rule(text.substr(0, text.find(':')));
  return takeSuffix(rule, historySuffix);
}

NamedRule parseRule(std::string_view text) {
  try {
    return readRule(text);
  } catch (const MalformedRule& error) {
    const std::string respelled = respelledRule(text);
    const bool isHint = isRule(respelled);
    throw mass::InputError("{}; {}", error.what(),
                           isHint ? fmt::format("did you mean {}?", respelled) : error.remedy());
  }
}

}  // namespace life
