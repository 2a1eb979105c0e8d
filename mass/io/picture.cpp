#include <mass/io/picture.hpp>

#include <mass/io/category_palette.hpp>
#include <mass/io/legend.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace mass::detail {
namespace {

constexpr Rgb paper{255, 255, 255}, ink{0, 0, 0};

/// Number of colours of a scale beside a legend, which takes two of the palette.
constexpr std::size_t scaleColors = ColorMap::size - 2;

std::string titleOf(const Picture& picture) {
  if (picture.unit.empty()) return picture.name;
  return fmt::format("{}{}({})", picture.name, picture.name.empty() ? "" : " ", picture.unit);
}

/// Returns a palette of the given colours and those of a legend.
/// @param colors at most 254 colours
ColorMap withLegendColors(const std::vector<Rgb>& colors) {
  std::array<Rgb, ColorMap::size> entries{};
  std::copy(colors.begin(), colors.end(), entries.begin());
  entries[LegendColors{}.paper] = paper;
  entries[LegendColors{}.ink] = ink;
  return ColorMap(entries);
}

/// Returns the number of a step out of `to` that is nearest to step `index` out of `from`.
std::size_t rescale(std::size_t index, std::size_t from, std::size_t to) {
  return (2 * index * to + from) / (2 * from);
}

PalettePicture drawScale(const Picture& picture, const PictureStyle& style,
                         const std::string& note) {
  Image field = render(picture.values, picture.rows, picture.columns, picture.low, picture.high);
  const ColorMap map = ColorMap::named(style.palette);
  if (!style.hasLegend) return {std::move(field), map};
  constexpr std::size_t last = scaleColors - 1;
  std::array<std::uint8_t, ColorMap::size> indices;
  for (std::size_t i = 0; i < indices.size(); ++i)
    indices[i] = static_cast<std::uint8_t>(rescale(i, ColorMap::size - 1, last));
  for (std::uint8_t& pixel : field.pixels) pixel = indices[pixel];
  std::vector<Rgb> colors;
  for (std::size_t i = 0; i < scaleColors; ++i)
    colors.push_back(map.entries()[rescale(i, last, ColorMap::size - 1)]);
  const ScaleLegend legend(titleOf(picture), picture.low, picture.high, last);
  return {legend.below(field, note, LegendColors{}), withLegendColors(colors)};
}

/// @throws UsageError if names, colours and values do not fit together
void requireCategories(const Picture& picture) {
  const std::size_t count = picture.categories.size();
  if (count > CategoryPalette::most) {
    throw UsageError("a picture can have {} categories, not {}: join some of them",
                     CategoryPalette::most, count);
  }
  if (!picture.colors.empty() && picture.colors.size() != count) {
    throw UsageError(
        "a picture has {} categories and {} colours: give one colour for each category, or none",
        count, picture.colors.size());
  }
  for (const float value : picture.values) {
    if (!(value >= 0 && value < static_cast<float>(count) && value == std::floor(value))) {
      throw UsageError(
          "a picture of {} categories has the value {}: values must be whole numbers from 0 to {}",
          count, value, count - 1);
    }
  }
}

/// Returns the colours of the categories: those of a palette that the settings name, those of the
/// model, or colours that differ clearly.
std::vector<Rgb> categoryColors(const Picture& picture, const PictureStyle& style) {
  const std::size_t count = picture.categories.size();
  if (style.isPaletteOfModel)
    return picture.colors.empty() ? qualitativeColors(count) : picture.colors;
  const ColorMap map = ColorMap::named(style.palette);
  std::vector<Rgb> colors;
  for (std::size_t i = 0; i < count; ++i)
    colors.push_back(map.entries()[rescale(i, std::max<std::size_t>(count - 1, 1), 255)]);
  return colors;
}

PalettePicture drawCategories(const Picture& picture, const PictureStyle& style,
                              const std::string& note) {
  requireCategories(picture);
  const CategoryPalette palette(categoryColors(picture, style));
  Image field = palette.render(picture.values, picture.rows, picture.columns);
  const ColorMap colors = withLegendColors(palette.colors());
  if (!style.hasLegend) return {std::move(field), colors};
  const CategoryLegend legend(titleOf(picture), picture.categories);
  return {legend.below(field, note, LegendColors{}), colors};
}

}  // namespace

PalettePicture drawPicture(const Picture& picture, const PictureStyle& style,
                           const std::string& note) {
  return picture.categories.empty() ? drawScale(picture, style, note)
                                    : drawCategories(picture, style, note);
}

}  // namespace mass::detail
