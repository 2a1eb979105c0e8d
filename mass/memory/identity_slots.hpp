#pragma once

#include <mass/support/hash.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Slots of a hash table with linear probing from identities to positions of agents. At least half
/// of them are empty.
struct IdentitySlots {
  std::int32_t* positions = nullptr;   ///< by slot: position of an agent; -1: empty
  const std::uint64_t* ids = nullptr;  ///< by position: identity
  std::uint64_t last = 0;              ///< number of slots, a power of 2, minus 1
  /// True if no identity is above `last`: identity i is in slot i then.
  bool isDense = false;

  /// Returns the slot at which a search for an identity begins.
  MASS_FN std::uint64_t slotOf(std::uint64_t id) const { return (isDense ? id : mix(id)) & last; }
  /// Returns the position of the agent with an identity; -1 if there is none.
  MASS_FN std::int32_t find(std::uint64_t id) const {
    if (isDense) return id <= last ? positions[id] : -1;
    std::uint64_t slot = slotOf(id);
    std::int32_t position = positions[slot];
    while (position >= 0 && ids[position] != id) {
      slot = (slot + 1) & last;
      position = positions[slot];
    }
    return position;
  }
};

}  // namespace mass::detail
