#include <apps/life/line_reader.hpp>
#include <apps/life/rule_hint.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace life {
namespace {

bool isOneOf(std::string_view characters, char c) {
  return characters.find(c) != std::string_view::npos;
}

bool isLetterOrDigit(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// Returns `text` without "rule =" or "rule:" before it.
std::string_view withoutKey(std::string_view text) {
  constexpr std::string_view key = "rule";
  const bool hasKey = text.size() > key.size() &&
                      std::equal(key.begin(), key.end(), text.begin(),
                                 [](char wanted, char c) { return wanted == lower(c); });
  if (!hasKey) return text;
  const std::string_view rest = trimmed(text.substr(key.size()));
  return rest.starts_with('=') || rest.starts_with(':') ? trimmed(rest.substr(1)) : text;
}

/// Rule without a grid whose characters other than letters and digits are replaced: by '/' where
/// they separate counts, by nothing elsewhere.
class Respelling {
 public:
  explicit Respelling(std::string_view text)
      : text_(text), isDivided_(text.find_first_of("/bBsS") != std::string_view::npos) {}

  std::string result() {
    for (std::size_t at = 0; at < text_.size(); ++at) add(at);
    while (result_.ends_with('/')) result_.pop_back();
    return withBothKeys();
  }

 private:
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  void add(std::size_t position) {
    const char c = text_[position];
    // A minus sign before other letters excludes arrangements: B2-a.
    const bool excludes = c == '-' && isLetterOrDigit(at(position + 1)) &&
                          !isOneOf("sSbBgGC0123456789", at(position + 1));
    const char before = result_.empty() ? '/' : result_.back();
    if (isLetterOrDigit(c) || excludes) {
      if (c != before || !isCount(c)) result_ += c;  // a count that is repeated counts once
    } else if (isDivided_ && isBlank(c) && isDigit(before) && isDigit(at(position + 1))) {
      result_ += c;  // B3/S23 4 may be several rules
    } else if (isDivided_ && isOneOf(",;.", c) && isDigit(before) && isDigit(at(position + 1))) {
      return;  // between counts of one part: S2,3
    } else if (before != '/' && !isOneOf("bBsScCgG", before)) {
      result_ += '/';
    }
  }

  /// True if a character would be a number of neighbours, and not of states.
  bool isCount(char c) const {
    return isDigit(c) && result_.find_last_of("cCgG") == std::string::npos &&
           std::count(result_.begin(), result_.end(), '/') < 2;
  }

  /// Returns the result with B or S before the part that lacks it: B3/S23 for B3/23.
  std::string withBothKeys() const {
    const std::size_t slash = result_.find('/');
    if (slash == std::string::npos || slash + 1 == result_.size()) return result_;
    const char first = lower(result_.front()), second = lower(result_[slash + 1]);
    if (first == 'b' && isDigit(second))
      return result_.substr(0, slash + 1) + "S" + result_.substr(slash + 1);
    if (isDigit(first) && second == 's') return "B" + result_;
    return result_;
  }

  std::string_view text_;
  bool isDivided_;  ///< the text has '/' or letters between its parts
  std::string result_;
};

/// Returns the size of a bounded grid with a comma between width and height: T72,48 for T72x48.
std::string respelledGrid(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (isDigit(c) || (result.empty() && isOneOf("tTpP", c)))
      result += c;
    else if (!result.empty() && isDigit(result.back()) && result.find(',') == std::string::npos)
      result += ',';
  }
  return result;
}

}  // namespace

std::string respelledRule(std::string_view text) {
  constexpr std::size_t longest = 60;
  text = withoutKey(trimmed(text));
  if (text.size() > longest) return {};
  const std::size_t colon = text.find_last_of(':');
  if (colon == std::string_view::npos) return Respelling(text).result();
  const std::string_view grid = trimmed(text.substr(colon + 1));
  if (grid.empty() || !isOneOf("tTpP", grid.front())) return Respelling(text).result();
  return Respelling(text.substr(0, colon)).result() + ":" + respelledGrid(grid);
}

}  // namespace life
