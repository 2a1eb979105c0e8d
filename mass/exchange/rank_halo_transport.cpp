#include <mass/exchange/rank_halo_transport.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace mass::detail {
namespace {

/// Calls copy(address of a line, its bytes) for each line of some messages.
/// @param end HaloMessage::from or HaloMessage::to
template <class Address, class Copy>
void forEachLine(const std::vector<HaloMessage>& messages, Address end, const Copy& copy) {
  for (const HaloMessage& message : messages) {
    for (std::size_t line = 0; line < message.lines; ++line)
      copy(message.*end + line * message.stride, message.lineBytes);
  }
}

}  // namespace

/// Adds a message to the packet of a rank.
void RankHaloTransport::add(std::vector<Packet>& packets, int rank, const HaloMessage& message) {
  auto packet = std::ranges::find(packets, rank, &Packet::rank);
  if (packet == packets.end()) packet = packets.insert(packet, Packet{rank, {}, {}});
  packet->parts.push_back(message);
}

void RankHaloTransport::prepare(std::vector<std::vector<HaloMessage>> rounds) {
  rounds_.clear();
  std::vector<std::vector<HaloMessage>> localRounds(rounds.size());
  for (std::size_t number = 0; number < rounds.size(); ++number) {
    Round& round = rounds_.emplace_back();
    for (const HaloMessage& message : rounds[number]) {
      const bool isFromHere = devices_->isLocal(message.fromDevice);
      const bool isToHere = devices_->isLocal(message.toDevice);
      if (isFromHere && isToHere) {
        localRounds[number].push_back(message);
      } else if (isFromHere) {
        add(round.sends, devices_->rankOf(message.toDevice), message);
      } else if (isToHere) {
        add(round.receives, devices_->rankOf(message.fromDevice), message);
      }
    }
  }
  local_.prepare(std::move(localRounds));
}

/// Returns the address and size of a packet's bytes: those of its only part, if that is a run of
/// bytes, else of its packed copy, which is allocated.
/// @param end HaloMessage::from or HaloMessage::to
template <class Address>
auto RankHaloTransport::bytesOf(Packet& packet, Address end) {
  const HaloMessage& first = packet.parts.front();
  if (packet.parts.size() == 1 && first.isContiguous())
    return std::pair(first.*end, first.bytes());
  std::size_t bytes = 0;
  for (const HaloMessage& part : packet.parts) bytes += part.bytes();
  packet.packed.resize(bytes);
  return std::pair<std::decay_t<decltype(first.*end)>, std::size_t>(packet.packed.data(), bytes);
}

/// Prepares the exchange of a round.
void RankHaloTransport::connect(Round& round) const {
  std::vector<RankSend> sends;
  for (Packet& packet : round.sends) {
    const auto [from, bytes] = bytesOf(packet, &HaloMessage::from);
    sends.push_back({packet.rank, from, bytes});
  }
  std::vector<RankReceive> receives;
  for (Packet& packet : round.receives) {
    const auto [to, bytes] = bytesOf(packet, &HaloMessage::to);
    receives.push_back({packet.rank, to, bytes});
  }
  round.exchange.emplace(devices_->ranks(), receives, sends);
}

void RankHaloTransport::send(const Worker& worker, std::size_t number, Queue /*queue*/) {
  if (!worker.isCaller()) return;
  Round& round = rounds_[number];
  if (round.sends.empty() && round.receives.empty()) return;
  if (!round.exchange) connect(round);
  for (Packet& packet : round.sends) {
    if (packet.packed.empty()) continue;
    char* to = packet.packed.data();
    forEachLine(packet.parts, &HaloMessage::from, [&](const char* line, std::size_t bytes) {
      std::memcpy(std::exchange(to, to + bytes), line, bytes);
    });
  }
  round.exchange->start();
}

void RankHaloTransport::receive(const Worker& worker, std::size_t number, Queue queue) {
  local_.receive(worker, number, queue);
  Round& round = rounds_[number];
  if (!worker.isCaller() || !round.exchange) return;
  round.exchange->finish();
  for (const Packet& packet : round.receives) {
    if (packet.packed.empty()) continue;
    const char* from = packet.packed.data();
    forEachLine(packet.parts, &HaloMessage::to, [&](char* line, std::size_t bytes) {
      std::memcpy(line, std::exchange(from, from + bytes), bytes);
    });
  }
}

}  // namespace mass::detail
