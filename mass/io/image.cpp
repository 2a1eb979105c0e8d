#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <mass/io/atomic_file.hpp>
#include <mass/io/image.hpp>
#include <mass/io/regular_file.hpp>
#include <mass/support/error.hpp>
#include <mass/support/pixel.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace mass {
namespace {

/// Upper limit of the pixels of a picture; a larger number in a file's header is damage.
constexpr std::int64_t mostPixels = std::int64_t{1} << 28;

std::size_t asSize(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

std::int64_t ceilDivide(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

detail::Image enlarge(std::span<const float> values, std::int64_t rows, std::int64_t columns,
                      const detail::ValueScale& scale, std::int64_t factor) {
  detail::Image image{columns * factor, rows * factor, {}};
  image.pixels.reserve(asSize(image.width * image.height));
  std::vector<std::uint8_t> line(asSize(image.width));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::uint8_t index =
          detail::paletteIndex(scale(values[asSize(row * columns + column)]));
      std::fill_n(line.begin() + column * factor, factor, index);
    }
    for (std::int64_t copy = 0; copy < factor; ++copy) {
      image.pixels.insert(image.pixels.end(), line.begin(), line.end());
    }
  }
  return image;
}

detail::Image reduce(std::span<const float> values, std::int64_t rows, std::int64_t columns,
                     const detail::ValueScale& scale, std::int64_t block) {
  detail::Image image{ceilDivide(columns, block), ceilDivide(rows, block), {}};
  image.pixels.reserve(asSize(image.width * image.height));
  // Sum of each column in the current row of blocks, in units.
  std::vector<std::uint64_t> sums(asSize(columns));
  for (std::int64_t top = 0; top < rows; top += block) {
    const std::int64_t bottom = std::min(top + block, rows);
    std::fill(sums.begin(), sums.end(), 0);
    for (std::int64_t row = top; row < bottom; ++row) {
      const float* line = values.data() + row * columns;
      for (std::size_t column = 0; column < sums.size(); ++column) {
        sums[column] += static_cast<std::uint32_t>(detail::unitsOf(scale(line[column])));
      }
    }
    for (std::int64_t left = 0; left < columns; left += block) {
      const std::int64_t right = std::min(left + block, columns);
      std::uint64_t sum = 0;
      for (std::int64_t column = left; column < right; ++column) sum += sums[asSize(column)];
      image.pixels.push_back(detail::meanIndex(sum, (right - left) * (bottom - top)));
    }
  }
  return image;
}

/// Returns an empty image of libpng's simplified interface, which reports errors without longjmp.
png_image emptyPngImage() {
  png_image png;
  std::memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  return png;
}

/// Returns the channels of all colours in the order red, green, blue.
std::vector<std::uint8_t> bytesOf(std::span<const Rgb> colors) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(3 * colors.size());
  for (const Rgb& color : colors) bytes.insert(bytes.end(), {color.red, color.green, color.blue});
  return bytes;
}

/// Writes a PNG in the format of `png`.
/// @param palette colours of `png.colormap_entries` indices; null without a palette
void writeEncoded(const std::filesystem::path& path, png_image& png, std::int64_t width,
                  std::int64_t height, const std::uint8_t* pixels, const std::uint8_t* palette) {
  png.width = static_cast<png_uint_32>(width);
  png.height = static_cast<png_uint_32>(height);
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(png), '\0');
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&png, bytes.data(), &size, 0, pixels, 0, palette) == 0)
    throw OutputError("cannot write '{}': libpng fails: {}", path.string(), png.message);
  detail::publishAtomically(path, std::string_view(bytes).substr(0, size));
}

struct PngImageFree {
  void operator()(png_image* png) const { png_image_free(png); }
};

InputError unreadable(const std::filesystem::path& path, std::string_view reason) {
  return InputError("cannot read '{}': {} (a PNG with a palette of 256 colours is needed)",
                    path.string(), reason);
}

/// Returns the contents of a PNG. @throws InputError if it is no regular file or cannot be read
std::string pngBytes(const std::filesystem::path& path) {
  try {
    return detail::readRegularFile(path, mostPixels);
  } catch (const InputError& error) {
    throw unreadable(path, error.what());
  }
}

}  // namespace

detail::Image render(std::span<const float> values, std::int64_t rows, std::int64_t columns,
                     float low, float high, const RenderSize& size) {
  if (rows < 1 || columns < 1 || values.size() / asSize(columns) != asSize(rows) ||
      values.size() % asSize(columns) != 0) {
    throw UsageError("cannot render {} values as {} rows of {} columns", values.size(), rows,
                     columns);
  }
  if (size.smallest < 1 || size.largest < 2 * size.smallest - 1) {
    throw UsageError(
        "the longer side of a picture cannot be {} to {} pixels: the smallest must be at least 1, "
        "and the largest at least twice the smallest minus 1",
        size.smallest, size.largest);
  }
  const auto scale = detail::ValueScale::between(low, high);
  const std::int64_t longer = std::max(rows, columns);
  return longer > size.largest
             ? reduce(values, rows, columns, scale, ceilDivide(longer, size.largest))
             : enlarge(values, rows, columns, scale, ceilDivide(size.smallest, longer));
}

void writePng(const std::filesystem::path& path, const detail::Image& image,
              const ColorMap& colorMap) {
  if (image.width < 1 || image.height < 1 || image.width > mostPixels / image.height ||
      image.pixels.size() != asSize(image.width * image.height)) {
    throw UsageError("cannot write '{}': the image has {} x {} pixels, but {} values",
                     path.string(), image.width, image.height, image.pixels.size());
  }
  png_image png = emptyPngImage();
  png.format = PNG_FORMAT_RGB_COLORMAP;
  png.colormap_entries = ColorMap::size;
  writeEncoded(path, png, image.width, image.height, image.pixels.data(),
               bytesOf(colorMap.entries()).data());
}

void detail::writePng(const std::filesystem::path& path, const detail::RgbImage& image) {
  png_image png = emptyPngImage();
  png.format = PNG_FORMAT_RGB;
  writeEncoded(path, png, image.width, image.height, bytesOf(image.pixels).data(), nullptr);
}

detail::PalettePicture readPng(const std::filesystem::path& path) {
  const std::string bytes = pngBytes(path);
  png_image png = emptyPngImage();
  const std::unique_ptr<png_image, PngImageFree> owner(&png);
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0)
    throw unreadable(path, png.message);
  if ((png.format & PNG_FORMAT_FLAG_COLORMAP) == 0 || png.colormap_entries != ColorMap::size) {
    throw unreadable(path, "it has no palette of 256 colours");
  }
  if (png.width > mostPixels / png.height) {
    throw unreadable(path, fmt::format("{} x {} pixels are too many", png.width, png.height));
  }
  png.format = PNG_FORMAT_RGB_COLORMAP;
  detail::Image image{png.width, png.height, {}};
  image.pixels.resize(asSize(image.width * image.height));
  std::array<std::uint8_t, std::size_t{3} * ColorMap::size> palette;
  if (png_image_finish_read(&png, nullptr, image.pixels.data(), 0, palette.data()) == 0) {
    throw unreadable(path, png.message);
  }
  std::array<Rgb, ColorMap::size> entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i] = {palette[3 * i], palette[3 * i + 1], palette[3 * i + 2]};
  }
  return {std::move(image), ColorMap(entries)};
}

}  // namespace mass
