#pragma once

// Templates of Places that call rules in turn.

namespace mass {

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
    const auto given = std::forward_as_tuple(std::forward<Args>(args)...);
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      if constexpr ((true && ... &&
                     detail::isCallInTurn<P, detail::TurnElement<Elements>::rule,
                                          Turn::firstOf(K, count), std::tuple<Args...>>(
                         std::make_index_sequence<Turn::counts[K]>()))) {
        std::tuple<typename detail::TurnElement<Elements>::Arguments...> arguments(
            detail::argumentsFrom<typename detail::TurnElement<Elements>::Arguments,
                                  Turn::firstOf(K, count)>(
                given, std::make_index_sequence<Turn::counts[K]>())...);
        detail::prepareArguments(*population_, std::get<K>(arguments)...);
        std::array kernels{detail::changingKernel<P, detail::TurnElement<Elements>::rule,
                                                  typename detail::TurnElement<Elements>::Written>(
            std::get<K>(arguments))...};
        kernels.front().turnMarch = {detail::turnGpuKernel<P, detail::TurnElement<Elements>...>(),
                                     &arguments};
        detail::runKernels(*population_, kernels, turns.count);
      }
    }
    (std::index_sequence_for<decltype(Elements)...>());
  }
}

}  // namespace mass
