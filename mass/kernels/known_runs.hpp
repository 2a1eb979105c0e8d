#pragma once

// Runs of consecutive places of a line with a common property, for which loops are specialised.

#include <mass/kernels/rule_traits.hpp>
#include <mass/launch/launch.hpp>
#include <mass/rules/streaming.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace mass::detail {

/// True if the place at `at` has the initial value in each mostlyDefault attribute.
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
/// Returns the first of the columns [begin, last) of a line where isInitial differs from `is`;
/// `last` if there is none.
template <class P>
inline std::int64_t endOfRun(const void* const* in, Index at, std::int64_t begin, std::int64_t last,
                             bool is) {
  constexpr std::int64_t block = 64;  // a fixed trip count, so that compilers vectorise
  for (; begin + block <= last; begin += block) {
    int others = 0;
    for (std::int64_t i = 0; i < block; ++i)
      others |= isInitial<P>(in, {at, static_cast<Index>(begin + i)}) != is ? 1 : 0;
    if (others != 0) break;
  }
  while (begin < last && isInitial<P>(in, {at, static_cast<Index>(begin)}) == is) ++begin;
  return begin;
}
/// Sets the mostlyDefault attributes of a place to their initial values. They have them already:
/// now the compiler can use it.
template <class P>
MASS_FN inline void setInitial(P& place) {
  constexpr P initial{};
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isMostlyDefault) place.*S::member = initial.*S::member;
  });
}

/// Common property of the places of a run.
enum class RunKind {
  nothing,
  initial,   ///< isInitial is true
  interior,  ///< no place lies at a fixed border, so there is no bounce-back
};
template <RunKind known>
using RunConstant = std::integral_constant<RunKind, known>;

/// Returns the range of columns of a line that lie at no fixed border; an empty range if the line
/// lies at one.
template <class P>
inline std::pair<std::int64_t, std::int64_t> interiorColumns(const Launch& launch, std::int64_t row,
                                                             std::int64_t line, std::int64_t first,
                                                             std::int64_t last) {
  if constexpr (P::dimensions == 1) return {last, last};
  const Here<P::dimensions> here(launch, row, line, 1);
  const unsigned ends = fixedEndsAt(here);
  constexpr unsigned ofColumns = 3U << (2 * (P::dimensions - 1));
  if ((ends & ~ofColumns) != 0) return {last, last};
  const bool isFixed = launch.domain.borders[P::dimensions - 1] == Border::fixed;
  const std::int64_t margin = isFixed ? 1 : 0;
  const std::int64_t begin = std::min(first + margin, last);
  return {begin, std::max(last - margin, begin)};
}

/// Calls body(begin, end, kind) for the maximal runs of the columns [first, last) of a line; `kind`
/// is a RunConstant.
template <class P, auto Rule, class Body>
inline void forEachRun([[maybe_unused]] const Launch& launch,
                       [[maybe_unused]] const void* const* in, [[maybe_unused]] Index at,
                       [[maybe_unused]] std::int64_t row, [[maybe_unused]] std::int64_t line,
                       std::int64_t first, std::int64_t last, Body&& body) {
  if constexpr (hasMostlyDefault<P>) {
    for (std::int64_t begin = first; begin < last;) {
      const bool initial = isInitial<P>(in, {at, static_cast<Index>(begin)});
      const std::int64_t end = endOfRun<P>(in, at, begin, last, initial);
      if (initial) {
        body(begin, end, RunConstant<RunKind::initial>{});
      } else {
        body(begin, end, RunConstant<RunKind::nothing>{});
      }
      begin = end;
    }
  } else if constexpr (Traits<Rule>::streams && !definesFlowCell<P>) {
    const auto [begin, end] = interiorColumns<P>(launch, row, line, first, last);
    body(first, begin, RunConstant<RunKind::nothing>{});
    body(begin, end, RunConstant<RunKind::interior>{});
    body(end, last, RunConstant<RunKind::nothing>{});
  } else {
    body(first, last, RunConstant<RunKind::nothing>{});
  }
}

}  // namespace mass::detail
