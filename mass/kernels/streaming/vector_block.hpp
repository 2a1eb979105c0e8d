#pragma once

// Which places of a line a rule takes together, as vectors, where what is streamed moves in place.

#include <mass/kernels/known_runs.hpp>
#include <mass/kernels/streaming/aa_addresses.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Whether the passage of a place is known, when its attributes that are mostly initial are so.
template <class P>
constexpr bool isAllKnown() {
  bool is = true;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    is = is && (!S::isConstant || S::isMostlyDefault);
  });
  return is || !definesFlowCell<P>;
}
/// Whether two places have the same in the attributes that are mostly initial.
template <class P>
inline bool areAlike(const P& a, const P& b) {
  bool are = true;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isMostlyDefault) are = are && a.*S::member == b.*S::member;
  });
  return are;
}
/// Gives a place what another one has in these: now the compiler knows that they are alike.
template <class P>
inline void makeAlike(P& place, const P& other) {
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isMostlyDefault) place.*S::member = other.*S::member;
  });
}
/// Whether what is streamed is for a place where it is for all those beside nothing blocked.
template <class P>
inline bool isRegular(const P& place) {
  const FlowCell flowCell = flowCellOf(place);
  return flowCell == FlowCell::interior || flowCell == FlowCell::nearBoundary;
}

/// Places of a line, as many as have an element in one cache line, or fewer at its end. Those go
/// together that go along and are alike: initial ones, or where there are none, the first such.
template <class P>
class Block {
 public:
  static constexpr std::int64_t size = blockOf<P>();
  enum class Grouping {
    whole,    ///< `size` initial places
    initial,  ///< some of them, or fewer
    alike,    ///< places like likeness()
    none,
  };

  Block(const void* const* in, Index at, std::int64_t x, std::int64_t last)
      : in_(in), at_(at), x_(x), count_(std::min(last - x, size)) {
    if (isWhole()) return;
    choose();
    for (std::int64_t i = 0; i < count_; ++i) {
      const P one = place(i);
      const bool goes =
          together_ != Grouping::none && isRegular(one) && areAlike(one, representative());
      goes_[static_cast<std::size_t>(i)] = goes ? 1 : 0;
      apart_ += goes ? 0 : 1;
    }
  }

  std::int64_t count() const { return count_; }
  Grouping together() const { return together_; }
  P representative() const { return place(like_); }
  /// Whether place i, 0 <= i < size, goes together with others: not 0 if so. As wide as what is
  /// streamed, so that vectors of both are equally long.
  auto goes(std::int64_t i) const { return goes_[static_cast<std::size_t>(i)]; }
  /// How many do not.
  std::int64_t apart() const { return apart_; }
  P place(std::int64_t i) const {
    return loadPlace<P, LoadScope::nonStreamed>(in_, Cursor(at_, static_cast<Index>(x_ + i)));
  }
  bool allGoAlong() const {
    for (std::int64_t i = 0; i < count_; ++i) {
      if (!isRegular(place(i))) return false;
    }
    return true;
  }

 private:
  using Mask = std::conditional_t<(size > 8), std::int32_t, std::int64_t>;

  bool isWhole() const {
    if (count_ < size) return false;
    int others = 0;
    for (std::int64_t i = 0; i < size; ++i)
      others |= isInitial<P>(in_, Cursor(at_, static_cast<Index>(x_ + i))) ? 0 : 1;
    return others == 0 && (isAllKnown<P>() ? isRegular(P{}) : allGoAlong());
  }
  void choose() {
    together_ = Grouping::none;
    for (std::int64_t i = 0; i < count_; ++i) {
      const P one = place(i);
      if (!isRegular(one)) continue;
      if (together_ == Grouping::none) like_ = i;
      together_ = Grouping::alike;
      if (!areAlike(one, P{})) continue;
      like_ = i;
      together_ = Grouping::initial;
      return;
    }
  }

  const void* const* in_;
  Index at_;
  std::int64_t x_, count_, like_ = 0, apart_ = 0;
  Grouping together_ = Grouping::whole;
  std::array<Mask, static_cast<std::size_t>(size)> goes_{};
};

}  // namespace mass::detail
