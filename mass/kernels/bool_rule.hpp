#pragma once

// Tables of rules of one bool, for kernels on bits.

#include <mass/kernels/rule_traits.hpp>
#include <mass/kernels/stencil_kernels.hpp>
#include <mass/launch/bool_table.hpp>
#include <mass/launch/launch.hpp>
#include <mass/rules/cursor.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/rules/storing.hpp>

#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>

namespace mass::detail {

template <class T>
inline constexpr bool isSharedArray = false;
template <class T>
inline constexpr bool isSharedArray<Shared<T>> = true;

/// True if rules of P with a parameter T may be functions of the states of places: T is a
/// neighbourhood, a position, a plain value or a shared array.
template <class P, class T>
constexpr bool mayBeOfBoolRule() {
  if constexpr (!Parameter<T>::isArgument) {
    return std::is_same_v<T, Neighborhood<P>> || std::is_same_v<T, Here<P::dimensions>>;
  } else {
    return isSharedArray<T> || std::is_same_v<typename Parameter<T>::Argument, T>;
  }
}
template <class P, class Parameters>
inline constexpr bool mayAllBeOfBoolRule = false;
template <class P, class... T>
inline constexpr bool mayAllBeOfBoolRule<P, std::tuple<T...>> = (true && ... &&
                                                                 mayBeOfBoolRule<P, T>());
template <class Parameters>
inline constexpr bool hasSharedArray = false;
template <class... T>
inline constexpr bool hasSharedArray<std::tuple<T...>> = (false || ... || isSharedArray<T>);

/// True if every attribute of P is a bool that a rule with the set W writes.
template <class P, class W>
constexpr bool writesBools() {
  bool areBools = true;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    areBools = areBools && std::is_same_v<typename S::Value, bool> && isBool<S> && isWritten<S, W>;
  });
  return areBools;
}

/// True if a rule may be a function of the states of a place and its eight neighbours, each one
/// bool. Calls of the rule decide, see tableOfBools().
/// @tparam W set of attributes that the rule writes
template <class P, auto Rule, class W>
constexpr bool mayBeBoolRule() {
  using T = Traits<Rule>;
  if constexpr (P::dimensions != 2 || P::reach != 1 || AttributeSlots<P>::components != 1 ||
                !T::readsNeighbors || T::streams) {
    return false;
  } else {
    return writesBools<P, W>() && mayAllBeOfBoolRule<P, typename T::Parameters>;
  }
}

/// BoolRule::table of a rule.
/// @pre mayBeBoolRule<P, Rule, W>()
template <class P, auto Rule, class W>
std::optional<BoolTable> tableOfBools(const void* given, int device) {
  // More than the nine cells, so that a rule that reads beyond its reach reads no foreign memory.
  constexpr int side = 16, centre = side / 2 * (side + 1);
  unsigned char cells[side * side] = {};
  const void* const in[] = {cells};
  Launch launch;
  launch.device = device;
  launch.arguments = given;
  launch.layout.rowStride = launch.layout.pitch = side;
  BoolTable table;
  try {
    const auto arguments = argumentsOf<Rule>(launch);
    for (int pattern = 0; pattern < BoolTable::patterns; ++pattern) {
      for (int k = 0; k < 9; ++k)
        cells[centre + (k / 3 - 1) * side + k % 3 - 1] =
            static_cast<unsigned char>(pattern >> k & 1);
      bool dependsOnMore = false;
      const Cursor at(centre, 0);
      const Neighborhood<P> near(launch, in, at, 0, 0, 0, {}, &dependsOnMore);
      P place = loadPlace<P>(in, at);
      change<P, Rule, W>(place, near, arguments);
      if (dependsOnMore) return std::nullopt;
      AttributeSlots<P>::forEach(
          [&](auto slot) { table.set(pattern, place.*decltype(slot)::member); });
    }
  } catch (...) {  // the kernel throws it at its place and step
    return std::nullopt;
  }
  return table;
}

/// Returns the BoolRule of a rule; null if it is none.
template <class P, auto Rule, class W>
const BoolRule* boolRule() {
  if constexpr (mayBeBoolRule<P, Rule, W>()) {
    static constexpr BoolRule rule{&tableOfBools<P, Rule, W>,
                                   hasSharedArray<typename Traits<Rule>::Parameters>};
    return &rule;
  } else {
    return nullptr;
  }
}

}  // namespace mass::detail
