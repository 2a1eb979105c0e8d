#pragma once

#include <mass/model/here.hpp>
#include <mass/model/neighborhood.hpp>

#include <tuple>
#include <type_traits>

namespace mass::detail {

/// What a rule asks for besides its arguments, from the type of its first parameter.
enum class Context { none, here, neighborhood };

template <class T>
inline constexpr Context contextOf = Context::none;
template <int D>
inline constexpr Context contextOf<Here<D>> = Context::here;
template <class P>
inline constexpr Context contextOf<Neighborhood<P>> = Context::neighborhood;

template <class... Parameters>
struct SplitParameters {
  static constexpr Context context = Context::none;
  using Arguments = std::tuple<std::decay_t<Parameters>...>;
};
template <class First, class... Rest>
requires(contextOf<std::remove_cvref_t<First>> !=
         Context::none) struct SplitParameters<First, Rest...> {
  static constexpr Context context = contextOf<std::remove_cvref_t<First>>;
  using Arguments = std::tuple<std::decay_t<Rest>...>;
};

template <class Result_, bool isConst_, class... Parameters>
struct RuleShape : SplitParameters<Parameters...> {
  using Result = Result_;
  static constexpr bool isConst = isConst_;
  /// A rule without a context may run in place, like one that only asks where it is.
  static constexpr bool readsNeighbors =
      SplitParameters<Parameters...>::context == Context::neighborhood;
};

/// The shape of a member function, or of a data member, which reads itself.
template <class F>
struct RuleTraits;
template <class C, class R, class... A>
struct RuleTraits<R (C::*)(A...)> : RuleShape<R, false, A...> {};
template <class C, class R, class... A>
struct RuleTraits<R (C::*)(A...) noexcept> : RuleShape<R, false, A...> {};
template <class C, class R, class... A>
struct RuleTraits<R (C::*)(A...) const> : RuleShape<R, true, A...> {};
template <class C, class R, class... A>
struct RuleTraits<R (C::*)(A...) const noexcept> : RuleShape<R, true, A...> {};
template <class C, class T>
requires(!std::is_function_v<T>) struct RuleTraits<T C::*> : RuleShape<T, true> {
};

template <auto Rule>
using Traits = RuleTraits<std::remove_cvref_t<decltype(Rule)>>;

/// A rule that changes its place.
template <auto Rule>
concept Changing = !Traits<Rule>::isConst && std::is_void_v<typename Traits<Rule>::Result>;
/// A rule, or data member, that only reads its place.
template <auto Rule>
concept Reading = Traits<Rule>::isConst && !std::is_void_v<typename Traits<Rule>::Result>;

/// Calls a rule on a place with the context it asks for.
template <auto Rule, class P, class Around>
MASS_FN inline decltype(auto) apply(P& place, const Around& around,
                                    const typename Traits<Rule>::Arguments& arguments) {
  using T = Traits<Rule>;
  if constexpr (std::is_member_object_pointer_v<std::remove_cvref_t<decltype(Rule)>>) {
    return (place.*Rule);
  } else {
    return std::apply(
        [&](const auto&... values) {
          if constexpr (T::context == Context::none) {
            return (place.*Rule)(values...);
          } else {
            return (place.*Rule)(around, values...);
          }
        },
        arguments);
  }
}

}  // namespace mass::detail
