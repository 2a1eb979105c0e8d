#pragma once

#include <mass/rules/tallies.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace mass {
namespace detail {

/// Type of a sum of values of type T over a world: double, std::uint64_t or std::int64_t.
template <class T>
using SumOf =
    std::conditional_t<std::is_floating_point_v<T>, double,
                       std::conditional_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>,
                                          std::uint64_t, std::int64_t>>;

/// Numeric limits of T; for an enum, those of its underlying type.
template <class T, bool isEnum = std::is_enum_v<T>>
struct LimitsOf : std::numeric_limits<T> {};
template <class T>
struct LimitsOf<T, true> : std::numeric_limits<std::underlying_type_t<T>> {};

/// Returns the largest value of type R; infinity if it has one.
template <class R>
MASS_FN constexpr R highestOf() {
  static_assert(LimitsOf<R>::is_specialized, "mass::minimum needs a type with a largest value");
  if constexpr (LimitsOf<R>::has_infinity) return LimitsOf<R>::infinity();
  return static_cast<R>(LimitsOf<R>::max());
}
/// Returns the smallest value of type R; minus infinity if it has one.
template <class R>
MASS_FN constexpr R lowestOf() {
  static_assert(LimitsOf<R>::is_specialized, "mass::maximum needs a type with a smallest value");
  if constexpr (LimitsOf<R>::has_infinity) return -LimitsOf<R>::infinity();
  return static_cast<R>(LimitsOf<R>::lowest());
}

}  // namespace detail

/// Sum of floating-point values in double, or of integers and bools in 64 bits. An operation of
/// reduce has the members of this class.
struct Sum {
  /// Type of the result for values of type T.
  template <class T>
  using Result = detail::SumOf<T>;
  /// Result for no values.
  template <class R>
  MASS_FN static constexpr R identity() {
    return R{0};
  }
  /// Combines two intermediate results.
  template <class R>
  MASS_FN constexpr R operator()(R a, R b) const {
    return a + b;
  }
};

/// Minimum; of no values, the largest value of the type; NaN if a value is NaN.
struct Minimum {
  /// Type of the result for values of type T.
  template <class T>
  using Result = T;
  /// Result for no values.
  template <class R>
  MASS_FN static constexpr R identity() {
    return detail::highestOf<R>();
  }
  /// Combines two intermediate results.
  template <class R>
  MASS_FN constexpr R operator()(R a, R b) const {
    return b < a || b != b ? b : a;
  }
};

/// Maximum; of no values, the smallest value of the type; NaN if a value is NaN.
struct Maximum {
  /// Type of the result for values of type T.
  template <class T>
  using Result = T;
  /// Result for no values.
  template <class R>
  MASS_FN static constexpr R identity() {
    return detail::lowestOf<R>();
  }
  /// Combines two intermediate results.
  template <class R>
  MASS_FN constexpr R operator()(R a, R b) const {
    return a < b || b != b ? b : a;
  }
};

/// Operation of reduce that sums. The order of the applications is fixed: results are bitwise the
/// same for each number of devices and threads.
///
/// A model may define its own operation as a class with the members of Sum. It has no data members,
/// since kernels construct it, and is commutative and associative up to rounding.
inline constexpr Sum sum{};
/// Operation of reduce that returns the minimum.
inline constexpr Minimum minimum{};
/// Operation of reduce that returns the maximum.
inline constexpr Maximum maximum{};
/// Reduces to the mean of all values, a double: their sum divided by their number; NaN without any.
inline constexpr detail::Mean mean{};

}  // namespace mass
