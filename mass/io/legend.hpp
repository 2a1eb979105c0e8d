#pragma once

#include <mass/io/image.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mass::detail {

/// Palette indices that a legend is drawn in.
struct LegendColors {
  std::uint8_t paper = 254;
  std::uint8_t ink = 255;
};

/// Legend below a field: a line with a title and a note, and below it the meaning of the colours.
/// Its size depends neither on the note nor on the values of a scale, so that the pictures of a run
/// have one size.
class Legend {
 public:
  /// @param title name and unit of the quantity
  explicit Legend(std::string title) : title_(std::move(title)) {}
  virtual ~Legend() = default;

  /// Returns a picture of `field`, centred, and the legend.
  /// @param note text at the right of the title; left out if there is no room
  Image below(const Image& field, std::string_view note, const LegendColors& colors) const;

 protected:
  /// Returns the smallest width of the part below the title, in pixels.
  virtual std::int64_t smallestWidth() const = 0;
  /// Returns the height of that part in a picture of the given width.
  virtual std::int64_t heightFor(std::int64_t width) const = 0;
  /// Draws that part. @param top its first row
  virtual void draw(Image& image, std::int64_t top, const LegendColors& colors) const = 0;

 private:
  std::string title_;
};

/// Legend of categories: a square in the colour of each, and its name, in as many lines as needed.
class CategoryLegend : public Legend {
 public:
  /// @param names names of the categories
  /// @param firstIndex palette index of the first one; those of the others follow
  CategoryLegend(std::string title, std::vector<std::string> names, std::uint8_t firstIndex = 0);

 protected:
  friend class ScaleLegend;
  std::int64_t smallestWidth() const override;
  std::int64_t heightFor(std::int64_t width) const override;
  void draw(Image& image, std::int64_t top, const LegendColors& colors) const override;

 private:
  /// Upper left corner of an entry, relative to the part below the title.
  struct Corner {
    std::int64_t x, y;
  };
  std::vector<Corner> corners(std::int64_t width) const;

  std::vector<std::string> names_;
  std::uint8_t firstIndex_;
};

/// Legend of a quantity: a bar with all colours, and the values at its ends and its middle; below
/// it the names of marks, if there are any.
class ScaleLegend : public Legend {
 public:
  /// @param lastIndex palette index of the highest value; that of the lowest is 0
  /// @param marks names of the kinds of marks over the field; their palette indices follow
  ScaleLegend(std::string title, float low, float high, std::uint8_t lastIndex,
              std::vector<std::string> marks = {});

 protected:
  std::int64_t smallestWidth() const override;
  std::int64_t heightFor(std::int64_t width) const override;
  void draw(Image& image, std::int64_t top, const LegendColors& colors) const override;

 private:
  std::array<std::string, 3> values_;  ///< at the left end, the middle and the right end
  std::uint8_t lastIndex_;
  CategoryLegend marks_;
};

}  // namespace mass::detail
