#pragma once

// How places are put back into the buffers.

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

/// Which attributes a rule writes; given to callAll when they are not all that are not constant.
template <auto... Members>
inline constexpr detail::Writes<Members...> writes{};

namespace detail {

/// All attributes that are not constant.
struct WritesAll {};
/// All attributes, of something that comes into being.
struct AllAttributes {};

template <class S, class W>
inline constexpr bool isWritten = !S::isConstant;
template <class S>
inline constexpr bool isWritten<S, AllAttributes> = true;
template <class S, auto... Members>
inline constexpr bool isWritten<S, Writes<Members...>> =
    !S::isConstant && (sameMember<S::member, Members> || ...);

/// The numbers of the components of attributes that W writes.
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

/// Of what W writes, all that is not streamed.
template <class W>
struct NonStreamed {};
template <class S, class W>
inline constexpr bool isWritten<S, NonStreamed<W>> = isWritten<S, W> && !S::isStreamed;

/// Where a place is stored: with its device's own places, or as a ghost of another device.
enum class Copy { own, ghostBefore, ghostAfter };

/// Which of the first 64 components are read, by bits: all of them.
inline constexpr std::uint64_t allRead = ~std::uint64_t{0};

/// Whether anyone reads component k of slot S there.
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
