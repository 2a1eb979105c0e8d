#pragma once

#include <mass/dispatch/migration/migration_view.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace mass::detail::migration {

/// What a device counts and is told while it manages agents: numbers that the host writes to its
/// memory and reads from there in one piece.
class MigrationCounters {
 public:
  MigrationCounters(int devices, std::size_t edges, std::size_t columns)
      : devices_(static_cast<std::size_t>(devices)),
        edges_(edges),
        columns_(columns),
        numbers_(columnsAt() + columns * sizeof(Column) / sizeof(std::uint64_t)) {}

  std::size_t size() const { return numbers_.size(); }
  std::uint64_t* data() { return numbers_.data(); }

  std::uint64_t& count(Count which) { return numbers_[static_cast<std::size_t>(which)]; }
  std::uint64_t& alive() { return numbers_[aliveAt()]; }
  std::uint64_t& localChildren() { return numbers_[aliveAt() + 1]; }
  std::uint64_t& seekers() { return numbers_[aliveAt() + 2]; }
  std::uint64_t& freePlaces() { return numbers_[aliveAt() + 3]; }
  std::uint64_t& moves(int device) {
    return numbers_[movesAt() + static_cast<std::size_t>(device)];
  }
  std::uint64_t& children(int device) {
    return numbers_[childrenAt() + static_cast<std::size_t>(device)];
  }
  std::int64_t edge(std::size_t i) { return static_cast<std::int64_t>(numbers_[edgesAt() + i]); }

  void setColumn(std::size_t i, const Column& column) {
    std::memcpy(numbers_.data() + columnsAt() + i * sizeof(Column) / sizeof(std::uint64_t), &column,
                sizeof(Column));
  }

  /// Tells bodies where the numbers are on the device.
  void bind(std::uint64_t* there, MigrationView& m) const {
    m.counts = there;
    m.alive = there + aliveAt();
    m.localChildren = there + aliveAt() + 1;
    m.seekers = there + aliveAt() + 2;
    m.freePlaces = there + aliveAt() + 3;
    m.crowdedBins = there + aliveAt() + 4;
    m.sentMoves = there + movesAt();
    m.sentChildren = there + childrenAt();
    m.edges = there + edgesAt();
    m.edgeCount = static_cast<std::int32_t>(edges_);
    m.columns = reinterpret_cast<const Column*>(there + columnsAt());
    m.columnCount = static_cast<std::int32_t>(columns_);
  }

 private:
  static std::size_t aliveAt() { return counts; }
  static std::size_t movesAt() { return counts + 5; }
  std::size_t childrenAt() const { return movesAt() + devices_; }
  std::size_t edgesAt() const { return childrenAt() + devices_; }
  std::size_t columnsAt() const { return edgesAt() + edges_; }

  std::size_t devices_, edges_, columns_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace mass::detail::migration
