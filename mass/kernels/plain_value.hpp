#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>

namespace mass::detail {

/// True if T refers to objects elsewhere in the memory of the host.
template <class T>
inline constexpr bool isView = std::is_pointer_v<T>;
template <class T, std::size_t N>
inline constexpr bool isView<std::array<T, N>> = isView<T>;
template <class T, std::size_t N>
inline constexpr bool isView<std::span<T, N>> = true;
template <class C, class T>
inline constexpr bool isView<std::basic_string_view<C, T>> = true;
template <class T>
inline constexpr bool isView<std::reference_wrapper<T>> = true;
template <class T>
inline constexpr bool isView<std::initializer_list<T>> = true;

/// Value that a copy of its bytes gives to every device.
template <class T>
concept PlainValue =
    std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T> && !isView<T>;

}  // namespace mass::detail
