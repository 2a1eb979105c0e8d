#pragma once

// Rules of a march. Included where nvcc compiles a model.

#include <mass/kernels/rule_traits.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/rules/storing.hpp>

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

/// Rules that a step of a march applies to a place, one after the other; only the first reads
/// neighbours. @tparam Rules MarchRule of each
template <class... Rules>
struct MarchTurn {
  using Place = typename std::tuple_element_t<0, std::tuple<Rules...>>::Tag::Place;
  using Written = WrittenByAny<typename Rules::Written...>;
  static constexpr int rules = sizeof...(Rules);

  /// Applies the rules. @param arguments tuple of the arguments of each rule
  /// @param near returns the neighbourhood of rule number k
  template <class Arguments, class Near>
  __device__ static void apply(Place& place, const Arguments& arguments, Near&& near) {
    applyFrom(place, arguments, near, std::index_sequence_for<Rules...>());
  }

 private:
  template <class Arguments, class Near, std::size_t... K>
  __device__ static void applyFrom(Place& place, const Arguments& arguments, Near& near,
                                   std::index_sequence<K...>) {
    (applyOne<Rules>(place, near(static_cast<int>(K)), std::get<K>(arguments)), ...);
  }
  template <class Rule, class Arguments>
  __device__ static void applyOne(Place& place, const Neighborhood<Place>& near,
                                  const Arguments& arguments) {
    Place next = place;
    detail::apply<ruleOf(typename Rule::Tag{})>(next, near, arguments);
    AttributeSlots<Place>::forEach([&](auto slot) {
      using S = decltype(slot);
      if constexpr (isWritten<S, typename Rule::Written>) place.*S::member = next.*S::member;
    });
  }
};

}  // namespace mass::detail
