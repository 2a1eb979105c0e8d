#pragma once

#include <mass/memory/device_vector.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail {

/// Memory on a device for the agents that a rule creates; see BirthView.
struct BirthList {
  explicit BirthList(Device& device)
      : counters(device), places(device), parents(device), device_(&device) {
    counters.reserve(2, 0);
  }

  /// Ensures a capacity of `count` agents, and removes all.
  /// @param elementSizes bytes of an element of each component
  /// @throws DeviceError if memory is exhausted
  void prepare(std::int64_t count, const std::vector<std::size_t>& elementSizes) {
    counters.fill(0, 2, 0);
    places.reserve(count, 0);
    parents.reserve(count, 0);
    while (components.size() < elementSizes.size()) components.emplace_back(*device_);
    addresses.clear();
    for (std::size_t k = 0; k < elementSizes.size(); ++k) {
      components[k].reserve(count * static_cast<std::int64_t>(elementSizes[k]), 0);
      addresses.push_back(components[k].data());
    }
  }

  DeviceVector<std::uint64_t> counters;  ///< BirthView::count, BirthView::refused
  DeviceVector<std::int64_t> places, parents;
  std::vector<DeviceVector<char>> components;
  std::vector<void*> addresses;  ///< of `components`

 private:
  Device* device_;
};

}  // namespace mass::detail
