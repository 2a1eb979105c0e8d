#pragma once

#include <mass/dispatch/executor.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mass::detail {

/// Delivery of the elements that a scatter rule sends to places of other ranks. The rule inserts
/// them into the multisets of ghost rows; this class sends those rows to the ranks that own the
/// places, which merge them into their own multisets.
class ScatterExchange {
 public:
  /// @param fields places with two buffers of each multiset word @param kernel the scatter rule;
  /// both must outlive this
  ScatterExchange(const PlaceFields& fields, const Kernel& kernel);

  /// Exchanges the elements of a step, and clears the multisets of the ghost rows.
  /// @param launches launches of the step by local device
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
  /// Rows sent to or received from one rank, with the words of their multisets.
  struct Packet {
    int rank = 0;
    std::vector<Row> rows;
    std::vector<std::uint32_t> words;  ///< by row, word of the multiset and place
  };

  void add(std::vector<Packet>& packets, const Row& row) const;
  std::uint32_t* wordsAt(int component, int device, int which, std::int64_t row,
                         std::int64_t line) const;
  void clearGhosts() const;
  void pack(Packet& packet, int which) const;
  void merge(const Packet& packet, std::span<const Launch> launches) const;

  const PlaceFields* fields_;
  const Kernel* kernel_;
  std::size_t rowWords_;  ///< words of a row in a packet
  std::vector<Packet> sends_, receives_;
  std::optional<RankExchange> exchange_;
};

}  // namespace mass::detail
