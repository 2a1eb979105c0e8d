#pragma once

#include <mass/support/half.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <type_traits>

namespace mass {

/// Representation of a float attribute as an IEEE 754 binary16 number, 2^Exponent times the value:
/// `mass::stored<&P::f, mass::Half<15>>`. Values are rounded to nearest, ties to even. Values
/// beyond the range become the largest finite number of their sign; NaN stays NaN.
///
/// With Exponent 15, the largest value is 1.999. Rounding changes values down to 2^-29 by at most
/// 2^-11 of themselves; smaller values are multiples of 2^-39.
///
/// A model may define its own representation as a class with a trivially copyable type `Stored` and
/// these two functions, which must return the same bits on all devices. If it has 16 bits, it may
/// also have the two functions of detail::HalfPair, for threads of GPUs that process two places.
/// @tparam Exponent -99 to 99
template <int Exponent>
struct Half : detail::HalfPair<Exponent> {
  using Stored = std::uint16_t;  ///< Type of an element in a buffer.
  static_assert(-100 < Exponent && Exponent < 100, "the Exponent of Half must be -99 to 99");

  /// Returns the representation of a value.
  MASS_FN static Stored encode(float value) { return detail::encodeHalf<Exponent>(value); }
  /// Returns the value of a representation, exactly.
  MASS_FN static float decode(Stored stored) { return detail::decodeHalf<Exponent>(stored); }
};

namespace detail {

/// Type of an element in a buffer by default: T, or a byte for bool.
template <class T>
using Packed = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

/// Default representation of an attribute: the value itself, a bool as a byte.
template <class T>
struct Plain {
  using Stored = Packed<T>;
  MASS_FN static constexpr Stored encode(const T& value) { return value; }
  MASS_FN static constexpr T decode(const Stored& stored) {
    if constexpr (!std::is_same_v<T, bool>) {
      return stored;
    } else if constexpr (onGpu) {
      return (stored & 1) != 0;  // needs no comparison in sums
    } else {
      return stored != 0;  // g++ vectorises logic on this expression, not on a conversion
    }
  }
};

}  // namespace detail

/// Representation of a bool attribute as a bit: `mass::stored<&P::alive, mass::Bits>`. Rules and
/// files see the same values as without it. If the bool is the only attribute of places in a plane
/// with a reach of 1 and without agents, it takes an eighth of the memory, and rules that depend on
/// the neighbours' bools alone are faster. Otherwise it takes a byte. On GPUs, lines must be
/// multiples of 32 places, and rules that do not count neighbours run on temporary bytes.
struct Bits : detail::Plain<bool> {};

namespace detail {

/// Representation of an attribute: `Form`, or Plain if that is void.
template <class Element, class Form>
using FormOf = std::conditional_t<std::is_void_v<Form>, Plain<Element>, Form>;

}  // namespace detail
}  // namespace mass
