#pragma once

#include <mass/io/picture.hpp>
#include <mass/memory/field_image.hpp>
#include <mass/model/engine.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mass::detail {

/// Attribute of 2-D or 3-D places that pictures show. All ranks call its functions together.
class MASS_EXPORT PictureField {
 public:
  /// @param attribute name of an attribute that is a number
  /// @param style a picture without values: bounds, categories, colours, unit
  PictureField(std::shared_ptr<PlacesState> places, std::string attribute, Picture style);

  /// Number of places along each axis.
  std::vector<std::int64_t> shape() const;
  /// Returns the picture of a plane without its values. @param across see FieldPlane
  Picture outline(int across = 1) const;
  /// Returns the picture of a plane, with the values of all of its places.
  /// @param across, at see FieldPlane
  /// @throws UsageError if only some places of a box exist, or the attribute is no number
  Picture picture(int across = 1, std::int64_t at = 0) const;
  /// Returns the value of a place of a plane.
  /// @pre the plane has this place
  float value(int across, std::int64_t at, std::int64_t row, std::int64_t column) const;
  /// Draws a part of a plane, of which the devices send the pixels only. The pixels are those that
  /// drawPicture() gives the values.
  /// @param takesMaximum true: a pixel is the maximum of its block, else the mean
  /// @return the pixels on rank 0; nothing if the devices cannot draw it
  std::optional<PalettePicture> draw(const FieldPlane& plane, bool takesMaximum,
                                     const PictureStyle& style);

 private:
  const AttributeInfo& info() const;
  const IndexColors& colorsIn(const PictureStyle& style);
  std::vector<float> valuesOf(int across, std::int64_t at, std::int64_t row, std::int64_t rows,
                              std::int64_t column, std::int64_t columns) const;

  std::shared_ptr<PlacesState> places_;
  std::string attribute_;
  Picture style_;
  FieldImager imager_;
  /// Colours of the last style, which take longer than a picture of a GPU.
  std::optional<std::pair<PictureStyle, IndexColors>> colors_;
};

}  // namespace mass::detail
