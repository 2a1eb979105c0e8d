#pragma once

#include <mass/backend/ranks.hpp>
#include <mass/memory/event_band.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mass::detail {

/// Departures of a place of another rank.
struct RemoteDepartures {
  std::uint32_t place = 0;  ///< global number
  DepartureList list;       ///< valid until the next exchange
};

/// Messages between ranks with the departures of places that have neighbours on another rank.
class DepartureExchange {
 public:
  /// Sets the places whose departures other ranks receive. The relation is symmetric: a rank sends
  /// to those that it receives from.
  /// @param places by rank, ascending global numbers of places of this rank
  void connect(std::vector<std::vector<std::uint32_t>> places);

  /// Sends all these departures, and receives those of the other ranks.
  /// @param bands bands of this rank, in the order of their places @throws RankError
  void exchangeAll(Ranks& ranks, std::span<EventBand> bands);
  /// Likewise for the places in EventBand::changed. All ranks call it together. @throws RankError
  void exchangeChanged(Ranks& ranks, std::span<EventBand> bands);

  /// Returns the departures that the last exchange received.
  const std::vector<RemoteDepartures>& received() const { return received_; }

 private:
  /// Message of a varying number of departures: those up to a number that both ranks know are sent
  /// at once, the others once their number is known.
  struct Message {
    std::vector<Departure> items;
    std::size_t known = 64;  ///< items of the first part

    /// Returns the number of items, of which the first has the lower 32 bits.
    std::size_t count() const { return items.front().tick; }
    /// Enlarges the first part of later messages if this one did not fit.
    void adapt();
  };
  /// Other rank.
  struct Peer {
    int rank = 0;
    std::vector<std::uint32_t> places;  ///< places of this rank that are adjacent to its places
    Message sent, received;
  };

  void transfer(Ranks& ranks);
  void transferParts(Ranks& ranks, bool isFirst);
  void unpack(Message& message);

  std::vector<Peer> peers_;
  std::vector<RemoteDepartures> received_;
};

}  // namespace mass::detail
