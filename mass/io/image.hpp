#pragma once

#include <cstdint>
#include <filesystem>
#include <mass/io/color_map.hpp>
#include <span>
#include <vector>

namespace mass {

namespace detail {
/// A picture of palette indices: row by row from the top, `width * height` of them.
struct Image {
  std::int64_t width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
  bool operator==(const Image&) const = default;
};
}  // namespace detail

/// Bounds, in pixels, on the longer side of a rendered picture. A world whose longer side is
/// shorter than `smallest` is enlarged, each place becoming the same square of pixels; one that is
/// longer than `largest` is reduced, each pixel becoming the mean of a square block of places (cut
/// off at the far edges).
struct RenderSize {
  std::int64_t smallest = 480;
  std::int64_t largest = 1024;
};

/// Maps `values` (`rows * columns`, row by row) so that `low` becomes index 0 and `high` 255.
/// Values beyond, infinities included, count as the nearer of the two, NaN as `low`; where low ==
/// high, everything above it counts as high. Throws UsageError for a shape that does not fit, low >
/// high, or a size without a whole factor in it.
detail::Image render(std::span<const float> values, std::int64_t rows, std::int64_t columns,
                     float low, float high, const RenderSize& size = {});

/// Writes an 8-bit palette PNG, atomically. Throws OutputError, and UsageError for an image whose
/// pixels do not fit its size.
void writePng(const std::filesystem::path& path, const detail::Image& image,
              const ColorMap& colorMap);

namespace detail {
struct PalettePicture {
  Image image;
  ColorMap colorMap;
};
}  // namespace detail

/// Reads what `writePng` wrote. Throws InputError for anything else.
detail::PalettePicture readPng(const std::filesystem::path& path);

}  // namespace mass
