#pragma once

#include <string>
#include <string_view>

namespace life {

/// Returns a text as the rule that it may stand for: `B3/S23` for `B3/S23/`, `B3,S23`, `(B3/S23)`,
/// `B3/S2,3`, `B3/23` or `rule = B3/S23`, and `B3/S23:T72,48` for `B3/S23:T72x48`. The result may
/// be no rule either.
std::string respelledRule(std::string_view text);

}  // namespace life
