#pragma once

#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace mass {
namespace detail {

/// The type in which values of type T are added: wide enough for a world of them.
template <class T>
using SumOf =
    std::conditional_t<std::is_floating_point_v<T>, double,
                       std::conditional_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>,
                                          std::uint64_t, std::int64_t>>;

/// The numeric limits of a type, those of the underlying one for an enum.
template <class T, bool isEnum = std::is_enum_v<T>>
struct LimitsOf : std::numeric_limits<T> {};
template <class T>
struct LimitsOf<T, true> : std::numeric_limits<std::underlying_type_t<T>> {};

/// The value that no other one of its type exceeds.
template <class R>
MASS_FN constexpr R highestOf() {
  static_assert(LimitsOf<R>::is_specialized, "minimum needs a type that has a largest value");
  if constexpr (LimitsOf<R>::has_infinity) return LimitsOf<R>::infinity();
  return static_cast<R>(LimitsOf<R>::max());
}
/// The value that exceeds no other one of its type.
template <class R>
MASS_FN constexpr R lowestOf() {
  static_assert(LimitsOf<R>::is_specialized, "maximum needs a type that has a least value");
  if constexpr (LimitsOf<R>::has_infinity) return -LimitsOf<R>::infinity();
  return static_cast<R>(LimitsOf<R>::lowest());
}

}  // namespace detail

/// Adds up: floating-point values in double, whole numbers and bools in 64 bits.
struct Sum {
  template <class T>
  using Result = detail::SumOf<T>;
  template <class R>
  MASS_FN static constexpr R identity() {
    return R{0};
  }
  template <class R>
  MASS_FN constexpr R operator()(R a, R b) const {
    return a + b;
  }
};

/// The least value; of no places, the largest that the type has.
struct Minimum {
  template <class T>
  using Result = T;
  template <class R>
  MASS_FN static constexpr R identity() {
    return detail::highestOf<R>();
  }
  template <class R>
  MASS_FN constexpr R operator()(R a, R b) const {
    return b < a ? b : a;
  }
};

/// The greatest value; of no places, the lowest that the type has.
struct Maximum {
  template <class T>
  using Result = T;
  template <class R>
  MASS_FN static constexpr R identity() {
    return detail::lowestOf<R>();
  }
  template <class R>
  MASS_FN constexpr R operator()(R a, R b) const {
    return a < b ? b : a;
  }
};

/// What Places::reduce can do. A model's own operation is a class of the same form; it is applied
/// in a fixed order, the same on any number of devices and threads.
inline constexpr Sum sum{};
inline constexpr Minimum minimum{};
inline constexpr Maximum maximum{};

}  // namespace mass
