#pragma once

// Templates of Places that call rules in turn.

namespace mass {
namespace detail {

/// Runs rules in turn, if `Types` are their arguments. In a function, not a lambda: clang 14
/// rejects `TurnElement<Elements>::rule` as a template argument there.
/// @tparam Types std::tuple of the arguments' types
template <class P, class Types, auto... Elements, std::size_t... K, class Given>
void runInTurn(PlacesState& places, std::int64_t turns, const Given& given,
               std::index_sequence<K...>) {
  using GivenToTurns = TurnArguments<Elements...>;
  constexpr std::size_t count = std::tuple_size_v<Types>;
  if constexpr ((true && ... &&
                 isCallInTurn<P, TurnElement<Elements>::rule, GivenToTurns::firstOf(K, count),
                              Types>(std::make_index_sequence<GivenToTurns::counts[K]>()))) {
    std::tuple<typename TurnElement<Elements>::Arguments...> arguments(
        argumentsFrom<typename TurnElement<Elements>::Arguments, GivenToTurns::firstOf(K, count)>(
            given, std::make_index_sequence<GivenToTurns::counts[K]>())...);
    prepareArguments(places, std::get<K>(arguments)...);
    std::array kernels{
        changingKernel<P, TurnElement<Elements>::rule, typename TurnElement<Elements>::Written>(
            std::get<K>(arguments))...};
    kernels.front().turnMarch = {turnGpuKernel<P, TurnElement<Elements>...>(), &arguments};
    runKernels(places, kernels, turns);
  }
}

}  // namespace detail

template <class P>
template <auto... Elements, class... Args>
void Places<P>::changeInTurn(detail::InTurn<Elements...> /*rules*/, Steps turns,
                             Args&&... args) const {
  using Turn = detail::TurnArguments<Elements...>;
  constexpr std::size_t count = sizeof...(Args);
  static_assert(sizeof...(Elements) > 0, "mass::inTurn needs at least one rule");
  static_assert(count == Turn::all || Turn::areShared(count),
                "rules in turn take the arguments of the first rule, then those of the second, and "
                "so on; or, if all take the same, these once");
  if constexpr (count == Turn::all || Turn::areShared(count)) {
    detail::runInTurn<P, std::tuple<Args...>, Elements...>(
        *population_, turns.count, std::forward_as_tuple(std::forward<Args>(args)...),
        std::make_index_sequence<sizeof...(Elements)>());
  }
}

}  // namespace mass
