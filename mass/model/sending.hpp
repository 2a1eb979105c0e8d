#pragma once

#include <mass/memory/launch.hpp>
#include <mass/model/kernels.hpp>
#include <mass/model/outbox.hpp>
#include <mass/model/rule_traits.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace mass::detail {

template <class T>
inline constexpr bool isOutbox = false;
template <class P, Visits V>
inline constexpr bool isOutbox<Outbox<P, V>> = true;
template <class T>
inline constexpr bool isOutboxOfAll = false;
template <class P>
inline constexpr bool isOutboxOfAll<Outbox<P, Visits::all>> = true;

template <class Parameters>
inline constexpr bool hasOutbox = false;
template <class... T>
inline constexpr bool hasOutbox<std::tuple<T...>> = (false || ... || isOutbox<T>);
template <class Parameters>
inline constexpr bool hasOutboxOfAll = false;
template <class... T>
inline constexpr bool hasOutboxOfAll<std::tuple<T...>> = (false || ... || isOutboxOfAll<T>);

/// A rule that sends codes.
template <auto Rule>
concept SendingRule = Traits<Rule>::isConst && std::is_void_v<typename Traits<Rule>::Result> &&
    hasOutbox<typename Traits<Rule>::Parameters>;
template <auto Rule>
inline constexpr bool visitsAll = hasOutboxOfAll<typename Traits<Rule>::Parameters>;

/// Takes the codes out of a bag whose first word is `first`; no other thread reads or writes it.
template <class P>
MASS_FN inline BagOf<P> takeBag(const void* const* components, Index at, std::uint32_t first) {
  using B = BagOf<P>;
  B bag;
  bool more = first != 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(B::words) && more; ++k) {
    // What is read is this rule's own to empty, as no place sees another one's bag.
    auto* const words =
        static_cast<std::uint32_t*>(const_cast<void*>(components[BagSlot<P>::first + k]));
    bag[k] = k == 0 ? first : words[at];
    if (bag[k] != 0) words[at] = 0;
    more = B::Word::isFull(bag[k]);
  }
  return bag;
}

/// Calls a rule for a place, which the rule empties; where it lies in `out` is `at`.
template <class P, auto Rule>
MASS_FN inline void sendFrom(const SendingAround<P>& around, const void* const* in, Cursor at,
                             std::uint32_t first,
                             const typename Traits<Rule>::DeviceArguments& arguments) {
  P place = loadBesidesBags<P>(in, at);
  place.*BagSlot<P>::member = takeBag<P>(in, around.at, first);
  apply<Rule>(std::as_const(place), around, arguments);
}

/// Calls f(x) for the columns of [begin, end) whose word is not 0, or for all.
template <bool All, class F>
inline void forEachOccupied(const std::uint32_t* words, std::int64_t begin, std::int64_t end,
                            F&& f) {
  constexpr std::int64_t together = 16;
  std::int64_t x = begin;
  for (; !All && x + together <= end; x += together) {
    std::uint32_t any = 0;
    for (std::int64_t k = 0; k < together; ++k) any |= words[x + k];
    for (std::int64_t k = 0; any != 0 && k < together; ++k) {
      if (words[x + k] != 0) f(x + k);
    }
  }
  for (; x < end; ++x) {
    if (All || words[x] != 0) f(x);
  }
}

/// Runs a rule that sends codes on work units [begin, end) of a band.
template <class P, auto Rule>
void sendKernel(const Launch& launch, std::int64_t begin, std::int64_t end) {
  const auto arguments = argumentsOf<Rule>(launch);
  const auto* const words = static_cast<const std::uint32_t*>(launch.in[BagSlot<P>::first]);
  forEachLine<P::dimensions>(
      launch.layout, begin, end, [&](auto row, auto line, auto first, auto last, auto at) {
        forEachOccupied<visitsAll<Rule>>(words + at, first, last, [&](std::int64_t x) {
          const Index here = at + static_cast<Index>(x);
          const SendingAround<P> around(launch, launch.in, launch.out, here, here, row, line, x);
          sendFrom<P, Rule>(around, launch.in, here, words[here], arguments);
        });
      });
}

}  // namespace mass::detail
