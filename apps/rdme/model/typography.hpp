#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rdme {

/// Character of a typeset text, and the ASCII text that replaces it.
struct Substitution {
  std::string_view from;
  std::string_view to;
};

/// Returns `text` with the first applicable substitution at each position.
std::string substituted(std::string_view text, std::span<const Substitution> substitutions);

/// Returns `text` as typed on a keyboard: minus signs, hyphens and dashes are `-`, all blanks are
/// ' ', arrows are `->` and `<->`, the micro sign is the Greek letter; characters of no width are
/// removed. Text copied from typeset papers has many of these.
std::string plainText(std::string_view text);

}  // namespace rdme
