#pragma once

#include <mass/launch/identity_launch.hpp>
#include <mass/memory/device_vector.hpp>
#include <mass/memory/request_list.hpp>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace mass::detail {

/// Arguments of rules that find agents of a class by identity, and the memory to which they point.
struct IdentityViews {
  std::vector<IdentityView> byDevice;
  std::vector<std::vector<const void*>> addresses;     ///< by device and component
  std::map<int, DeviceVector<std::uint64_t>> missing;  ///< by local device; see Agents::missing()
  std::uint64_t formerMissing = 0;                     ///< count up to a restored checkpoint
  /// By component of the attribute that receives: gifts by device.
  std::map<int, std::vector<GiveView>> gifts;
  std::map<std::pair<int, int>, RequestList> giftLists;  ///< by component and local device
};

}  // namespace mass::detail
