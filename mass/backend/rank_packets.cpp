#include <mass/backend/rank_packets.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace mass::detail {
namespace {

/// Returns the box of a run of bytes.
Box runOf(std::size_t bytes) {
  return contiguous(0, static_cast<std::int64_t>(bytes));
}

}  // namespace

template <class Address>
void RankPackets::add(std::vector<Packet<Address>>& packets, int rank, Range<Address> range) {
  auto packet = std::ranges::find(packets, rank, &Packet<Address>::rank);
  if (packet == packets.end()) packet = packets.insert(packet, Packet<Address>{rank});
  packet->ranges.push_back(range);
}

void RankPackets::send(int rank, Device& device, const void* data, std::size_t bytes) {
  if (bytes > 0)
    add(sends_, rank, Range<const char*>{&device, static_cast<const char*>(data), bytes});
}

void RankPackets::receive(int rank, Device& device, void* data, std::size_t bytes) {
  if (bytes > 0) add(receives_, rank, Range<char*>{&device, static_cast<char*>(data), bytes});
}

/// Returns the memory of a message: its only range, or the packed copy, which is allocated.
template <class Address>
auto RankPackets::messageOf(Packet<Address>& packet) -> Message<Address> {
  const Range<Address>& first = packet.ranges.front();
  if (packet.ranges.size() == 1 && first.device->isHost()) return {first.data, first.bytes};
  std::size_t bytes = 0;
  for (const Range<Address>& range : packet.ranges) bytes += range.bytes;
  packet.packed.resize(bytes);
  return {packet.packed.data(), bytes};
}

/// Prepares the exchange of the messages.
void RankPackets::connect() {
  std::vector<RankSend> sends;
  for (auto& packet : sends_) {
    const auto message = messageOf(packet);
    sends.push_back({packet.rank, message.data, message.bytes});
  }
  std::vector<RankReceive> receives;
  for (auto& packet : receives_) {
    const auto message = messageOf(packet);
    receives.push_back({packet.rank, message.data, message.bytes});
  }
  exchange_.emplace(*ranks_, receives, sends);
}

void RankPackets::start() {
  if (!exchange_) connect();
  for (auto& packet : sends_) {
    if (packet.packed.empty()) continue;
    char* to = packet.packed.data();
    for (const auto& [device, data, bytes] : packet.ranges)
      device->read(data, 1, runOf(bytes), std::exchange(to, to + bytes));
  }
  exchange_->start();
}

void RankPackets::unpack() {
  for (const auto& packet : receives_) {
    if (packet.packed.empty()) continue;
    const char* from = packet.packed.data();
    for (const auto& [device, data, bytes] : packet.ranges)
      device->write(data, 1, runOf(bytes), std::exchange(from, from + bytes));
  }
}

}  // namespace mass::detail
