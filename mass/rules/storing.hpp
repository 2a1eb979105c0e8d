#pragma once

// Stores of places and agents to the buffers of their components.

#include <mass/launch/launch.hpp>
#include <mass/memory/padding.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass {

namespace detail {
template <auto... Members>
struct Writes {};
}  // namespace detail

/// Argument of callAll that names the attributes which a rule writes:
/// `places.callAll<&P::rule>(mass::writes<&P::a, &P::b>, ...)`. Without it, a rule writes all
/// attributes that are not constant. Other attributes need no second buffer and no halo exchange.
template <auto... Members>
inline constexpr detail::Writes<Members...> writes{};

namespace detail {

/// Rule that writes some attributes only.
template <auto Rule, auto... Members>
struct Writing {
  using Written = Writes<Members...>;
  static constexpr auto rule = Rule;
};
/// Rules that are applied one after the other.
template <auto... Elements>
struct InTurn {
  using IsInTurn = void;
};

}  // namespace detail

/// Rule among those of mass::inTurn that writes only the attributes named, as with mass::writes.
template <auto Rule, auto... Members>
inline constexpr detail::Writing<Rule, Members...> writing{};
/// Rules that Places::callAll applies one after the other in each turn:
/// `places.callAll<mass::inTurn<&P::move, &P::strain>>(mass::steps(turns), ...)`.
/// @tparam Rules rules, or mass::writing of rules
template <auto... Rules>
inline constexpr detail::InTurn<Rules...> inTurn{};

namespace detail {

/// Set of attributes: all that are not constant.
struct WritesAll {};
/// Set of attributes: all, for newly created agents.
struct AllAttributes {};

/// True if the set W contains the attribute of slot S.
template <class S, class W>
inline constexpr bool isWritten = !S::isConstant;
template <class S>
inline constexpr bool isWritten<S, AllAttributes> = true;
template <class S, auto... Members>
inline constexpr bool isWritten<S, Writes<Members...>> =
    !S::isConstant && (sameMember<S::member, Members> || ...);

/// Returns the indices of the components of the attributes in W, in ascending order.
template <class P, class W>
std::vector<int> componentsWritten() {
  std::vector<int> written;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (isWritten<S, W>) {
      for (std::size_t k = 0; k < S::count; ++k) written.push_back(static_cast<int>(S::first + k));
    }
  });
  return written;
}

/// Set of attributes: those in W that are not streamed.
template <class W>
struct NonStreamed {};
template <class S, class W>
inline constexpr bool isWritten<S, NonStreamed<W>> = isWritten<S, W> && !S::isStreamed;

/// Destination of a store: the band of the device itself (`own`), or the ghost rows before
/// (`ghostBefore`) or after (`ghostAfter`) the band of another device.
enum class Copy { own, ghostBefore, ghostAfter };

/// Bit mask of the components that rules read, for the first 64; others count as read.
inline constexpr std::uint64_t allRead = ~std::uint64_t{0};

/// True if rules read element k of slot S at the destination `copy`.
/// @param read bit mask of the components that rules read
template <class S>
MASS_FN constexpr bool isRead(std::size_t k, [[maybe_unused]] Copy copy,
                              std::uint64_t read = allRead) {
  if (S::first + k < 64 && (read >> (S::first + k) & 1) == 0) return false;
  if constexpr (S::isStreamed) {
    if (copy == Copy::ghostBefore) return S::haloDepthBelow(k) != 0;
    if (copy == Copy::ghostAfter) return S::haloDepthAbove(k) != 0;
  }
  return true;
}

/// Stores the attributes in W of a place or agent, except components that rules do not read there.
template <class P, class W>
MASS_FN inline void storePlace(void* const* components, Cursor at, const P& place,
                               Copy copy = Copy::own, std::uint64_t read = allRead) {
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (isWritten<S, W>) {
      if constexpr (S::isArray) {
        for (std::size_t k = 0; k < S::count; ++k) {
          if (!isRead<S>(k, copy, read)) continue;
          storeElement<S>(components[S::first + k], at, (place.*S::member)[k]);
        }
      } else if (isRead<S>(0, copy, read)) {
        storeElement<S>(components[S::first], at, place.*S::member);
      }
    }
  });
}

/// Fills the padding of a line for all attributes in W.
template <class P, class W>
MASS_FN inline void fillWrittenPadding(void* const* components, const Launch& launch,
                                       std::int64_t row, std::int64_t line) {
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (isWritten<S, W>) {
      const Layout layout = launch.layout.interleaved(S::interleave);
      for (std::size_t k = 0; k < S::count; ++k) {
        fillPadding(static_cast<typename S::Stored*>(components[S::first + k]), layout,
                    launch.domain, row, line);
      }
    }
  });
}

}  // namespace detail
}  // namespace mass
