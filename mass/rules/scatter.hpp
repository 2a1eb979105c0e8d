#pragma once

#include <mass/partition/border.hpp>
#include <mass/rules/multiset.hpp>
#include <mass/rules/neighborhood.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass {

/// Places for which a scattering rule is called.
enum class Visits : std::uint8_t {
  occupied,  ///< Places whose multiset is not empty; the cost of other places is negligible.
  all,       ///< All places.
};

/// Element of the multiset of a place. A scattering rule with this parameter is called once for
/// each element of each place.
struct Element {
  std::uint32_t value = 0;   ///< The element, 1 <= value < 2^Bits.
  std::uint32_t number = 0;  ///< Index among the elements of the place in ascending order, from 0.
};

namespace detail {

/// Returns the number of attributes of P that are a Multiset.
template <class P>
constexpr std::size_t multisetCount() {
  std::size_t count = 0;
  AttributeSlots<P>::forEach(
      [&](auto slot) { count += isMultiset<typename decltype(slot)::Value> ? 1 : 0; });
  return count;
}
/// Returns the index of the attribute of P that is a Multiset. @pre there is one
template <class P>
constexpr std::size_t multisetSlot() {
  std::size_t index = 0, found = 0;
  AttributeSlots<P>::forEach([&](auto slot) {
    if (isMultiset<typename decltype(slot)::Value>) found = index;
    ++index;
  });
  return found;
}
/// AttributeSlot of the multiset of P.
template <class P>
using MultisetAttributeSlot = typename NthAttributeSlot<AttributeSlots<P>, multisetSlot<P>()>::type;
/// Type of the multiset of P.
template <class P>
using MultisetOf = typename MultisetAttributeSlot<P>::Value;

/// Returns the address of word k of the multiset with index `at`.
template <class P>
MASS_FN inline std::uint32_t* wordAddress(void* const* out, int k, std::int64_t at) {
  return static_cast<std::uint32_t*>(
             out[MultisetAttributeSlot<P>::first + static_cast<std::size_t>(k)]) +
         at;
}

/// Element whose insertion into the multiset of its target place is not complete. `seen` is the
/// value of the first word at the first atomic operation; if it was 0, the word holds the element
/// and the insertion is complete. The struct is small because each thread of a GPU keeps several.
struct PendingElement {
  std::uint32_t* first = nullptr;  ///< First word of the multiset; null if there is no element.
  Index near = 0;  ///< Index of the place in the band, if `first` may be in shared memory.
  std::uint32_t seen = 0;
  std::uint16_t element = 0;
  std::int16_t remoteRow = -1;  ///< Row of ScatterTargets::remoteRows; -1: a row of the own band.
};

/// Completes the insertion of an element. Counts overflowed first words and lost elements.
/// @param out buffers of the band, by component
/// @param hasNear true if first words may be in shared memory
template <class P>
MASS_FN inline void finishInsertion(const Launch& launch, void* const* out, bool hasNear,
                                    const PendingElement& pending) {
  if (pending.seen == 0) return;
  const ScatterTargets& scatter = launch.scatter;
  if (pending.remoteRow >= 0) out = scatter.remoteRows[pending.remoteRow].out;
  const std::int64_t at =
      hasNear && pending.remoteRow < 0 ? pending.near : pending.first - wordAddress<P>(out, 0, 0);
  const auto arrival = insertElement<MultisetOf<P>>(
      [&](int k) -> std::uint32_t& {
        if (hasNear) return k == 0 ? *pending.first : *wordAddress<P>(out, k, at);
        return *assumeGlobal(k == 0 ? pending.first : wordAddress<P>(out, k, at));
      },
      pending.seen, pending.element, scatter.isShared);
  if (arrival.overflowed) (void)fetchAdd(*scatter.overflowedWords, 1U);
  if (arrival.lost) (void)fetchAdd(*scatter.lost, 1U);
}

/// Context of a call of a scattering rule: its Neighborhood, and the destinations of elements.
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

  void* const* out;        ///< Buffers for the next state, by component.
  Index at;                ///< Index of the place in these buffers.
  const SharedTile* tile;  ///< Places whose first words are in shared memory; null: none.
  Element element{};       ///< Value of the parameter Element of the rule, if it has one.
  /// Last element that the rule sent, which the caller of the rule completes: with a tile, its
  /// first atomic operation is done; without, it is not. If null, send() completes each insertion.
  PendingElement* last = nullptr;
};

}  // namespace detail

