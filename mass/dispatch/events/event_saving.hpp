#pragma once

#include <cstdint>

namespace mass::detail {

/// Ways in which Time Warp keeps the states of places that a roll-back restores.
enum class EventSaving : std::uint8_t {
  measured,  ///< for each rule with an inverse, the faster one of the others
  states,    ///< the state of the place before an event
  inverses   ///< for rules with an inverse, the counts of the place; the inverse restores the rest
};

}  // namespace mass::detail
