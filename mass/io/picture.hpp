#pragma once

#include <mass/io/color_map.hpp>
#include <mass/io/image.hpp>
#include <mass/support/export.hpp>
#include <mass/support/pixel.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mass {
namespace detail {

/// Points over a picture, such as the agents of a class.
struct PictureMarks {
  std::string name;  ///< name in the legend
  Rgb color;
  /// Row and column of each, as shares of the height and the width of the field; those outside of
  /// [0, 1) are not shown.
  std::vector<std::array<float, 2>> at;
};

}  // namespace detail

/// Picture of a 2-D field: of a quantity, or of categories if `categories` is not empty.
struct Picture {
  std::vector<float> values;  ///< rows * columns values, row by row from the top
  std::int64_t rows = 0;      ///< height in places
  std::int64_t columns = 0;   ///< width in places
  float low = 0;       ///< value of the first colour of the palette, which smaller values have, too
  float high = 1;      ///< value of the last colour of the palette, which greater values have, too
  std::string name{};  ///< name of the quantity in the legend, in UTF-8
  std::string unit{};  ///< its unit; empty if it has none
  /// Marks the values that no place has; they get the colour of the paper. One for each value, or
  /// empty if none is. Pictures of categories do not use it.
  std::vector<bool> absent{};
  /// Names of the values 0, 1, ... of categories, at most 254; `low` and `high` are then unused.
  std::vector<std::string> categories{};
  /// Colours of the categories, one for each; empty: colours that differ clearly.
  std::vector<Rgb> colors{};
  /// Name of the palette of a quantity, for pictures of Run::pictures(), which sets it.
  std::string palette{};
  /// Points over the field, at most 32 kinds; of Run::pictures(), those of Simulation::layer.
  std::vector<detail::PictureMarks> marks{};
};

namespace detail {

/// Properties of the pictures of a run that do not depend on the step.
struct PictureStyle {
  std::string palette = "heat";  ///< name of the colour map
  bool isPaletteOfModel = true;  ///< false: the settings name the palette
  bool hasLegend = true;         ///< a legend is drawn below the field
  RenderSize size{};             ///< bounds of the field

  /// True if all properties are equal.
  bool operator==(const PictureStyle&) const = default;
};

/// Meaning of the palette indices of a picture without legend and absent places.
struct IndexColors {
  ColorMap colors;
  CategoryIndices categories;  ///< without categories for a quantity
};
/// Returns the meaning of the indices of a picture, whose values are not used.
/// @throws UsageError if names and colours do not fit together
IndexColors indexColors(const Picture& picture, const PictureStyle& style);

/// Draws a picture. If a world of categories is reduced to fewer pixels, a pixel has a colour
/// between two categories of its block: see CategoryPalette::render.
/// @param note text at the right of the legend; left out if there is no room
/// @throws UsageError if the numbers of values, names and colours do not fit together, or a value
/// is no category
MASS_EXPORT PalettePicture drawPicture(const Picture& picture, const PictureStyle& style,
                                       const std::string& note);

}  // namespace detail
}  // namespace mass
