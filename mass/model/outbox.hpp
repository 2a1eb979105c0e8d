#pragma once

#include <mass/model/bag.hpp>
#include <mass/model/neighborhood.hpp>
#include <mass/partition/border.hpp>

#include <cstddef>
#include <cstdint>

namespace mass {

/// Which places a rule that sends codes is called for.
enum class Visits : std::uint8_t {
  occupied,  ///< those whose bag is not empty: others cost next to nothing
  all,
};

namespace detail {

/// The slot of the bag of P, the only attribute that is one.
template <class P>
constexpr std::size_t bagsOf() {
  std::size_t bags = 0;
  Slots<P>::forEach([&](auto slot) { bags += isBag<typename decltype(slot)::Value> ? 1 : 0; });
  return bags;
}
template <class P>
constexpr std::size_t bagNumber() {
  std::size_t number = 0, found = 0;
  Slots<P>::forEach([&](auto slot) {
    if (isBag<typename decltype(slot)::Value>) found = number;
    ++number;
  });
  return found;
}
template <class P>
using BagSlot = typename NthSlot<Slots<P>, bagNumber<P>()>::type;
template <class P>
using BagOf = typename BagSlot<P>::Value;

/// What a rule that sends codes sees around its place.
template <class P>
struct SendingAround : Neighborhood<P> {
  MASS_FN SendingAround(const Launch& launch, const void* const* in, void* const* outs,
                        Cursor cursor, Index here, std::int64_t row, std::int64_t line,
                        std::int64_t column)
      : Neighborhood<P>(launch, in, cursor, row, line, column), out(outs), at(here) {}
  MASS_FN const Launch& itsLaunch() const { return this->launch(); }
  using Neighborhood<P>::checkReach;

  void* const* out;  ///< by component
  Index at;          ///< where the place lies there
};

}  // namespace detail

/// By which a rule of places sends codes. `void f(const Outbox<P>&, args...) const` is called for
/// places whose bag is not empty (or, with Visits::all, for every one). After the call the bag of a
/// place holds what was sent there, from itself and from others, in an order that depends on
/// nothing: codes that a rule does not send are gone. Other attributes stay as they are. P has one
/// bag and two or three dimensions.
///
/// More than fits into a bag ends the run with a DeviceError: give the bag more words.
template <class P, Visits Visited = Visits::occupied>
class Outbox {
 public:
  static_assert(P::dimensions > 1, "rules that send codes are for places in 2 or 3 dimensions");
  static_assert(detail::bagsOf<P>() == 1,
                "a place that sends codes has one attribute that is a Bag");

  MASS_FN explicit Outbox(const detail::SendingAround<P>& around) : around_(&around) {}

  /// Sends a code to the place at an offset, no component of which may exceed P::reach. Beyond a
  /// border that is not periodic it arrives at the last place before it.
  MASS_FN void send(Offset<P::dimensions> offset, std::uint32_t code) const {
    if constexpr (checked) around_->checkReach(offset);
    const Launch& launch = around_->itsLaunch();
    const Layout& layout = launch.layout;
    const auto here = detail::InBand::of(*around_);
    const std::int64_t row = here.row + offset[0];
    Index away = moved(here.column, offset[P::dimensions - 1], P::dimensions - 1);
    if constexpr (P::dimensions == 3) {
      away += moved(here.line, offset[1], 1) * static_cast<Index>(layout.pitch);
    }
    if (row < 0 || row >= layout.rows) {
      const auto number = row < 0 ? row + layout.depth : row - layout.rows + layout.depth;
      const RowBeyond& beyond = launch.sending.beyond[number];
      const std::int64_t at = layout.at(row, here.line, here.column) + away + beyond.shift;
      return deliver(launch, beyond.out, at, code, launch.sending.isShared);
    }
    const bool isShared =
        launch.sending.isShared && (row < layout.depth || row >= layout.rows - layout.depth);
    away += offset[0] * static_cast<Index>(layout.rowStride);
    deliver(launch, around_->out, around_->at + away, code, isShared);
  }

 private:
  using B = detail::BagOf<P>;

  /// How far along an axis something goes that is sent `by` places.
  MASS_FN Index moved(std::int64_t from, int by, int axis) const {
    const Domain& domain = around_->itsLaunch().domain;
    const std::int64_t length = domain.shape[static_cast<std::size_t>(axis)];
    if (static_cast<std::uint64_t>(from + by) < static_cast<std::uint64_t>(length)) return by;
    return static_cast<Index>(
        arrivalAt(from + by, length, domain.borders[static_cast<std::size_t>(axis)]) - from);
  }
  template <class At>
  MASS_FN static void deliver(const Launch& launch, void* const* out, At at, std::uint32_t code,
                              bool isShared) {
    const auto arrival = detail::addToBag<B>(
        [&](int k) -> std::uint32_t& {
          return static_cast<std::uint32_t*>(
              out[detail::BagSlot<P>::first + static_cast<std::size_t>(k)])[at];
        },
        code, isShared);
    if (arrival.spilled) (void)fetchAdd(*launch.sending.spilled, 1U);
    if (arrival.lost) (void)fetchAdd(*launch.sending.lost, 1U);
  }

  const detail::SendingAround<P>* around_;
};

}  // namespace mass
