#include <apps/rdme/model/typography.hpp>

#include <algorithm>

namespace rdme {
namespace {

constexpr Substitution typeset[] = {{"\u2010", "-"},    // hyphen
                                    {"\u2011", "-"},    // no-break hyphen
                                    {"\u2012", "-"},    // figure dash
                                    {"\u2013", "-"},    // en dash
                                    {"\u2014", "-"},    // em dash
                                    {"\u2212", "-"},    // minus sign
                                    {"\uFE63", "-"},    // small hyphen-minus
                                    {"\uFF0D", "-"},    // full-width hyphen-minus
                                    {"\t", " "},        //
                                    {"\u00A0", " "},    // no-break space
                                    {"\u2000", " "},    // en quad
                                    {"\u2001", " "},    // em quad
                                    {"\u2002", " "},    // en space
                                    {"\u2003", " "},    // em space
                                    {"\u2004", " "},    // three-per-em space
                                    {"\u2005", " "},    // four-per-em space
                                    {"\u2006", " "},    // six-per-em space
                                    {"\u2007", " "},    // figure space
                                    {"\u2008", " "},    // punctuation space
                                    {"\u2009", " "},    // thin space
                                    {"\u200A", " "},    // hair space
                                    {"\u202F", " "},    // narrow no-break space
                                    {"\u205F", " "},    // medium mathematical space
                                    {"\u3000", " "},    // ideographic space
                                    {"\u200B", ""},     // zero-width space
                                    {"\u200C", ""},     // zero-width non-joiner
                                    {"\u200D", ""},     // zero-width joiner
                                    {"\u2060", ""},     // word joiner
                                    {"\uFEFF", ""},     // byte order mark
                                    {"\u2192", "->"},   // rightwards arrow
                                    {"\u27F6", "->"},   // long rightwards arrow
                                    {"\u2194", "<->"},  // left right arrow
                                    {"\u21C4", "<->"},  // rightwards arrow over leftwards arrow
                                    {"\u21C6", "<->"},  // leftwards arrow over rightwards arrow
                                    {"\u21CB", "<->"},  // leftwards harpoon over rightwards harpoon
                                    {"\u21CC", "<->"},  // rightwards harpoon over leftwards harpoon
                                    {"\u27F7", "<->"},  // long left right arrow
                                    {"\u00B5", "\u03BC"}};  // micro sign, Greek letter

}  // namespace

std::string substituted(std::string_view text, std::span<const Substitution> substitutions) {
  std::string result;
  while (!text.empty()) {
    const auto found =
        std::find_if(substitutions.begin(), substitutions.end(),
                     [&](const Substitution& each) { return text.starts_with(each.from); });
    if (found == substitutions.end()) {
      result += text.front();
      text.remove_prefix(1);
    } else {
      result += found->to;
      text.remove_prefix(found->from.size());
    }
  }
  return result;
}

std::string plainText(std::string_view text) {
  return substituted(text, typeset);
}

}  // namespace rdme
