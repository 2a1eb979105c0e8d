#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace mass {

/// An sRGB colour as files hold it.
struct Rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Rgb&) const = default;
};

namespace detail {
/// A colour in Oklab (Ottosson 2020), where equal distances look equally different.
/// lightness: 0 (black) to 1 (white); a: green to red; b: blue to yellow.
struct Oklab {
  double lightness = 0, a = 0, b = 0;
};
}  // namespace detail

detail::Oklab toOklab(Rgb color);

/// Whether sRGB can show the colour.
bool inGamut(const detail::Oklab& color);

/// The nearest sRGB colour, channel by channel; clamps what is out of gamut.
Rgb toRgb(const detail::Oklab& color);

/// 256 colours for the values of an image, from low to high.
class ColorMap {
 public:
  static constexpr int size = 256;

  explicit ColorMap(const std::array<Rgb, size>& entries) : entries_(entries) {}

  /// - "heat": dark violet, red, orange, pale yellow.
  /// - "ice": dark violet, blue, cyan, near white.
  /// - "gray": black to white in equal steps of sRGB.
  /// - "life": from a dark background to a light cell, for values that are no or yes.
  /// Lightness increases strictly along each. Steps look equally large along each but gray, whose
  /// darkest ones look larger. Throws SettingsError for another name, which lists these.
  static ColorMap named(std::string_view name);

  /// Every name that `named` knows.
  static std::span<const std::string_view> names();

  const Rgb& operator[](std::uint8_t index) const { return entries_[index]; }
  const std::array<Rgb, size>& entries() const { return entries_; }
  bool operator==(const ColorMap&) const = default;

 private:
  std::array<Rgb, size> entries_;
};

/// The colours of `ColorMap::named(name)` before they are rounded to 8 bits. Throws SettingsError.
std::array<detail::Oklab, ColorMap::size> colorPath(std::string_view name);

}  // namespace mass
