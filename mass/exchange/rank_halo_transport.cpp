#include <mass/exchange/rank_halo_transport.hpp>

#include <utility>

namespace mass::detail {

void RankHaloTransport::prepare(std::vector<std::vector<HaloMessage>> rounds) {
  packets_.clear();
  std::vector<std::vector<HaloMessage>> localRounds(rounds.size());
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    RankPackets& packets = packets_.emplace_back(devices_->ranks());
    for (const HaloMessage& message : rounds[round]) {
      const bool isFromHere = devices_->isLocal(message.fromDevice);
      const bool isToHere = devices_->isLocal(message.toDevice);
      if (isFromHere && isToHere) localRounds[round].push_back(message);
      for (std::size_t line = 0; line < message.lines && isFromHere != isToHere; ++line) {
        if (isFromHere) {
          packets.send(devices_->rankOf(message.toDevice), devices_->device(message.fromDevice),
                       message.from + line * message.fromStride, message.lineBytes);
        } else {
          packets.receive(devices_->rankOf(message.fromDevice), devices_->device(message.toDevice),
                          message.to + line * message.toStride, message.lineBytes);
        }
      }
    }
  }
  local_.prepare(std::move(localRounds));
}

void RankHaloTransport::send(const Worker& worker, std::size_t round, Queue /*queue*/) {
  if (worker.isCaller() && !packets_[round].isEmpty()) packets_[round].start();
}

void RankHaloTransport::receive(const Worker& worker, std::size_t round, Queue queue) {
  local_.receive(worker, round, queue);
  if (worker.isCaller() && !packets_[round].isEmpty()) packets_[round].finish();
}

}  // namespace mass::detail
