#pragma once

#include <mass/support/export.hpp>

#include <string>
#include <string_view>

namespace mass {
namespace detail {

/// Result of detail::parse().
enum class ParseStatus {
  valid,
  malformed,  ///< the text is no value of the type
  outOfRange  ///< the text is a number that is too large for the type
};

/// Parses all of `text`, as described at mass::parseValue().
/// @param value is set if the result is `valid` only
template <class T>
ParseStatus parse(std::string_view text, T& value);

/// Returns the end of a message about a number that is out of range: "is too large for a float (at
/// most 3.4e38)" or "does not fit into 64 bits".
template <class T>
std::string rangeError();

}  // namespace detail

/// Parses all of `text` as a value of type T. Every file and setting is read by this function.
/// - A bool is true, yes, on, t, y or 1, or false, no, off, f, n or 0, in any case of letters.
/// - An integer may have a decimal point and an exponent if it is one exactly: 1.0, 2e3.
/// - A floating-point number is rounded to the nearest of the type, 5e-324 to 0 in a float. inf and
///   nan are read.
/// A number may begin with a plus sign.
/// @tparam T bool, a signed or unsigned integer of 8 to 64 bits, float or double
/// @param value is set if the text is valid only
/// @return the end of a message, as "is not an integer from -128 to 127" or "is too large for a
///   float (at most 3.4e38)"; empty if the text is valid
template <class T>
MASS_EXPORT std::string parseValue(std::string_view text, T& value);

}  // namespace mass
