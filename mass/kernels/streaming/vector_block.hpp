#pragma once

// Blocks of places that the AA pattern on CPUs updates together, as vectors.

#include <mass/kernels/known_runs.hpp>
#include <mass/kernels/streaming/aa_addresses.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// True if the mostlyDefault attributes of a place determine its flow cell.
template <class P>
constexpr bool isFlowCellKnown() {
  bool is = true;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    is = is && (!S::isConstant || S::isMostlyDefault);
  });
  return is || !definesFlowCell<P>;
}
/// True if two places have equal mostlyDefault attributes.
template <class P>
inline bool haveEqualDefaults(const P& a, const P& b) {
  bool are = true;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isMostlyDefault) are = are && a.*S::member == b.*S::member;
  });
  return are;
}
/// Sets the mostlyDefault attributes of a place to those of another one. They are equal already:
/// now the compiler can use it.
template <class P>
inline void copyDefaults(P& place, const P& other) {
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isMostlyDefault) place.*S::member = other.*S::member;
  });
}
/// True if no solid place is adjacent and the place itself is not solid, so that its addresses
/// follow from those of the line.
template <class P>
inline bool isRegular(const P& place) {
  const FlowCell flowCell = flowCellOf(place);
  return flowCell == FlowCell::interior || flowCell == FlowCell::nearBoundary;
}

/// Block of consecutive places of a line: as many as placesPerBlock, or fewer at its end. Its
/// members are the regular places with equal mostlyDefault attributes: those with the initial
/// values or, if there are none, those like the first regular place.
template <class P>
class Block {
 public:
  static constexpr std::int64_t size = placesPerBlock<P>();
  enum class Grouping {
    whole,    ///< `size` places with the initial values
    initial,  ///< members have the initial values
    alike,    ///< members are like representative()
    none,
  };

  Block(const void* const* in, Index at, std::int64_t x, std::int64_t last)
      : in_(in), at_(at), x_(x), count_(std::min(last - x, size)) {
    if (isWhole()) return;
    choose();
    for (std::int64_t i = 0; i < count_; ++i) {
      const P one = place(i);
      const bool isMember =
          grouping_ != Grouping::none && isRegular(one) && haveEqualDefaults(one, representative());
      isMember_[static_cast<std::size_t>(i)] = isMember ? 1 : 0;
      singles_ += isMember ? 0 : 1;
    }
  }

  std::int64_t count() const { return count_; }
  Grouping grouping() const { return grouping_; }
  P representative() const { return place(representative_); }
  /// Not 0 if place i, 0 <= i < size, is a member. As wide as the streamed elements, so that
  /// vectors of both have equally many lanes.
  auto isMember(std::int64_t i) const { return isMember_[static_cast<std::size_t>(i)]; }
  /// Returns the number of places that are no members.
  std::int64_t singles() const { return singles_; }
  P place(std::int64_t i) const {
    return loadPlace<P, LoadScope::nonStreamed>(in_, Cursor(at_, static_cast<Index>(x_ + i)));
  }
  bool allRegular() const {
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
    return others == 0 && (isFlowCellKnown<P>() ? isRegular(P{}) : allRegular());
  }
  void choose() {
    grouping_ = Grouping::none;
    for (std::int64_t i = 0; i < count_; ++i) {
      const P one = place(i);
      if (!isRegular(one)) continue;
      if (grouping_ == Grouping::none) representative_ = i;
      grouping_ = Grouping::alike;
      if (!haveEqualDefaults(one, P{})) continue;
      representative_ = i;
      grouping_ = Grouping::initial;
      return;
    }
  }

  const void* const* in_;
  Index at_;
  std::int64_t x_, count_, representative_ = 0, singles_ = 0;
  Grouping grouping_ = Grouping::whole;
  std::array<Mask, static_cast<std::size_t>(size)> isMember_{};
};

}  // namespace mass::detail