/// Scatters elements of the multiset of a place to the multisets of places within reach. Parameter
/// of scattering rules, in two forms:
/// - `void f(const Scatter<P>&, args...) const` is called for each place with elements; with
///   `Scatter<P, Visits::all>` for each place;
/// - `void f(const Scatter<P>&, Element, args...) const` is called for each element of each place.
///   The rule sees its element, but an empty multiset. Threads of a GPU share the elements evenly.
///
/// After the call, the multiset of a place holds exactly the elements sent to it; elements that the
/// rule does not send are removed. Other attributes are unchanged. The result does not depend on
/// the order of the calls. If more elements are sent to a place than its Multiset can hold, callAll
/// throws OverflowError: the Multiset needs more words.
/// @pre P has one attribute of type Multiset, none with mass::streamed, and 2 or 3 dimensions
template <class P, Visits Visited = Visits::occupied>
class Scatter {
 public:
  static_assert(P::dimensions > 1, "Scatter needs places of 2 or 3 dimensions");
  static_assert(detail::multisetCount<P>() == 1,
                "Scatter needs places with exactly one attribute of type mass::Multiset");
  static_assert(!detail::hasStreamed<P>,
                "Scatter needs places without attributes that are mass::streamed");

  /// For kernels: scatters from the place of a context.
  MASS_FN explicit Scatter(const detail::ScatterContext<P>& around) : around_(&around) {}

  /// Sends an element to the place at an offset. Beyond a border that is not periodic, the target
  /// is the last place before the border.
  /// @param offset places along each axis, each at most P::reach in magnitude
  /// @param element 1 <= element < 2^Bits
  /// @throws UsageError in checked builds if `offset` exceeds P::reach
  MASS_FN void send(Offset<P::dimensions> offset, std::uint32_t element) const {
    if constexpr (checked) around_->checkReach(offset);
    const detail::Launch& launch = around_->launch();
    const detail::Layout& layout = launch.layout;
    const auto here = detail::LocalPosition::of(*around_);
    const auto column = static_cast<Index>(here.column), line = static_cast<Index>(here.line);
    const Index row = static_cast<Index>(here.row) + offset[0];
    const Index across = displacement(column, offset[P::dimensions - 1], P::dimensions - 1);
    const Index along = P::dimensions == 3 ? displacement(line, offset[1], 1) : 0;
    const Index away = along * static_cast<Index>(layout.pitch) + across;
    const auto rows = static_cast<Index>(layout.rows), depth = static_cast<Index>(layout.depth);
    detail::PendingElement pending;
    pending.element = static_cast<std::uint16_t>(element);
    if (static_cast<Unsigned>(row) >= static_cast<Unsigned>(rows)) {
      pending.remoteRow = static_cast<std::int16_t>(row < 0 ? row + depth : row - rows + depth);
      const detail::RemoteRow& remote = launch.scatter.remoteRows[pending.remoteRow];
      pending.first =
          detail::wordAddress<P>(remote.out, 0, layout.at(row, line, column) + away + remote.shift);
      return beginInsertion(pending);
    }
    pending.near = around_->at + offset[0] * static_cast<Index>(layout.rowStride) + away;
    pending.first = detail::wordAddress<P>(around_->out, 0, pending.near);
    if (around_->tile != nullptr && around_->tile->holds(row, line + along)) {
      pending.first = around_->tile->at(row, line + along, column + across);
    }
    beginInsertion(pending);
  }

 private:
  using Unsigned = std::make_unsigned_t<Index>;

  /// Returns the displacement along an axis of an element that is sent `by` places.
  MASS_FN Index displacement(Index from, int by, int axis) const {
    const detail::Domain& domain = around_->launch().domain;
    const std::int64_t length = domain.shape[static_cast<std::size_t>(axis)];
    if (static_cast<Unsigned>(from + by) < static_cast<Unsigned>(length)) return by;
    return static_cast<Index>(
        arrivalAt(from + by, length, domain.borders[static_cast<std::size_t>(axis)]) - from);
  }
  MASS_FN void beginInsertion(detail::PendingElement pending) const {
    const detail::Launch& launch = around_->launch();
    const bool isInTile = around_->tile != nullptr;
    if (around_->last != nullptr && !isInTile) {
      if (around_->last->first != nullptr) insert(*around_->last);
      *around_->last = pending;
      return;
    }
    // An empty multiset is the usual case.
    pending.seen =
        detail::compareExchange(*pending.first, 0, pending.element, launch.scatter.isShared);
    if (around_->last == nullptr) {
      return detail::finishInsertion<P>(launch, around_->out, isInTile, pending);
    }
    detail::finishInsertion<P>(launch, around_->out, isInTile, *around_->last);
    *around_->last = pending;
  }
  MASS_FN void insert(detail::PendingElement pending) const {
    const detail::Launch& launch = around_->launch();
    pending.seen =
        detail::compareExchange(*pending.first, 0, pending.element, launch.scatter.isShared);
    detail::finishInsertion<P>(launch, around_->out, false, pending);
  }

  const detail::ScatterContext<P>* around_;
};

/// Deprecated name of Scatter.
template <class P, Visits Visited = Visits::occupied>
using Outbox [[deprecated("use Scatter")]] = Scatter<P, Visited>;
/// Deprecated name of Element.
using Code [[deprecated("use Element")]] = Element;

}  // namespace mass
