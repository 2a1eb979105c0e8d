#pragma once

#include <mass/memory/agent_launch.hpp>
#include <mass/support/bits.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Some agents beside each other that were found near enough: agent `last` - i for every bit i.
struct NearAgents {
  std::int32_t last;
  std::uint32_t mask;
};

/// How a thread of a GPU finds the agents that are near enough, to visit them together. The threads
/// that go side by side then look at all candidates first and visit later: one that has found some
/// does not keep those waiting that have not, and all have about as many to visit.
class NearList {
 public:
  /// `room` is for `most` elements. (Beside them, counts would not be kept in registers.)
  MASS_FN explicit NearList(NearAgents* room) : found_(room) {}

  static constexpr int most = 16;
  MASS_FN bool isFull() const { return size_ == most; }

  /// Looks at the agents [begin, end), at most 32, but for `self`: adds those for which
  /// excess(load(agent)) < 0.
  template <class Load, class Excess>
  MASS_FN void lookAt(std::int32_t begin, std::int32_t end, std::int32_t self, const Load& load,
                      const Excess& excess) {
    std::uint32_t mask = 0;
    std::int32_t agent = begin;
    for (; agent < end; agent += lookedAtTogether) {
      decltype(load(0)) others[lookedAtTogether];
#pragma unroll
      for (int k = 0; k < lookedAtTogether; ++k) others[k] = load(agent + k);
#pragma unroll
      for (int k = 0; k < lookedAtTogether; ++k) mask = withSign(mask, excess(others[k]));
    }
    mask >>= agent - end;  // those beyond the end
    if (begin <= self && self < end) mask &= ~(1U << (end - 1 - self));
    if (mask == 0) return;
    found_[size_++] = {end - 1, mask};
    agents_ += countOnes(mask);
  }
  /// Calls visit(load(agent)) for all that were added, in their order, and forgets them.
  template <class Load, class Visitor>
  MASS_FN void visitAll(const Load& load, const Visitor& visit) {
    NearAgents rest{0, 0};
    int next = 0;
#pragma unroll 4
    for (int i = 0; i < agents_; ++i) {
      if (rest.mask == 0) rest = found_[next++];
      const int bit = bitWidth(rest.mask) - 1;
      rest.mask ^= 1U << bit;
      visit(load(rest.last - bit));
    }
    size_ = agents_ = 0;
  }

 private:
  NearAgents* found_;
  int size_ = 0;
  int agents_ = 0;
};

}  // namespace mass::detail
