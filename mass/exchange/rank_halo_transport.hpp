#pragma once

#include <mass/backend/rank_packets.hpp>
#include <mass/exchange/local_halo_transport.hpp>

#include <cstddef>
#include <deque>
#include <vector>

namespace mass::detail {

/// Transport between CPU devices of several ranks: one message to and from each neighbouring rank
/// in a round, beside the copies within this rank. One worker of the rank exchanges the messages.
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

 private:
  const DeviceConfig* devices_;
  LocalHaloTransport local_;
  std::deque<RankPackets> packets_;  // by round
};

}  // namespace mass::detail
