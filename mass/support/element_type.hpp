#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace mass::detail {

/// Type of the elements of an array, in memory and in files.
/// `boolean` is one byte that holds 0 or 1; `opaque` is any other trivially copyable type, copied
/// byte by byte.
enum class ElementType {
  boolean,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float32,
  float64,
  opaque
};

/// Row of the table `elementTypes`; `size` is in bytes.
struct ElementTypeRow {
  ElementType type;
  std::string_view name;
  std::size_t size;
};
/// Name and size of every ElementType, in the order of the enumerators.
inline constexpr std::array<ElementTypeRow, 12> elementTypes{{{ElementType::boolean, "boolean", 1},
                                                              {ElementType::int8, "int8", 1},
                                                              {ElementType::uint8, "uint8", 1},
                                                              {ElementType::int16, "int16", 2},
                                                              {ElementType::uint16, "uint16", 2},
                                                              {ElementType::int32, "int32", 4},
                                                              {ElementType::uint32, "uint32", 4},
                                                              {ElementType::int64, "int64", 8},
                                                              {ElementType::uint64, "uint64", 8},
                                                              {ElementType::float32, "float32", 4},
                                                              {ElementType::float64, "float64", 8},
                                                              {ElementType::opaque, "opaque", 0}}};

/// Returns the bytes of one element; 0 for `opaque`, whose size each array stores.
constexpr std::size_t sizeOf(ElementType type) {
  return detail::elementTypes[static_cast<std::size_t>(type)].size;
}

/// Returns the enumerator's name, e.g. "float32".
constexpr std::string_view nameOf(ElementType type) {
  return detail::elementTypes[static_cast<std::size_t>(type)].name;
}

/// Returns the type whose nameOf() is `name`; nullopt if there is none.
constexpr std::optional<ElementType> elementTypeNamed(std::string_view name) {
  for (const auto& row : detail::elementTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

/// Returns the element type of a T: of the underlying integer for an enum, `opaque` for a class.
template <class T>
constexpr ElementType elementTypeOf() {
  using Stripped = std::remove_cv_t<T>;
  static_assert(std::is_trivially_copyable_v<Stripped>, "an element is moved as its bytes");
  if constexpr (std::is_enum_v<Stripped>) {
    return elementTypeOf<std::underlying_type_t<Stripped>>();
  } else if constexpr (std::is_same_v<Stripped, bool>) {
    static_assert(sizeof(bool) == 1);
    return ElementType::boolean;
  } else if constexpr (std::is_same_v<Stripped, float>) {
    return ElementType::float32;
  } else if constexpr (std::is_same_v<Stripped, double>) {
    return ElementType::float64;
  } else if constexpr (std::is_integral_v<Stripped> && sizeof(Stripped) <= 8) {
    constexpr bool isSigned = std::is_signed_v<Stripped>;
    if constexpr (sizeof(Stripped) == 1) return isSigned ? ElementType::int8 : ElementType::uint8;
    if constexpr (sizeof(Stripped) == 2) return isSigned ? ElementType::int16 : ElementType::uint16;
    if constexpr (sizeof(Stripped) == 4) return isSigned ? ElementType::int32 : ElementType::uint32;
    if constexpr (sizeof(Stripped) == 8) return isSigned ? ElementType::int64 : ElementType::uint64;
  } else {
    return ElementType::opaque;
  }
}

/// Calls function(T{}) with the C++ type T of `type`; does nothing for `opaque`.
template <class F>
constexpr void withElement(ElementType type, F&& function) {
  switch (type) {
    case ElementType::boolean:
      return function(bool{});
    case ElementType::int8:
      return function(std::int8_t{});
    case ElementType::uint8:
      return function(std::uint8_t{});
    case ElementType::int16:
      return function(std::int16_t{});
    case ElementType::uint16:
      return function(std::uint16_t{});
    case ElementType::int32:
      return function(std::int32_t{});
    case ElementType::uint32:
      return function(std::uint32_t{});
    case ElementType::int64:
      return function(std::int64_t{});
    case ElementType::uint64:
      return function(std::uint64_t{});
    case ElementType::float32:
      return function(float{});
    case ElementType::float64:
      return function(double{});
    case ElementType::opaque:
      return;
  }
}

}  // namespace mass::detail
