#pragma once

#include <mass/dispatch/executor.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mass::detail {

/// Delivery of the elements that a scatter rule sends to places of other ranks. The rule inserts
/// them into the multisets of ghost rows; this class sends those multisets to the ranks that own
/// the places, which merge them into their own. Most multisets have one word, so the first words of
/// all places of a row are a message of constant size; further words follow in a second message.
/// Multisets of GPUs are copied to the host and back.
class ScatterExchange {
 public:
  /// @param fields places with two buffers of each multiset word @param kernel the scatter rule;
  /// both must outlive this
  ScatterExchange(const PlaceFields& fields, const Kernel& kernel);

  /// Exchanges the elements of a step, and clears the multisets of the ghost rows.
  /// @param launches launches of the step by local device, with counters in memory of the host
  /// @param which number of the buffers into which the rule wrote
  /// @pre all workers of this rank have finished the step
  /// @throws RankError if another rank has failed or is silent
  void deliver(std::span<const Launch> launches, int which);

 private:
  /// Ghost row of one device whose destination belongs to another rank.
  struct Row {
    int device = 0;           ///< device with the ghost row
    std::int64_t ghost = 0;   ///< number of the ghost row in its band
    int owner = 0;            ///< device of the destination
    std::int64_t target = 0;  ///< number of the destination in its band
    int rank = 0;             ///< the other rank
  };
  /// Rows sent to or received from one rank.
  struct Packet {
    int rank = 0;
    std::vector<Row> rows{};
    /// Size of `more`, then the first words by row and place.
    std::vector<std::uint32_t> firstWords{0};
    /// For each multiset of several words, in the order of `firstWords`: the index of its first
    /// word there, then the other words.
    std::vector<std::uint32_t> more{};
  };

  void add(std::vector<Packet>& packets, const Row& row) const;
  void clearGhosts() const;
  void pack(Packet& packet, int which) const;
  void exchangeMore();
  void merge(const Packet& packet, std::span<const Launch> launches, int which) const;

  const PlaceFields* fields_;
  const Kernel* kernel_;
  std::int64_t rowPlaces_;
  std::vector<Packet> sends_, receives_;
  std::optional<RankExchange> exchange_;
};

}  // namespace mass::detail
