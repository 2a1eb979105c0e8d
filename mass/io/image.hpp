#pragma once

#include <cstdint>
#include <filesystem>
#include <mass/io/color_map.hpp>
#include <mass/support/export.hpp>
#include <span>
#include <vector>

namespace mass {

namespace detail {
/// Picture of palette indices.
struct Image {
  std::int64_t width = 0;            ///< in pixels
  std::int64_t height = 0;           ///< in pixels
  std::vector<std::uint8_t> pixels;  ///< height x width indices, row by row from the top
  /// True if size and pixels are equal.
  bool operator==(const Image&) const = default;
};
}  // namespace detail

/// Bounds of the longer side of a rendered picture. A world whose longer side is shorter than
/// `smallest` is enlarged by a whole factor: each place becomes a square of pixels. A world whose
/// longer side is longer than `largest` is reduced: each pixel is the mean of a square block of
/// places, truncated at the last rows and columns.
struct RenderSize {
  std::int64_t smallest = 480;  ///< in pixels, at least 1
  std::int64_t largest = 1024;  ///< in pixels, at least 2 smallest - 1

  /// True if both sizes are equal.
  bool operator==(const RenderSize&) const = default;
};

/// Maps values linearly to palette indices, `low` to 0 and `high` to 255. Values out of range are
/// clamped, including infinities; NaN becomes 0. If low == high, greater values become 255 and all
/// others 0.
/// @param values rows x columns values, row by row from the top
/// @param low finite, at most `high`
/// @param high finite
/// @param size bounds of the picture's longer side
/// @throws UsageError if an argument is not as stated
MASS_EXPORT detail::Image render(std::span<const float> values, std::int64_t rows,
                                 std::int64_t columns, float low, float high,
                                 const RenderSize& size = {});

/// Writes an 8-bit palette PNG. The file appears when it is complete.
/// @throws UsageError if the number of pixels is not width x height, or above 2^28
/// @throws OutputError if the file cannot be written
MASS_EXPORT void writePng(const std::filesystem::path& path, const detail::Image& image,
                          const ColorMap& colorMap);

namespace detail {
/// Picture of colours.
struct RgbImage {
  std::int64_t width = 0;   ///< in pixels
  std::int64_t height = 0;  ///< in pixels
  std::vector<Rgb> pixels;  ///< height x width colours, row by row from the top
};

/// Writes a PNG with 8 bits per channel. The file appears when it is complete.
/// @throws OutputError if the file cannot be written
void writePng(const std::filesystem::path& path, const RgbImage& image);

/// Picture with its colours.
struct PalettePicture {
  Image image;        ///< palette indices
  ColorMap colorMap;  ///< palette
};
}  // namespace detail

/// Reads a file written by `writePng`.
/// @throws InputError if it is no regular file, cannot be read, or is no PNG with a palette of 256
///   colours
detail::PalettePicture readPng(const std::filesystem::path& path);

}  // namespace mass
