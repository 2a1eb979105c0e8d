#pragma once

#include <mass/backend/ranks.hpp>
#include <mass/exchange/local_halo_transport.hpp>

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace mass::detail {

/// Transport between CPU devices of several ranks: one message to and from each neighbouring rank in
/// a round, beside the copies within this rank. One worker of the rank exchanges the messages.
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
  /// All messages between this rank and another one in a round, in one direction.
  struct Packet {
    int rank = 0;                     ///< the other rank
    std::vector<HaloMessage> parts;   ///< the messages
    std::vector<char> packed;         ///< their bytes; empty if the only part is a run of bytes
  };
  /// Messages of a round.
  struct Round {
    std::vector<Packet> sends, receives;
    std::optional<RankExchange> exchange;  ///< prepared by the first send()
  };

  static void add(std::vector<Packet>& packets, int rank, const HaloMessage& message);
  template <class Address>
  static auto bytesOf(Packet& packet, Address end);
  void connect(Round& round) const;

  const DeviceConfig* devices_;
  LocalHaloTransport local_;
  std::deque<Round> rounds_;  // a Round cannot be moved
};

}  // namespace mass::detail
