#pragma once

#include <mass/kernels/rule_traits.hpp>
#include <mass/kernels/stencil_kernels.hpp>
#include <mass/launch/launch.hpp>
#include <mass/rules/scatter.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace mass::detail {

template <class T>
inline constexpr bool isOutbox = false;
template <class P, Visits V>
inline constexpr bool isOutbox<Scatter<P, V>> = true;
template <class T>
inline constexpr bool isOutboxOfAll = false;
template <class P>
inline constexpr bool isOutboxOfAll<Scatter<P, Visits::all>> = true;

template <class Parameters>
inline constexpr bool hasOutbox = false;
template <class... T>
inline constexpr bool hasOutbox<std::tuple<T...>> = (false || ... || isOutbox<T>);
template <class Parameters>
inline constexpr bool hasElement = false;
template <class... T>
inline constexpr bool hasElement<std::tuple<T...>> = (false || ... || std::is_same_v<T, Element>);
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
/// Whether it is called for every code rather than for every place.
template <auto Rule>
inline constexpr bool takesCode = hasElement<typename Traits<Rule>::Parameters>;

/// What comes before a rule that sends codes, in the same step: nothing.
struct NoRule {
  friend constexpr NoRule ruleOf(NoRule none) { return none; }
};
template <auto Before>
inline constexpr bool isRule = !std::is_same_v<std::remove_cvref_t<decltype(Before)>, NoRule>;
template <auto A, auto B>
inline constexpr bool haveSameArguments =
    std::is_same_v<typename Traits<A>::Arguments, typename Traits<B>::Arguments>;
/// Or a rule that returns the bag of its place, with the arguments of the one that sends. It may be
/// called several times for a place, so it sends nothing itself.
template <auto Before, auto Rule>
inline constexpr bool isPreparing =
    Traits<Before>::isConst&& isMultiset<typename Traits<Before>::Result> &&
    !hasOutbox<typename Traits<Before>::Parameters> && !takesCode<Before> && takesCode<Rule> &&
    haveSameArguments<Before, Rule>;

/// Takes the codes out of a bag whose first word is `first`; no other thread reads or writes it.
template <class P>
inline MultisetOf<P> takeBag(const void* const* components, Index at, std::uint32_t first) {
  using B = MultisetOf<P>;
  B bag;
  bool more = first != 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(B::words) && more; ++k) {
    // What is read is this rule's own to empty, as no place sees another one's bag.
    auto* const words = static_cast<std::uint32_t*>(
        const_cast<void*>(components[MultisetAttributeSlot<P>::first + k]));
    bag[k] = k == 0 ? first : words[at];
    if (bag[k] != 0) words[at] = 0;
    more = B::Word::isFull(bag[k]);
  }
  return bag;
}

/// The place at `around`, with `bag` as what the rule before leaves of it.
template <class P, auto Before>
MASS_FN inline P prepared(const P& bare, const MultisetOf<P>& bag, const ScatterContext<P>& around,
                          const auto& arguments) {
  P place = bare;
  place.*MultisetAttributeSlot<P>::member = bag;
  if constexpr (isRule<Before>) {
    place.*MultisetAttributeSlot<P>::member =
        apply<Before>(std::as_const(place), around, arguments);
  }
  return place;
}

/// Calls a rule for a place, which the rule empties.
template <class P, auto Before, auto Rule>
inline void sendFrom(ScatterContext<P>& around, const void* const* in, std::uint32_t first,
                     const typename Traits<Rule>::DeviceArguments& arguments) {
  const P bare = loadPlace<P, LoadScope::neighbor>(in, around.at);
  const P place = prepared<P, Before>(bare, takeBag<P>(in, around.at, first), around, arguments);
  if constexpr (takesCode<Rule>) {
    const MultisetOf<P>& bag = place.*MultisetAttributeSlot<P>::member;
    const auto size = static_cast<std::uint32_t>(bag.size());
    for (std::uint32_t i = 0; i < size; ++i) {
      around.element = {bag.element(static_cast<int>(i)), i};
      apply<Rule>(bare, around, arguments);
    }
  } else {
    apply<Rule>(place, around, arguments);
  }
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
template <class P, auto Before, auto Rule>
void sendKernel(const Launch& launch, std::int64_t begin, std::int64_t end) {
  const auto arguments = argumentsOf<Rule>(launch);
  const auto* const words =
      static_cast<const std::uint32_t*>(launch.in[MultisetAttributeSlot<P>::first]);
  forEachLine<P::dimensions>(
      launch.layout, begin, end, [&](auto row, auto line, auto first, auto last, auto at) {
        forEachOccupied<visitsAll<Rule>>(words + at, first, last, [&](std::int64_t x) {
          const Index here = at + static_cast<Index>(x);
          ScatterContext<P> around(launch, launch.in, launch.out, here, here, row, line, x);
          sendFrom<P, Before, Rule>(around, launch.in, words[here], arguments);
        });
      });
}

}  // namespace mass::detail
