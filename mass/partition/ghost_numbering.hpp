#pragma once

#include <mass/partition/row_partition.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mass::detail {

/// Local numbers of the places of a part of a world: the own ones from 0 on, and ghosts, which are
/// places of other parts in ascending order. Some ghosts have the numbers before 0, the others
/// those after the own places.
class GhostNumbering {
 public:
  /// Gives the numbers before 0 to the ghosts of lower global numbers.
  /// @param own global numbers of the own places
  /// @param ghosts global numbers of the places of other parts, in any order; may repeat
  GhostNumbering(RowRange own, std::vector<std::uint32_t> ghosts)
      : own_(own), ghosts_(std::move(ghosts)) {
    std::sort(ghosts_.begin(), ghosts_.end());
    ghosts_.erase(std::unique(ghosts_.begin(), ghosts_.end()), ghosts_.end());
    below_ = indexOf(own.begin);
  }

  /// Returns the global numbers of the ghosts, ascending.
  const std::vector<std::uint32_t>& ghosts() const { return ghosts_; }
  /// Returns the number of ghosts.
  std::int64_t count() const { return static_cast<std::int64_t>(ghosts_.size()); }
  /// Returns the number of ghosts before the own places.
  std::int64_t below() const { return below_; }
  /// Gives the numbers before 0 to the first half of the ghosts, so that both sides need the same
  /// memory.
  void halve() { below_ = (count() + 1) / 2; }

  /// True if a global number is that of an own place.
  bool isOwn(std::int64_t place) const { return own_.begin <= place && place < own_.end; }
  /// Returns the local number of a ghost by its index in ghosts().
  std::int64_t ofGhost(std::int64_t index) const {
    return index < below_ ? index - below_ : index - below_ + own_.size();
  }
  /// Returns the local number of a place. @pre it is an own place or a ghost
  std::int64_t of(std::int64_t place) const {
    return isOwn(place) ? place - own_.begin : ofGhost(indexOf(place));
  }

 private:
  std::int64_t indexOf(std::int64_t place) const {
    return std::lower_bound(ghosts_.begin(), ghosts_.end(), place) - ghosts_.begin();
  }

  RowRange own_;
  std::vector<std::uint32_t> ghosts_;
  std::int64_t below_ = 0;
};

}  // namespace mass::detail
