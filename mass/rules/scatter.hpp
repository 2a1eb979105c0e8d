#pragma once

#include <mass/partition/border.hpp>
#include <mass/rules/multiset.hpp>
#include <mass/rules/neighborhood.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass {

/// Which places a rule that sends codes is called for.
enum class Visits : std::uint8_t {
  occupied,  ///< those whose bag is not empty: others cost next to nothing
  all,
};

/// A code of a place's bag: a rule with such a parameter is called for each of them.
struct Element {
  std::uint32_t value = 0;
  std::uint32_t number = 0;  ///< its place among the bag's codes in ascending order, from 0
};

namespace detail {

/// The slot of the bag of P, the only attribute that is one.
template <class P>
constexpr std::size_t multisetCount() {
  std::size_t bags = 0;
  AttributeSlots<P>::forEach(
      [&](auto slot) { bags += isMultiset<typename decltype(slot)::Value> ? 1 : 0; });
  return bags;
}
template <class P>
constexpr std::size_t multisetSlot() {
  std::size_t number = 0, found = 0;
  AttributeSlots<P>::forEach([&](auto slot) {
    if (isMultiset<typename decltype(slot)::Value>) found = number;
    ++number;
  });
  return found;
}
template <class P>
using MultisetAttributeSlot = typename NthAttributeSlot<AttributeSlots<P>, multisetSlot<P>()>::type;
template <class P>
using MultisetOf = typename MultisetAttributeSlot<P>::Value;

template <class P>
MASS_FN inline std::uint32_t* wordAddress(void* const* out, int k, std::int64_t at) {
  return static_cast<std::uint32_t*>(
             out[MultisetAttributeSlot<P>::first + static_cast<std::size_t>(k)]) +
         at;
}

/// A code on its way: its bag's first word was found to be `seen`, and has taken it if that is 0.
/// Small, as every thread of a GPU keeps some.
struct PendingElement {
  std::uint32_t* first = nullptr;  ///< the first word; null for no code at all
  Index near = 0;                  ///< where the place is, if `first` lies apart from its band
  std::uint32_t seen = 0;
  std::uint16_t element = 0;
  std::int16_t beyond = -1;  ///< which row of ScatterTargets::beyond, if any
};

/// A word in the memory of a device, not of a block of a GPU: it is quicker where that is known.
MASS_FN inline std::uint32_t* assumeGlobal(std::uint32_t* word) {
#if defined(__CUDA_ARCH__)
  __builtin_assume(__isGlobal(word));
#endif
  return word;
}

/// Ends a pending for which the first word had no room, or not at once. @param out by component,
/// of the band; @param hasNear whether first words may lie apart
template <class P>
MASS_FN inline void finishInsertion(const Launch& launch, void* const* out, bool hasNear,
                                    const PendingElement& pending) {
  if (pending.seen == 0) return;
  const ScatterTargets& scatter = launch.scatter;
  if (pending.beyond >= 0) out = scatter.beyond[pending.beyond].out;
  const std::int64_t at =
      hasNear && pending.beyond < 0 ? pending.near : pending.first - wordAddress<P>(out, 0, 0);
  const auto arrival = insertElement<MultisetOf<P>>(
      [&](int k) -> std::uint32_t& {
        if (hasNear) return k == 0 ? *pending.first : *wordAddress<P>(out, k, at);
        return *assumeGlobal(k == 0 ? pending.first : wordAddress<P>(out, k, at));
      },
      pending.seen, pending.element, scatter.isShared);
  if (arrival.overflowed) (void)fetchAdd(*scatter.overflowedWords, 1U);
  if (arrival.lost) (void)fetchAdd(*scatter.lost, 1U);
}

/// What a rule that sends codes sees around its place.
template <class P>
struct ScatterContext : Neighborhood<P> {
  MASS_FN ScatterContext(const Launch& parameters, const void* const* in, void* const* outs,
                         Cursor cursor, Index here, std::int64_t row, std::int64_t line,
                         std::int64_t column, const SharedTile* held = nullptr)
      : Neighborhood<P>(parameters, in, cursor, row, line, column),
        out(outs),
        at(here),
        tile(held) {}
  using Neighborhood<P>::launch;
  using Neighborhood<P>::checkReach;

  void* const* out;        ///< by component
  Index at;                ///< where the place lies there
  const SharedTile* tile;  ///< the places whose first words are not in `out`; may be null
  Element element{};       ///< for which the rule is called, where it asks for one
  /// What was sent last, for whoever calls the rule. In a tile it has been begun, and is to be
  /// completed; elsewhere it is to be begun. Where this is null, each code is delivered at once.
  PendingElement* last = nullptr;
};

}  // namespace detail

