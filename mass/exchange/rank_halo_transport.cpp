#include <mass/exchange/rank_halo_transport.hpp>

#include <mass/exchange/packed_halo.hpp>

#include <chrono>
#include <utility>

namespace mass::detail {

/// Adds a message between this rank and another one. @param padding bytes after it
void RankHaloTransport::add(RankPackets& packets, const HaloMessage& message, std::size_t padding) {
  if (devices_->isLocal(message.fromDevice)) {
    Device& device = devices_->device(message.fromDevice);
    const int rank = devices_->rankOf(message.toDevice);
    message.forEachLine([&](std::size_t from, std::size_t /*to*/) {
      packets.send(rank, device, message.from + from, message.lineBytes);
    });
    packets.send(rank, device, padding_.data(), padding);
  } else {
    Device& device = devices_->device(message.toDevice);
    const int rank = devices_->rankOf(message.fromDevice);
    message.forEachLine([&](std::size_t /*from*/, std::size_t to) {
      packets.receive(rank, device, message.to + to, message.lineBytes);
    });
    packets.receive(rank, device, padding_.data(), padding);
  }
}

/// Adds messages between this rank and others. GPUs of other ranks pack them by pairs of devices.
void RankHaloTransport::addAll(RankPackets& packets, std::span<const HaloMessage> messages) {
  if (!devices_->areMixed()) {
    for (const HaloMessage& message : messages) add(packets, message, 0);
    return;
  }
  for (const PackedHalo& halo : packHalos(messages)) {
    for (const HaloMessage& part : halo.parts)
      add(packets, part, halo.isPacked() ? bytesWithPadding(part.bytes()) - part.bytes() : 0);
  }
}

void RankHaloTransport::prepare(std::vector<std::vector<HaloMessage>> rounds) {
  packets_.clear();
  waitSeconds_ = 0;
  std::vector<std::vector<HaloMessage>> localRounds(rounds.size());
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    std::vector<HaloMessage> between;
    for (const HaloMessage& message : rounds[round]) {
      const bool isFromHere = devices_->isLocal(message.fromDevice);
      const bool isToHere = devices_->isLocal(message.toDevice);
      if (isFromHere && isToHere) localRounds[round].push_back(message);
      if (isFromHere != isToHere) between.push_back(message);
    }
    addAll(packets_.emplace_back(devices_->ranks()), between);
  }
  local_.prepare(std::move(localRounds));
}

void RankHaloTransport::send(const Worker& worker, std::size_t round, Queue /*queue*/) {
  if (worker.isCaller() && !packets_[round].isEmpty()) packets_[round].start();
}

void RankHaloTransport::receive(const Worker& worker, std::size_t round, Queue queue) {
  local_.receive(worker, round, queue);
  if (!worker.isCaller() || packets_[round].isEmpty()) return;
  const auto start = std::chrono::steady_clock::now();
  packets_[round].wait();
  waitSeconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  packets_[round].unpack();
}

}  // namespace mass::detail
