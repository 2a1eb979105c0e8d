#pragma once

#include <mass/support/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace mass {

/// Colour in sRGB, 0 to 255 per channel.
struct Rgb {
  std::uint8_t red = 0;    ///< red channel
  std::uint8_t green = 0;  ///< green channel
  std::uint8_t blue = 0;   ///< blue channel
  /// True if all channels are equal.
  bool operator==(const Rgb&) const = default;
};

namespace detail {
/// Colour in Oklab, in which equal distances are perceived as equal differences (B. Ottosson, "A
/// perceptual color space for image processing", 2020).
struct Oklab {
  double lightness = 0;  ///< 0 (black) to 1 (white)
  double a = 0;          ///< green (negative) to red
  double b = 0;          ///< blue (negative) to yellow
};
}  // namespace detail

/// Converts a colour from sRGB to Oklab.
detail::Oklab toOklab(Rgb color);

/// True if sRGB can represent the colour.
bool inGamut(const detail::Oklab& color);

/// Converts a colour to sRGB. Channels out of gamut are clamped.
Rgb toRgb(const detail::Oklab& color);

/// Colour map of 256 colours: index 0 is the colour of the lowest value, 255 of the highest.
class MASS_EXPORT ColorMap {
 public:
  static constexpr int size = 256;  ///< number of colours

  /// Creates a map of the given colours.
  explicit ColorMap(const std::array<Rgb, size>& entries) : entries_(entries) {}

  /// Returns a map by its name:
  /// - "heat": dark violet, red, orange, pale yellow.
  /// - "ice": dark violet, blue, cyan, near white.
  /// - "gray": black to white in equal steps of sRGB.
  /// - "life": dark blue to pale yellow, for values that are 0 or 1.
  /// - "viridis": violet, green, yellow; as in matplotlib.
  /// - "cividis": blue, gray, yellow; looks nearly the same to colour-blind people.
  /// - "coolwarm": blue, light gray, red; for values around a middle.
  ///
  /// Lightness increases strictly along each map but "coolwarm", which is lightest in the middle.
  /// Steps are perceived as equal, except the darkest ones of "gray", which are perceived as
  /// larger.
  /// @throws SettingsError if there is no map of that name
  static ColorMap named(std::string_view name);

  /// Returns the names of all maps.
  static std::span<const std::string_view> names();

  /// Returns the colour of an index.
  const Rgb& operator[](std::uint8_t index) const { return entries_[index]; }
  /// Returns all colours.
  const std::array<Rgb, size>& entries() const { return entries_; }
  /// True if all colours are equal.
  bool operator==(const ColorMap&) const = default;

 private:
  std::array<Rgb, size> entries_;
};

/// Returns the colours of `ColorMap::named(name)` before rounding to 8 bits.
/// @throws SettingsError if there is no map of that name
std::array<detail::Oklab, ColorMap::size> colorPath(std::string_view name);

namespace detail {

/// Returns colours that differ clearly: those of Okabe and Ito, which begin with black, and from
/// the ninth on the colour of a grid in Oklab that is farthest from the earlier ones.
std::vector<Rgb> qualitativeColors(std::size_t count);

/// Returns a colour on the straight line between two colours in Oklab.
/// @param share 0 (`from`) to 1 (`to`)
Rgb blend(Rgb from, Rgb to, double share);

}  // namespace detail

}  // namespace mass
