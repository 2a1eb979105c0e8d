#include <mass/io/legend.hpp>

#include <mass/io/bitmap_font.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace mass::detail {
namespace {

// Sizes in pixels.
constexpr std::int64_t fontScale = 2;
constexpr std::int64_t margin = 8;
constexpr std::int64_t gap = 6;  // between lines
constexpr std::int64_t lineHeight = fontScale * BitmapFont::height;
constexpr std::int64_t barHeight = 14;
constexpr std::int64_t tickHeight = 4;
constexpr std::int64_t scaleHeight = barHeight + tickHeight + 2 + lineHeight;
constexpr std::int64_t swatch = 14;               // edge of a category's square
constexpr std::int64_t entryGap = 18;             // between two categories
constexpr std::int64_t smallestScaleWidth = 400;  // holds three numbers of ten characters

const BitmapFont font(fontScale);

void fill(Image& image, std::int64_t left, std::int64_t top, std::int64_t width,
          std::int64_t height, std::uint8_t index) {
  for (std::int64_t row = top; row < top + height; ++row) {
    const auto begin = image.pixels.begin() + row * image.width + left;
    std::fill(begin, begin + width, index);
  }
}

/// Draws the outline of a rectangle and fills its inside.
void fillFrame(Image& image, std::int64_t left, std::int64_t top, std::int64_t width,
               std::int64_t height, std::uint8_t outline, std::uint8_t inside) {
  fill(image, left, top, width, height, outline);
  fill(image, left + 1, top + 1, width - 2, height - 2, inside);
}

/// Draws a text. @pre it lies within the image
void write(Image& image, std::int64_t left, std::int64_t top, std::string_view text,
           std::uint8_t index) {
  font.draw(text, [&](std::int64_t x, std::int64_t y) {
    image.pixels[static_cast<std::size_t>((top + y) * image.width + left + x)] = index;
  });
}

std::string valueText(double value) {
  return fmt::format("{:.4g}", value);
}

}  // namespace

Image Legend::below(const Image& field, std::string_view note, const LegendColors& colors) const {
  const std::int64_t width =
      std::max({field.width, smallestWidth(), font.widthOf(title_) + 2 * margin});
  const std::int64_t partTop = field.height + margin + lineHeight + gap;
  Image image{width, partTop + heightFor(width) + margin, {}};
  image.pixels.assign(static_cast<std::size_t>(image.width * image.height), colors.paper);
  for (std::int64_t row = 0; row < field.height; ++row) {
    const auto line = field.pixels.begin() + row * field.width;
    std::copy(line, line + field.width,
              image.pixels.begin() + row * width + (width - field.width) / 2);
  }
  write(image, margin, field.height + margin, title_, colors.ink);
  const std::int64_t noteLeft = width - margin - font.widthOf(note);
  if (noteLeft > 2 * margin + font.widthOf(title_))
    write(image, noteLeft, field.height + margin, note, colors.ink);
  draw(image, partTop, colors);
  return image;
}

ScaleLegend::ScaleLegend(std::string title, float low, float high, std::uint8_t lastIndex,
                         std::vector<std::string> marks)
    : Legend(std::move(title)),
      values_{valueText(low), valueText((double{low} + double{high}) / 2), valueText(high)},
      lastIndex_(lastIndex),
      marks_("", std::move(marks), static_cast<std::uint8_t>(lastIndex + 1)) {}

std::int64_t ScaleLegend::smallestWidth() const {
  return std::max(smallestScaleWidth, marks_.smallestWidth());
}

std::int64_t ScaleLegend::heightFor(std::int64_t width) const {
  const std::int64_t ofMarks = marks_.heightFor(width);
  return scaleHeight + (ofMarks > 0 ? gap + ofMarks : 0);
}

void ScaleLegend::draw(Image& image, std::int64_t top, const LegendColors& colors) const {
  const std::int64_t width = image.width - 2 * margin;
  fillFrame(image, margin, top, width, barHeight, colors.ink, colors.paper);
  for (std::int64_t x = 1; x < width - 1; ++x) {
    const auto index =
        static_cast<std::uint8_t>((2 * (x - 1) * lastIndex_ + width - 3) / (2 * (width - 3)));
    fill(image, margin + x, top + 1, 1, barHeight - 2, index);
  }
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::string& value = values_[static_cast<std::size_t>(i)];
    const std::int64_t at = margin + i * (width - 1) / 2;
    fill(image, at, top + barHeight, 1, tickHeight, colors.ink);
    // The values at the ends are aligned with the ends, that of the middle is centred.
    write(image, at - i * font.widthOf(value) / 2, top + barHeight + tickHeight + 2, value,
          colors.ink);
  }
  marks_.draw(image, top + scaleHeight + gap, colors);
}

CategoryLegend::CategoryLegend(std::string title, std::vector<std::string> names,
                               std::uint8_t firstIndex)
    : Legend(std::move(title)), names_(std::move(names)), firstIndex_(firstIndex) {}

std::int64_t CategoryLegend::smallestWidth() const {
  std::int64_t widest = 0;
  for (const std::string& name : names_) widest = std::max(widest, font.widthOf(name));
  return widest + swatch + gap + 2 * margin;
}

/// Returns the places of all entries in a picture of the given width.
std::vector<CategoryLegend::Corner> CategoryLegend::corners(std::int64_t width) const {
  std::vector<Corner> corners;
  Corner next{margin, 0};
  for (const std::string& name : names_) {
    const std::int64_t entry = swatch + gap + font.widthOf(name);
    if (next.x > margin && next.x + entry > width - margin)
      next = {margin, next.y + lineHeight + gap};
    corners.push_back(next);
    next.x += entry + entryGap;
  }
  return corners;
}

std::int64_t CategoryLegend::heightFor(std::int64_t width) const {
  return names_.empty() ? 0 : corners(width).back().y + lineHeight;
}

void CategoryLegend::draw(Image& image, std::int64_t top, const LegendColors& colors) const {
  const std::vector<Corner> places = corners(image.width);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto [x, y] = places[i];
    fillFrame(image, x, top + y, swatch, swatch, colors.ink,
              static_cast<std::uint8_t>(firstIndex_ + i));
    write(image, x + swatch + gap, top + y, names_[i], colors.ink);
  }
}

}  // namespace mass::detail
