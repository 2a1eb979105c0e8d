#pragma once

#include <span>
#include <string>
#include <string_view>

namespace life {

/// Rule with a name of its own.
struct RuleName {
  std::string_view name;  ///< in the spelling of LifeWiki
  std::string_view rule;  ///< B/S, or S/B/states for rules of more than two states
};

/// Returns the rules with names: those of the lists of LifeWiki
/// (https://conwaylife.com/wiki/List_of_Life-like_rules), of the help of Golly 4.3 on QuickLife and
/// Generations, and of LifeViewer.
std::span<const RuleName> ruleNames();

/// Returns the rule of a name; an empty text if there is none. Case, blanks and punctuation do not
/// matter.
std::string_view ruleNamed(std::string_view name);

}  // namespace life
