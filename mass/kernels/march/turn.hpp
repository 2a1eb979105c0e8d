#pragma once

// Rules of a march. Included where nvcc compiles a model.

#include <mass/kernels/rule_traits.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/rules/storing.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mass::detail {

/// Rule and the attributes that it writes.
template <auto Rule, class W>
struct TurnRule {
  static constexpr auto rule = Rule;
  using Written = W;
};

/// True if a rule reads nothing but its own place.
template <auto Rule>
constexpr bool isPointwise() {
  return !Traits<Rule>::readsNeighbors && !Traits<Rule>::streams &&
         !hasPopulations<typename Traits<Rule>::Arguments>;
}

/// True if a rule reads the neighbours of its place, and no agents or other places.
template <auto Rule>
constexpr bool readsPlacesOnly() {
  return Traits<Rule>::readsNeighbors && !hasPopulations<typename Traits<Rule>::Arguments>;
}

/// Rule of a march, by its tag, and the attributes that it writes.
template <class RuleTag, class W>
struct MarchRule {
  using Tag = RuleTag;
  using Written = W;
};

/// Set of attributes: those in any of the sets W.
template <class... W>
struct WrittenByAny {};
template <class S, class... W>
inline constexpr bool isWritten<S, WrittenByAny<W...>> = (isWritten<S, W> || ...);

/// Returns the stage of a rule of a turn. A rule that reads neighbours begins a stage, for these
/// must have all that the rules before have written; others follow in the stage of the rule before.
/// @param reads by rule, true if it reads neighbours
template <std::size_t rules>
constexpr int marchStageOf(std::size_t rule, const std::array<bool, rules>& reads) {
  int stage = 0;
  for (std::size_t k = 1; k <= rule; ++k) stage += reads[k] ? 1 : 0;
  return stage;
}

/// Rules that a march applies in turn. @tparam Rules MarchRule of each
template <class... Rules>
struct MarchTurn {
  using Place = typename std::tuple_element_t<0, std::tuple<Rules...>>::Tag::Place;
  using Written = WrittenByAny<typename Rules::Written...>;
  static constexpr int rules = sizeof...(Rules);
  static constexpr std::array<bool, sizeof...(Rules)> reads{
      Traits<ruleOf(typename Rules::Tag{})>::readsNeighbors...};
  static constexpr int stages = 1 + marchStageOf(rules - 1, reads);

  /// Applies the rules of a stage to a place, one after the other.
  /// @param stage 0 <= stage < stages; a constant once loops are unrolled
  /// @param arguments tuple of the arguments of each rule
  /// @param near returns the neighbourhood of rule number k, as after the stage before
  template <class Arguments, class Near>
  __device__ static void apply(int stage, Place& place, const Arguments& arguments, Near&& near) {
    applyFrom(stage, place, arguments, near, std::index_sequence_for<Rules...>());
  }

 private:
  template <class Arguments, class Near, std::size_t... K>
  __device__ static void applyFrom(int stage, Place& place, const Arguments& arguments, Near& near,
                                   std::index_sequence<K...>) {
    (applyIn<Rules, K>(stage, place, near, std::get<K>(arguments)), ...);
  }
  template <class Rule, std::size_t number, class Arguments, class Near>
  __device__ static void applyIn(int stage, Place& place, Near& near, const Arguments& arguments) {
    constexpr int own = marchStageOf(number, reads);
    if (stage != own) return;
    Place next = place;
    detail::apply<ruleOf(typename Rule::Tag{})>(next, near(static_cast<int>(number)), arguments);
    AttributeSlots<Place>::forEach([&](auto slot) {
      using S = decltype(slot);
      if constexpr (isWritten<S, typename Rule::Written>) place.*S::member = next.*S::member;
    });
  }
};

}  // namespace mass::detail
