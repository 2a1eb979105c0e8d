#pragma once

#include <mass/memory/device_vector.hpp>
#include <mass/memory/identity_slots.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mass::detail {

/// Table on a device that finds the agents of all devices by identity. With several devices it has
/// copies of all identities and attributes, in the order of agents; with one, positions are the
/// numbers of the agents there.
struct IdentityTable {
  /// Has no device.
  IdentityTable() = default;
  /// @param components number of components of an agent
  IdentityTable(Device& device, std::size_t components) : slots(device), allIds(device) {
    for (std::size_t k = 0; k < components; ++k) allComponents.emplace_back(device);
  }

  /// Returns the number of slots for a table.
  /// @param agents number of agents of all devices @param nextId identity of the next agent
  static std::uint64_t slotsFor(std::int64_t agents, std::uint64_t nextId) {
    return std::min(std::bit_ceil(2 * static_cast<std::uint64_t>(agents) + 2),
                    std::bit_ceil(nextId + 1));
  }
  /// True if reserve() would allocate memory.
  /// @param isCopy true if there are several devices
  bool mustGrow(std::int64_t agents, std::uint64_t nextId, bool isCopy) const {
    return slots.capacity() < static_cast<std::int64_t>(slotsFor(agents, nextId)) ||
           (isCopy && allIds.capacity() < agents);
  }
  /// Ensures memory for a table.
  /// @param agents, nextId see slotsFor()
  /// @param copySizes bytes of an element of each component that is copied; empty: one device
  /// @throws DeviceError if memory is exhausted
  void reserve(std::int64_t agents, std::uint64_t nextId,
               const std::vector<std::size_t>& copySizes) {
    last = slotsFor(agents, nextId) - 1;
    isDense = nextId <= last;
    slots.reserve(static_cast<std::int64_t>(last) + 1, 0);
    for (std::size_t k = 0; k < copySizes.size(); ++k)
      allComponents[k].reserve(agents * static_cast<std::int64_t>(copySizes[k]), 0);
    if (!copySizes.empty()) allIds.reserve(agents, 0);  // the last one: see mustGrow()
  }
  /// Returns the bytes allocated.
  std::size_t bytes() const {
    std::size_t total = slots.bytes() + allIds.bytes();
    for (const auto& component : allComponents) total += component.bytes();
    return total;
  }

  DeviceVector<std::int32_t> slots;               ///< IdentitySlots::positions
  std::uint64_t last = 0;                         ///< IdentitySlots::last
  bool isDense = false;                           ///< IdentitySlots::isDense
  DeviceVector<std::uint64_t> allIds;             ///< by position: identity
  std::vector<DeviceVector<char>> allComponents;  ///< by component, then position: attributes
};

}  // namespace mass::detail
