#pragma once

// What is known of many places of a line at once.

#include <mass/kernels/rule_traits.hpp>
#include <mass/launch/launch.hpp>
#include <mass/rules/streaming.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace mass::detail {

/// Whether the attributes of P that mostly have their initial value have it at `at`.
template <class P>
MASS_FN inline bool isInitial(const void* const* in, Cursor at) {
  constexpr P initial{};
  bool is = true;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isMostlyDefault) is &= loadElement<S>(in[S::first], at) == initial.*S::member;
  });
  return is;
}
/// The first of columns [begin, last) of a line where isInitial is not `is`; `last` if there is
/// none.
template <class P>
inline std::int64_t endOfRun(const void* const* in, Index at, std::int64_t begin, std::int64_t last,
                             bool is) {
  constexpr std::int64_t block = 64;  // which compilers make vectors of
  for (; begin + block <= last; begin += block) {
    int others = 0;
    for (std::int64_t i = 0; i < block; ++i)
      others |= isInitial<P>(in, {at, static_cast<Index>(begin + i)}) != is ? 1 : 0;
    if (others != 0) break;
  }
  while (begin < last && isInitial<P>(in, {at, static_cast<Index>(begin)}) == is) ++begin;
  return begin;
}
/// Gives a place what all places have for which that is so: now the compiler knows it.
template <class P>
MASS_FN inline void setInitial(P& place) {
  constexpr P initial{};
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isMostlyDefault) place.*S::member = initial.*S::member;
  });
}

/// What is known of all places of a stretch.
enum class RunKind {
  nothing,
  initial,   ///< isInitial is true for them
  interior,  ///< what is streamed passes them, as they lie at no fixed border
};
template <RunKind known>
using KnownAs = std::integral_constant<RunKind, known>;

/// Columns of a line that lie at none of the world's fixed borders; as many as there are, where the
/// line itself lies at none.
template <class P>
inline std::pair<std::int64_t, std::int64_t> openColumns(const Launch& launch, std::int64_t row,
                                                         std::int64_t line, std::int64_t first,
                                                         std::int64_t last) {
  if constexpr (P::dimensions == 1) return {last, last};
  const Here<P::dimensions> here(launch, row, line, 1);
  const unsigned ends = fixedEndsAt(here);
  constexpr unsigned ofColumns = 3U << (2 * (P::dimensions - 1));
  if ((ends & ~ofColumns) != 0) return {last, last};
  const bool isFixed = launch.domain.borders[P::dimensions - 1] == Border::fixed;
  const std::int64_t margin = isFixed ? 1 : 0;
  const std::int64_t begin = std::clamp(margin, first, last);
  return {begin, std::clamp(launch.layout.columns - margin, begin, last)};
}

/// Calls body(begin, end, known) for stretches of columns [first, last) of a line, `known` being a
/// KnownAs. Stretches are as long as can be.
template <class P, auto Rule, class Body>
inline void forEachStretch([[maybe_unused]] const Launch& launch,
                           [[maybe_unused]] const void* const* in, [[maybe_unused]] Index at,
                           [[maybe_unused]] std::int64_t row, [[maybe_unused]] std::int64_t line,
                           std::int64_t first, std::int64_t last, Body&& body) {
  if constexpr (hasMostlyDefault<P>) {
    for (std::int64_t begin = first; begin < last;) {
      const bool initial = isInitial<P>(in, {at, static_cast<Index>(begin)});
      const std::int64_t end = endOfRun<P>(in, at, begin, last, initial);
      if (initial) {
        body(begin, end, KnownAs<RunKind::initial>{});
      } else {
        body(begin, end, KnownAs<RunKind::nothing>{});
      }
      begin = end;
    }
  } else if constexpr (Traits<Rule>::streams && !definesFlowCell<P>) {
    const auto [begin, end] = openColumns<P>(launch, row, line, first, last);
    body(first, begin, KnownAs<RunKind::nothing>{});
    body(begin, end, KnownAs<RunKind::interior>{});
    body(end, last, KnownAs<RunKind::nothing>{});
  } else {
    body(first, last, KnownAs<RunKind::nothing>{});
  }
}

}  // namespace mass::detail
