#pragma once

#include <mass/backend/rank_packets.hpp>
#include <mass/exchange/local_halo_transport.hpp>

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

namespace mass::detail {

/// Transport between CPU devices of several ranks: one message to and from each neighbouring rank
/// in a round, beside the copies within this rank. One worker of the rank exchanges the messages.
/// If some ranks have GPUs, the bytes have the order of the packed halos of these.
class RankHaloTransport : public HaloTransport {
 public:
  /// @param devices devices of the places; must outlive this
  explicit RankHaloTransport(const DeviceConfig& devices) : devices_(&devices) {}

  void prepare(std::vector<std::vector<HaloMessage>> rounds) override;
  /// Posts the messages of this rank. @pre all its workers have written their rows
  void send(const Worker& worker, std::size_t round, Queue queue) override;
  /// Waits for the messages to this rank.
  /// @throws RankError if another rank has failed or is silent
  void receive(const Worker& worker, std::size_t round, Queue queue) override;
  double waitSeconds() const override { return waitSeconds_; }

 private:
  void add(RankPackets& packets, const HaloMessage& message, std::size_t padding);
  void addAll(RankPackets& packets, std::span<const HaloMessage> messages);

  const DeviceConfig* devices_;
  std::array<char, 16> padding_{};  // between the parts of a packed halo
  LocalHaloTransport local_;
  std::deque<RankPackets> packets_;  // by round
  double waitSeconds_ = 0;
};

}  // namespace mass::detail
