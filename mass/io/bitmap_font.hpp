#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace mass::detail {

/// Font of fixed width with glyphs of 5 x 7 pixels and one more row for descenders: printable ASCII
/// and the signs of units, such as µ, ·, ² and ⁻¹. A character without a glyph is drawn as a box.
class BitmapFont {
 public:
  static constexpr std::int64_t advance = 6;  ///< from one character to the next, in pixels
  static constexpr std::int64_t height = 8;   ///< in pixels, descenders included

  /// Creates a font whose pixels are squares of `scale` x `scale` pixels of the picture.
  /// @param scale at least 1
  explicit BitmapFont(std::int64_t scale) : scale_(scale) {}

  /// Returns the width of a text in pixels of the picture.
  std::int64_t widthOf(std::string_view text) const;
  /// Returns the height of a line in pixels of the picture.
  std::int64_t lineHeight() const { return scale_ * height; }

  /// Calls `set` for each pixel of a text, relative to its upper left corner.
  /// @param text UTF-8
  void draw(std::string_view text,
            const std::function<void(std::int64_t x, std::int64_t y)>& set) const;

 private:
  std::int64_t scale_;
};

}  // namespace mass::detail
