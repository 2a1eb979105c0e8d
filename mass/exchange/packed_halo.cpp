#include <mass/exchange/packed_halo.hpp>

#include <algorithm>

namespace mass::detail {

std::size_t bytesWithPadding(std::size_t bytes) {
  constexpr std::size_t alignment = 16;
  return (bytes + alignment - 1) / alignment * alignment;
}

std::vector<PackedHalo> packHalos(std::span<const HaloMessage> messages) {
  std::vector<PackedHalo> halos;
  for (const HaloMessage& message : messages) {
    auto halo = std::find_if(halos.begin(), halos.end(), [&](const PackedHalo& other) {
      return other.fromDevice == message.fromDevice && other.toDevice == message.toDevice;
    });
    if (halo == halos.end()) {
      halo = halos.insert(halos.end(), {message.fromDevice, message.toDevice, {}});
    }
    halo->parts.push_back(message);
    halo->bytes += bytesWithPadding(message.bytes());
  }
  for (PackedHalo& halo : halos) {
    if (!halo.isPacked()) halo.bytes = halo.parts.front().bytes();
  }
  return halos;
}

}  // namespace mass::detail
