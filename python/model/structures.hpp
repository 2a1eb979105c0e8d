#pragma once

// Description of structures, whose members have names in Python.

#include <python/model/model.hpp>

#include <mass/mass.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace mass::python {
/// True if Python has numbers of type T.
template <class T>
inline constexpr bool isNumber = (std::is_arithmetic_v<T> ||
                                  std::is_enum_v<T>)&&!std::is_same_v<T, long double>;

/// Number of elements of an array of type T, 0 for another type, and their type.
template <class T>
struct ArrayOf {
  using Element = T;
  static constexpr std::size_t count = 0;
};
template <class T, std::size_t N>
struct ArrayOf<T[N]> {
  using Element = T;
  static constexpr std::size_t count = N;
};
template <class T, std::size_t N>
struct ArrayOf<std::array<T, N>> : ArrayOf<T[N]> {};
template <int D, class T>
struct ArrayOf<Tuple<D, T>> : ArrayOf<T[static_cast<std::size_t>(D)]> {};

/// Members of a structure T, a MemberList; the generated source specialises it for structures of
/// the header.
template <class T>
struct Members {
  static constexpr bool isListed = false;
};

/// True if Python can give a value of type T: a number, an array of numbers, or a structure.
template <class T>
constexpr bool isValue() {
  if constexpr (isNumber<typename ArrayOf<T>::Element>) {
    return true;
  } else if constexpr (Members<T>::isListed && std::is_trivially_copyable_v<T> &&
                       std::is_default_constructible_v<T>) {
    return Members<T>::unsupported().empty();
  } else {
    return false;
  }
}

/// Value of a new object.
template <class T>
inline const T initialValue{};

/// Description of the members of a structure; empty for other types.
template <class T>
struct MembersOf {
  static constexpr std::span<const MemberInfo> all() { return {}; }
};
template <class T>
requires(Members<T>::isListed) struct MembersOf<T> {
  static inline const auto infos = Members<T>::template infos<T>();
  static std::span<const MemberInfo> all() { return infos; }
};

/// Description of a type T. @pre isValue<T>()
template <class T>
inline const ValueInfo valueInfo{detail::typeName<T>(),
                                 detail::elementTypeOf<typename ArrayOf<T>::Element>(),
                                 static_cast<std::int64_t>(ArrayOf<T>::count),
                                 sizeof(T),
                                 &initialValue<T>,
                                 MembersOf<T>::all()};

/// List of the members of a structure.
/// @tparam Pointers pointers to them, in their order
template <auto... Pointers>
struct MemberList {
  static constexpr bool isListed = true;
  template <auto Pointer>
  using Value = typename detail::MemberTraits<std::remove_cvref_t<decltype(Pointer)>>::Value;

  /// Returns the name of the first member that Python cannot give; empty if there is none.
  static constexpr std::string_view unsupported() {
    std::string_view name;
    ((name.empty() && !isValue<Value<Pointers>>()
          ? static_cast<void>(name = detail::memberName<Pointers>())
          : static_cast<void>(0)),
     ...);
    return name;
  }
  /// Returns the descriptions of the members of a structure T.
  template <class T>
  static std::array<MemberInfo, sizeof...(Pointers)> infos() {
    const auto* const first = reinterpret_cast<const std::byte*>(&initialValue<T>);
    return {MemberInfo{
        detail::memberName<Pointers>(),
        static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&(initialValue<T>.*Pointers)) -
                                 first),
        &valueInfo<Value<Pointers>>}...};
  }
};

template <int D>
struct Members<Space<D>> : MemberList<&Space<D>::edge, &Space<D>::bins, &Space<D>::periodic> {};

/// Returns the number of types among T that Python can give.
template <class... T>
constexpr std::size_t countValues() {
  return (std::size_t{0} + ... + (isValue<T>() ? 1 : 0));
}
/// Returns the descriptions of the structures among T that Python can give.
template <class... T>
constexpr std::array<const ValueInfo*, countValues<T...>()> structures() {
  std::array<const ValueInfo*, countValues<T...>()> all{};
  std::size_t number = 0;
  const auto add = [&]<class Type>(const Type*) {
    if constexpr (isValue<Type>()) all[number++] = &valueInfo<Type>;
  };
  (add(static_cast<const T*>(nullptr)), ...);
  return all;
}

}  // namespace mass::python
