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

/// Largest number of kinds of marks, each of which takes a colour of the palette.
constexpr std::size_t mostMarks = 32;
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

/// Image of a quantity, and the shares of absent places in its pixels.
struct ScaleImages {
  Image field;   ///< absent places count as the first colour
  Image absent;  ///< 0 (none) to 255 (all); empty if all places are present
};

/// @throws UsageError if the numbers of values and marks differ
ScaleImages renderScale(const Picture& picture, const RenderSize& size) {
  const auto draw = [&](const std::vector<float>& values, float low, float high) {
    return render(values, picture.rows, picture.columns, low, high, size);
  };
  if (picture.absent.empty()) return {draw(picture.values, picture.low, picture.high), {}};
  if (picture.absent.size() != picture.values.size())
    throw UsageError("a picture has {} marks of absent places for {} values", picture.absent.size(),
                     picture.values.size());
  std::vector<float> values = picture.values, absent;
  absent.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (picture.absent[i]) values[i] = picture.low;
    absent.push_back(picture.absent[i] ? 1.0F : 0.0F);
  }
  return {draw(values, picture.low, picture.high), draw(absent, 0, 1)};
}

/// Returns the index of the mean of the present places of a pixel.
/// @param mean index of the mean of all @param absent share of absent places, 0 to 254
std::size_t meanOfPresent(std::size_t mean, std::size_t absent) {
  return std::min<std::size_t>(ColorMap::size - 1, rescale(mean, 255 - absent, 255));
}

/// Draws marks as squares of the size of a place, or of 2 pixels if that is larger.
/// @param firstIndex palette index of the first kind; the others follow
void drawMarks(Image& field, const Picture& picture, std::size_t firstIndex) {
  const std::int64_t edge = std::max<std::int64_t>(field.width / picture.columns, 2);
  for (std::size_t kind = 0; kind < picture.marks.size(); ++kind) {
    for (const auto& [row, column] : picture.marks[kind].at) {
      if (!(row >= 0 && row < 1 && column >= 0 && column < 1)) continue;
      const auto first = [&](float share, std::int64_t length) {
        const auto center = static_cast<std::int64_t>(share * static_cast<float>(length));
        return std::clamp<std::int64_t>(center - edge / 2, 0,
                                        std::max<std::int64_t>(length - edge, 0));
      };
      const std::int64_t top = first(row, field.height), left = first(column, field.width);
      for (std::int64_t y = top; y < std::min(top + edge, field.height); ++y) {
        const auto begin = field.pixels.begin() + y * field.width + left;
        std::fill(begin, begin + std::min(edge, field.width - left),
                  static_cast<std::uint8_t>(firstIndex + kind));
      }
    }
  }
}

/// Returns the names of the kinds of marks.
std::vector<std::string> markNames(const Picture& picture) {
  std::vector<std::string> names;
  for (const PictureMarks& marks : picture.marks) names.push_back(marks.name);
  return names;
}
/// Appends the colours of the kinds of marks.
void addMarkColors(const Picture& picture, std::vector<Rgb>& colors) {
  for (const PictureMarks& marks : picture.marks) colors.push_back(marks.color);
}

PalettePicture drawScale(const Picture& picture, const PictureStyle& style,
                         const std::string& note) {
  auto [field, absent] = renderScale(picture, style.size);
  const ColorMap map = ColorMap::named(style.palette);
  if (!style.hasLegend && absent.pixels.empty() && picture.marks.empty())
    return {std::move(field), map};
  const std::size_t last = scaleColors - 1 - picture.marks.size();
  for (std::size_t i = 0; i < field.pixels.size(); ++i) {
    std::uint8_t& pixel = field.pixels[i];
    const std::size_t share = absent.pixels.empty() ? 0 : absent.pixels[i];
    pixel = share == 255 ? LegendColors{}.paper
                         : static_cast<std::uint8_t>(
                               rescale(meanOfPresent(pixel, share), ColorMap::size - 1, last));
  }
  std::vector<Rgb> colors;
  for (std::size_t i = 0; i <= last; ++i)
    colors.push_back(map.entries()[rescale(i, last, ColorMap::size - 1)]);
  addMarkColors(picture, colors);
  drawMarks(field, picture, last + 1);
  const ColorMap colorMap = withLegendColors(colors);
  if (!style.hasLegend) return {std::move(field), colorMap};
  const ScaleLegend legend(titleOf(picture), picture.low, picture.high,
                           static_cast<std::uint8_t>(last), markNames(picture));
  return {legend.below(field, note, LegendColors{}), colorMap};
}

/// @throws UsageError if names and colours do not fit together
void requireColors(const Picture& picture) {
  const std::size_t count = picture.categories.size();
  if (count + picture.marks.size() > CategoryPalette::most) {
    throw UsageError("a picture can have {} categories, not {}: join some of them",
                     CategoryPalette::most - picture.marks.size(), count);
  }
  if (!picture.colors.empty() && picture.colors.size() != count) {
    throw UsageError(
        "a picture has {} categories and {} colours: give one colour for each category, or none",
        count, picture.colors.size());
  }
}

/// @throws UsageError if a value is no category
void requireCategories(const Picture& picture) {
  const std::size_t count = picture.categories.size();
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
  requireColors(picture);
  requireCategories(picture);
  std::vector<Rgb> ofAll = categoryColors(picture, style);
  addMarkColors(picture, ofAll);
  const CategoryPalette palette(std::move(ofAll));
  Image field = palette.render(picture.values, picture.rows, picture.columns, style.size);
  drawMarks(field, picture, picture.categories.size());
  const ColorMap colors = withLegendColors(palette.colors());
  if (!style.hasLegend) return {std::move(field), colors};
  std::vector<std::string> names = picture.categories;
  for (std::string& name : markNames(picture)) names.push_back(std::move(name));
  const CategoryLegend legend(titleOf(picture), std::move(names));
  return {legend.below(field, note, LegendColors{}), colors};
}

}  // namespace

IndexColors indexColors(const Picture& picture, const PictureStyle& style) {
  if (picture.categories.empty()) return {ColorMap::named(style.palette), {}};
  requireColors(picture);
  const CategoryPalette palette(categoryColors(picture, style));
  return {withLegendColors(palette.colors()), palette.indices()};
}

PalettePicture drawPicture(const Picture& picture, const PictureStyle& style,
                           const std::string& note) {
  if (picture.marks.size() > mostMarks) {
    throw UsageError("a picture can have {} kinds of points, not {}: join some of them", mostMarks,
                     picture.marks.size());
  }
  return picture.categories.empty() ? drawScale(picture, style, note)
                                    : drawCategories(picture, style, note);
}

}  // namespace mass::detail
