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
inline constexpr bool isScatter = false;
template <class P, Visits V>
inline constexpr bool isScatter<Scatter<P, V>> = true;
template <class T>
inline constexpr bool isScatterOfAll = false;
template <class P>
inline constexpr bool isScatterOfAll<Scatter<P, Visits::all>> = true;

template <class Parameters>
inline constexpr bool hasScatter = false;
template <class... T>
inline constexpr bool hasScatter<std::tuple<T...>> = (false || ... || isScatter<T>);
template <class Parameters>
inline constexpr bool hasElement = false;
template <class... T>
inline constexpr bool hasElement<std::tuple<T...>> = (false || ... || std::is_same_v<T, Element>);
template <class Parameters>
inline constexpr bool hasScatterOfAll = false;
template <class... T>
inline constexpr bool hasScatterOfAll<std::tuple<T...>> = (false || ... || isScatterOfAll<T>);

/// Rule that sends elements of its place's multiset.
template <auto Rule>
concept ScatterRule = Traits<Rule>::isConst && std::is_void_v<typename Traits<Rule>::Result> &&
    hasScatter<typename Traits<Rule>::Parameters>;
template <auto Rule>
inline constexpr bool visitsAll = hasScatterOfAll<typename Traits<Rule>::Parameters>;
/// True if the rule is called for each element rather than for each place.
template <auto Rule>
inline constexpr bool takesElement = hasElement<typename Traits<Rule>::Parameters>;

/// Stands for the absence of a rule before a scatter rule in the same step.
struct NoRule {
  friend constexpr NoRule ruleOf(NoRule none) { return none; }
};
template <auto Before>
inline constexpr bool isRule = !std::is_same_v<std::remove_cvref_t<decltype(Before)>, NoRule>;
template <auto A, auto B>
inline constexpr bool haveSameArguments =
    std::is_same_v<typename Traits<A>::Arguments, typename Traits<B>::Arguments>;
/// True if `Before` can prepare the multiset of a place for `Rule`: it returns it and takes the
/// same arguments. It may be called several times for a place, so it sends nothing itself.
template <auto Before, auto Rule>
inline constexpr bool isPreparing =
    Traits<Before>::isConst&& isMultiset<typename Traits<Before>::Result> &&
    !hasScatter<typename Traits<Before>::Parameters> && !takesElement<Before> &&
    takesElement<Rule> && haveSameArguments<Before, Rule>;

/// Takes the elements out of a multiset with first word `first`. @pre no other thread reads or
/// writes it
template <class P>
inline MultisetOf<P> takeMultiset(const void* const* components, Index at, std::uint32_t first) {
  using B = MultisetOf<P>;
  B multiset;
  bool more = first != 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(B::words) && more; ++k) {
    // The rule may clear its input: no place reads the multiset of another one.
    auto* const words = static_cast<std::uint32_t*>(
        const_cast<void*>(components[MultisetAttributeSlot<P>::first + k]));
    multiset[k] = k == 0 ? first : words[at];
    if (multiset[k] != 0) words[at] = 0;
    more = B::Word::isFull(multiset[k]);
  }
  return multiset;
}

/// Returns the place at `around` with the multiset that the rule `Before` makes of `multiset`.
template <class P, auto Before>
MASS_FN inline P prepared(const P& withoutMultiset, const MultisetOf<P>& multiset,
                          const ScatterContext<P>& around, const auto& arguments) {
  P place = withoutMultiset;
  place.*MultisetAttributeSlot<P>::member = multiset;
  if constexpr (isRule<Before>) {
    place.*MultisetAttributeSlot<P>::member =
        apply<Before>(std::as_const(place), around, arguments);
  }
  return place;
}

/// Calls a rule for a place and clears its multiset.
template <class P, auto Before, auto Rule>
inline void scatterFrom(ScatterContext<P>& around, const void* const* in, std::uint32_t first,
                        const typename Traits<Rule>::DeviceArguments& arguments) {
  const P withoutMultiset = loadPlace<P, LoadScope::neighbor>(in, around.at);
  const P place = prepared<P, Before>(withoutMultiset, takeMultiset<P>(in, around.at, first),
                                      around, arguments);
  if constexpr (takesElement<Rule>) {
    const MultisetOf<P>& multiset = place.*MultisetAttributeSlot<P>::member;
    const auto size = static_cast<std::uint32_t>(multiset.size());
    for (std::uint32_t i = 0; i < size; ++i) {
      around.element = {multiset.element(static_cast<int>(i)), i};
      apply<Rule>(withoutMultiset, around, arguments);
    }
  } else {
    apply<Rule>(place, around, arguments);
  }
}

/// Calls f(x) for the columns of [begin, end) whose word is not 0; for all columns if `All`.
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

/// Runs a scatter rule on the work units [begin, end) of a band.
template <class P, auto Before, auto Rule>
void scatterKernel(const Launch& launch, std::int64_t begin, std::int64_t end) {
  const auto arguments = argumentsOf<Rule>(launch);
  const auto* const words =
      static_cast<const std::uint32_t*>(launch.in[MultisetAttributeSlot<P>::first]);
  forEachLine<P::dimensions>(
      launch.layout, begin, end, [&](auto row, auto line, auto first, auto last, auto at) {
        forEachOccupied<visitsAll<Rule>>(words + at, first, last, [&](std::int64_t x) {
          const Index here = at + static_cast<Index>(x);
          ScatterContext<P> around(launch, launch.in, launch.out, here, here, row, line, x);
          scatterFrom<P, Before, Rule>(around, launch.in, words[here], arguments);
        });
      });
}

/// Inserts the elements of a multiset into that of a place; see MergeFunction. The sender has
/// counted elements that did not fit into the first word, which the merge counts again: it
/// subtracts them.
template <class P>
void mergeKernel(const Launch& launch, std::int64_t row, std::int64_t place,
                 const std::uint32_t* words) {
  using B = MultisetOf<P>;
  const Layout& layout = launch.layout;
  B multiset;
  for (std::size_t k = 0; k < static_cast<std::size_t>(B::words); ++k) multiset[k] = words[k];
  const std::int64_t at = layout.at(row, place / layout.columns, place % layout.columns);
  const auto word = [&](int k) -> std::uint32_t& { return *wordAddress<P>(launch.out, k, at); };
  const int size = multiset.size();
  for (int i = 0; i < size; ++i) {
    const Insertion arrival =
        insertElement<B>(word, word(0), multiset.element(i), launch.scatter.isShared);
    if (arrival.overflowed) ++*launch.scatter.overflowedWords;
    if (arrival.lost) ++*launch.scatter.lost;
  }
  *launch.scatter.overflowedWords -= static_cast<std::uint64_t>(std::max(0, size - B::Word::most));
}

}  // namespace mass::detail
