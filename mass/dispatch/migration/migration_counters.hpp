#pragma once

#include <mass/dispatch/migration/migration_view.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace mass::detail::migration {

/// Numbers of a device that do not depend on the number of devices or attributes.
struct MigrationTotals {
  std::uint64_t of[counts] = {};    ///< by Count
  std::uint64_t alive = 0;          ///< agents of the device after migration
  std::uint64_t localChildren = 0;  ///< children born on the device of their parent
  std::uint64_t seekers = 0;        ///< agents that seek a free place
  std::uint64_t freePlaces = 0;     ///< places with room for more agents
  std::uint64_t crowdedBins = 0;    ///< bins with more than maxCompared immigrants
};

/// Arguments and results of the migration on one device, in one array of 64-bit words that is
/// uploaded and downloaded at once: MigrationTotals, emigrants by device, emigrating children by
/// device, edges by edge bin, Columns by component.
class MigrationCounters {
 public:
  /// @param devices number of devices
  /// @param edges number of edge bins of the band
  /// @param columns number of components of an agent
  MigrationCounters(int devices, std::size_t edges, std::size_t columns)
      : childrenAt_(movesAt + static_cast<std::size_t>(devices)),
        edgesAt_(childrenAt_ + static_cast<std::size_t>(devices)),
        columnsAt_(edgesAt_ + edges),
        columns_(columns),
        words_(columnsAt_ + columns * sizeof(Column) / sizeof(std::uint64_t)) {}

  /// Returns the number of words.
  std::size_t size() const { return words_.size(); }
  /// Returns the words, to upload and download them.
  std::uint64_t* data() { return words_.data(); }

  /// Returns the numbers of the device as a whole.
  MigrationTotals& totals() { return *totalsAt(words_.data()); }
  /// Returns the number of emigrants to `device`; later the index of the next one.
  std::uint64_t& moves(int device) { return words_[movesAt + static_cast<std::size_t>(device)]; }
  /// Returns the number of children born on `device`; later the index of the next one.
  std::uint64_t& children(int device) {
    return words_[childrenAt_ + static_cast<std::size_t>(device)];
  }
  /// Returns the first agent of edge bin number `i`.
  std::int64_t edge(std::size_t i) const { return static_cast<std::int64_t>(words_[edgesAt_ + i]); }
  /// Sets the buffers of component number `i`.
  void setColumn(std::size_t i, const Column& column) {
    std::memcpy(words_.data() + columnsAt_ + i * sizeof(Column) / sizeof(std::uint64_t), &column,
                sizeof(Column));
  }

  /// Sets the pointers of `m` to the copy of the words at `onDevice`.
  void bind(std::uint64_t* onDevice, MigrationView& m) const {
    MigrationTotals* const totals = totalsAt(onDevice);
    m.counts = totals->of;
    m.alive = &totals->alive;
    m.localChildren = &totals->localChildren;
    m.seekers = &totals->seekers;
    m.freePlaces = &totals->freePlaces;
    m.crowdedBins = &totals->crowdedBins;
    m.sentMoves = onDevice + movesAt;
    m.sentChildren = onDevice + childrenAt_;
    m.edges = onDevice + edgesAt_;
    m.edgeCount = static_cast<std::int32_t>(columnsAt_ - edgesAt_);
    m.columns = reinterpret_cast<const Column*>(onDevice + columnsAt_);
    m.columnCount = static_cast<std::int32_t>(columns_);
  }

 private:
  static_assert(sizeof(MigrationTotals) % sizeof(std::uint64_t) == 0);
  static_assert(sizeof(Column) % sizeof(std::uint64_t) == 0);
  static constexpr std::size_t movesAt = sizeof(MigrationTotals) / sizeof(std::uint64_t);

  static MigrationTotals* totalsAt(std::uint64_t* words) {
    return reinterpret_cast<MigrationTotals*>(words);
  }

  std::size_t childrenAt_, edgesAt_, columnsAt_, columns_;
  std::vector<std::uint64_t> words_;
};

}  // namespace mass::detail::migration
