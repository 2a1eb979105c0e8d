#pragma once

#include <mass/rules/attributes.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace mass::detail {

/// Stands for a value of any type but a Place's base class.
template <class Base>
struct AnyValue {
  template <class T>
  requires(!std::is_same_v<T, Base>) constexpr operator T()
      const;  // NOLINT(google-explicit-constructor): it has to convert by itself
};

template <class P, class Base, std::size_t... N>
constexpr bool initialisableWith(std::index_sequence<N...>) {
  return requires {
    P{Base{}, ((void)N, AnyValue<Base>{})...};
  };
}

/// How many scalar data members an aggregate has, arrays counted by their elements.
template <class P, class Base, std::size_t N>
constexpr std::size_t countMembers() {
  if constexpr (N == 0) {
    return 0;
  } else if constexpr (initialisableWith<P, Base>(std::make_index_sequence<N>{})) {
    return N;
  } else {
    return countMembers<P, Base, N - 1>();
  }
}

template <class P>
constexpr bool listsNoneTwice() {
  std::size_t number = 0;
  bool distinct = true;
  AttributeSlots<P>::forEach([&](auto slot) {
    distinct = distinct && findSlot<P, decltype(slot)::member>() == number;
    ++number;
  });
  return distinct;
}

/// Elements of built-in arrays count one by one, a std::array as one, as in aggregate
/// initialisation.
template <class P>
constexpr std::size_t listedMembers() {
  std::size_t listed = 0;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    listed += std::is_array_v<typename S::Value> ? S::count : 1;
  });
  return listed;
}

/// The size of a class whose members are those listed, in that order.
template <class P>
constexpr std::size_t listedSize() {
  std::size_t size = 0;
  std::size_t alignment = 1;
  AttributeSlots<P>::forEach([&](auto slot) {
    using Value = typename decltype(slot)::Value;
    size = (size + alignof(Value) - 1) / alignof(Value) * alignof(Value) + sizeof(Value);
    alignment = alignof(Value) > alignment ? alignof(Value) : alignment;
  });
  size = (size + alignment - 1) / alignment * alignment;
  return size == 0 ? 1 : size;
}

/// Whether a Place lists all its data members, each once. Exact for an aggregate (no constructors,
/// nothing private); by size for any other class, which has to list them in the order of
/// declaration, and where a small member that hides in padding can escape.
template <class P, class Base>
constexpr bool listsEveryMember() {
  if constexpr (!listsNoneTwice<P>()) {
    return false;
  } else if constexpr (std::is_aggregate_v<P>) {
    // One more than listed is the most that has to be tried: finding it proves that one was left
    // out.
    return countMembers<P, Base, listedMembers<P>() + 1>() == listedMembers<P>();
  } else {
    return sizeof(P) <= listedSize<P>();
  }
}

}  // namespace mass::detail