/// By which a rule of places sends codes. `void f(const Scatter<P>&, args...) const` is called for
/// places whose bag is not empty (or, with Visits::all, for every one); `void f(const Scatter<P>&,
/// Element, args...) const` for every code, in a place that does not see its bag: threads of a GPU
/// share the codes evenly. After the call the bag of a place holds what was sent there, from itself
/// and from others, in an order that depends on nothing: codes that a rule does not send are gone.
/// Other attributes stay as they are. P has one bag and two or three dimensions.
///
/// More than fits into a bag ends the run with an OverflowError: give the bag more words.
template <class P, Visits Visited = Visits::occupied>
class Scatter {
 public:
  static_assert(P::dimensions > 1, "rules that send codes are for places in 2 or 3 dimensions");
  static_assert(detail::multisetCount<P>() == 1,
                "a place that sends codes has one attribute that is a Bag");
  static_assert(!detail::hasStreamed<P>, "a place that sends codes has nothing that is streamed");

  MASS_FN explicit Scatter(const detail::ScatterContext<P>& around) : around_(&around) {}

  /// Sends a code to the place at an offset, no component of which may exceed P::reach. Beyond a
  /// border that is not periodic it arrives at the last place before it.
  MASS_FN void send(Offset<P::dimensions> offset, std::uint32_t element) const {
    if constexpr (checked) around_->checkReach(offset);
    const detail::Launch& launch = around_->launch();
    const detail::Layout& layout = launch.layout;
    const auto here = detail::LocalPosition::of(*around_);
    const auto column = static_cast<Index>(here.column), line = static_cast<Index>(here.line);
    const Index row = static_cast<Index>(here.row) + offset[0];
    const Index across = moved(column, offset[P::dimensions - 1], P::dimensions - 1);
    const Index along = P::dimensions == 3 ? moved(line, offset[1], 1) : 0;
    const Index away = along * static_cast<Index>(layout.pitch) + across;
    const auto rows = static_cast<Index>(layout.rows), depth = static_cast<Index>(layout.depth);
    detail::PendingElement pending;
    pending.element = static_cast<std::uint16_t>(element);
    if (static_cast<Unsigned>(row) >= static_cast<Unsigned>(rows)) {
      pending.beyond = static_cast<std::int16_t>(row < 0 ? row + depth : row - rows + depth);
      const detail::RemoteRow& beyond = launch.scatter.beyond[pending.beyond];
      pending.first =
          detail::wordAddress<P>(beyond.out, 0, layout.at(row, line, column) + away + beyond.shift);
      return deliver(pending);
    }
    pending.near = around_->at + offset[0] * static_cast<Index>(layout.rowStride) + away;
    pending.first = detail::wordAddress<P>(around_->out, 0, pending.near);
    if (around_->tile != nullptr && around_->tile->holds(row, line + along)) {
      pending.first = around_->tile->at(row, line + along, column + across);
    }
    deliver(pending);
  }

 private:
  using Unsigned = std::make_unsigned_t<Index>;

  /// How far along an axis something goes that is sent `by` places.
  MASS_FN Index moved(Index from, int by, int axis) const {
    const detail::Domain& domain = around_->launch().domain;
    const std::int64_t length = domain.shape[static_cast<std::size_t>(axis)];
    if (static_cast<Unsigned>(from + by) < static_cast<Unsigned>(length)) return by;
    return static_cast<Index>(
        arrivalAt(from + by, length, domain.borders[static_cast<std::size_t>(axis)]) - from);
  }
  MASS_FN void deliver(detail::PendingElement pending) const {
    const detail::Launch& launch = around_->launch();
    const bool isInTile = around_->tile != nullptr;
    if (around_->last != nullptr && !isInTile) {
      if (around_->last->first != nullptr) deliverAtOnce(*around_->last);
      *around_->last = pending;
      return;
    }
    // Most bags are empty.
    pending.seen =
        detail::compareExchange(*pending.first, 0, pending.element, launch.scatter.isShared);
    if (around_->last == nullptr) {
      return detail::finishInsertion<P>(launch, around_->out, isInTile, pending);
    }
    detail::finishInsertion<P>(launch, around_->out, isInTile, *around_->last);
    *around_->last = pending;
  }
  MASS_FN void deliverAtOnce(detail::PendingElement pending) const {
    const detail::Launch& launch = around_->launch();
    pending.seen =
        detail::compareExchange(*pending.first, 0, pending.element, launch.scatter.isShared);
    detail::finishInsertion<P>(launch, around_->out, false, pending);
  }

  const detail::ScatterContext<P>* around_;
};

template <class P, Visits Visited = Visits::occupied>
using Outbox [[deprecated("use Scatter")]] = Scatter<P, Visited>;
using Code [[deprecated("use Element")]] = Element;

}  // namespace mass
