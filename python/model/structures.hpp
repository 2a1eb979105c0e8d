#pragma once

// Description of structures, whose members have names in Python.

#include <python/model/model.hpp>

#include <mass/mass.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

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

/// Returns the description of a type T. @pre isValue<T>()
template <class T>
const ValueInfo& valueInfo() {
  static const T initial{};
  static const ValueInfo info = [] {
    using Element = typename ArrayOf<T>::Element;
    ValueInfo made{std::string(detail::typeName<T>()),
                   detail::ElementType::opaque,
                   static_cast<std::int64_t>(ArrayOf<T>::count),
                   sizeof(T),
                   &initial,
                   {}};
    if constexpr (isNumber<Element>) {
      made.type = detail::elementTypeOf<Element>();
    } else {
      made.members = Members<T>::infos(initial);
    }
    return made;
  }();
  return info;
}

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
  /// Returns the descriptions of the members of `object`.
  template <class T>
  static std::vector<MemberInfo> infos(const T& object) {
    const auto* const first = reinterpret_cast<const std::byte*>(&object);
    return {MemberInfo{
        std::string(detail::memberName<Pointers>()),
        static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&(object.*Pointers)) - first),
        &valueInfo<Value<Pointers>>()}...};
  }
};

template <int D>
struct Members<Space<D>> : MemberList<&Space<D>::edge, &Space<D>::bins, &Space<D>::periodic> {};

/// Adds the description of T to those of the structures of a model, if Python has such values.
template <class T>
void addStructure(std::vector<const ValueInfo*>& structures) {
  if constexpr (isValue<T>()) structures.push_back(&valueInfo<T>());
}

/// Returns the descriptions of structures, without those that Python cannot give.
template <class... T>
std::vector<const ValueInfo*> structures() {
  std::vector<const ValueInfo*> all;
  (addStructure<T>(all), ...);
  return all;
}

}  // namespace mass::python
