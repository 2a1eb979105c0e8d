#pragma once

#include <mass/support/bits.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Agents that were found near enough, by number, to be visited together. The threads of a GPU that
/// go side by side then look at all candidates first and visit later: one that has found some does
/// not keep those waiting that have not, and all have about as many to visit.
class NearAgents {
 public:
  /// Agents that can be added at once.
  static constexpr std::int32_t most = 32;

  MASS_FN bool isFull() const { return entries_ == room; }
  /// Adds begin + i for every bit i of `mask`.
  MASS_FN void add(std::int32_t begin, std::uint32_t mask) {
    begins_[entries_] = begin;
    masks_[entries_++] = mask;
  }
  /// Calls visit(number) for each, in the order in which they were added, and forgets them.
  template <class Visitor>
  MASS_FN void visitAll(Visitor&& visit) {
    std::int32_t begin = 0;
    std::uint32_t mask = 0;
    for (int entry = 0;;) {
      while (mask == 0 && entry < entries_) {
        begin = begins_[entry];
        mask = masks_[entry++];
      }
      if (mask == 0) break;
      visit(begin + countTrailingZeros(mask));
      mask &= mask - 1;
    }
    entries_ = 0;
  }

 private:
  static constexpr int room = 16;

  std::int32_t begins_[room];
  std::uint32_t masks_[room];
  int entries_ = 0;
};

}  // namespace mass::detail
