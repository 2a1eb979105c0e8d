#include <mass/dispatch/reading.hpp>

#include <mass/backend/cpu/cpu_device.hpp>
#include <mass/backend/rank_packets.hpp>

#include <cstdint>
#include <cstring>
#include <vector>

namespace mass::detail {
namespace {

/// Lanes of the lines of the devices of this rank, in host memory.
using Lanes = std::vector<std::vector<char>>;

/// Gives the lanes of the devices with a part along axis 2 to those with the next one.
void passOn(const PlaceFields& fields, int part, Lanes& lanes) {
  const DeviceConfig& devices = fields.devices();
  const BlockOrder& order = fields.blocks().order();
  const auto of = [&](int device) -> std::vector<char>& {
    return lanes[static_cast<std::size_t>(device - devices.firstLocal())];
  };
  CpuDevice host(0);
  RankPackets packets(devices.ranks());
  for (int device = 0; device < devices.size(); ++device) {
    if (order.part(2, device) != part) continue;
    const int next = order.device({order.part(0, device), order.part(1, device), part + 1});
    const bool isHere = devices.isLocal(device), isNextHere = devices.isLocal(next);
    if (isHere && isNextHere) {
      std::memcpy(of(next).data(), of(device).data(), of(next).size());
    } else if (isHere) {
      packets.send(devices.rankOf(next), host, of(device).data(), of(device).size());
    } else if (isNextHere) {
      packets.receive(devices.rankOf(device), host, of(next).data(), of(next).size());
    }
  }
  if (packets.isEmpty()) return;
  packets.start();
  packets.finish();
}

}  // namespace

std::int64_t resultsBefore(const PlaceFields& fields, const Kernel& kernel, int device) {
  return kernel.traversal == Traversal::map ? fields.placesBefore(device)
                                            : fields.linesBefore(device);
}

void reduceCutLines(const PlaceFields& fields, Kernel& kernel, std::size_t laneBytes,
                    const std::function<void()>& run) {
  Lanes lanes;
  for (const int device : fields.devices().local()) {
    const auto lines = static_cast<std::size_t>(units(fields.layout(device)));
    kernel.lanes.push_back(lanes.emplace_back(lines * laneBytes).data());
  }
  kernel.lanesBytesPerLine = laneBytes;
  const int parts = fields.blocks().along(2).devices();
  for (kernel.columnPart = 0; kernel.columnPart < parts; ++kernel.columnPart) {
    run();
    if (kernel.columnPart + 1 < parts) passOn(fields, kernel.columnPart, lanes);
  }
  kernel.lanes.clear();
}

}  // namespace mass::detail
