#pragma once

#include <mass/io/color_map.hpp>
#include <mass/io/image.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mass::detail {

/// Point of a drawing: x to the right, y downwards.
struct CanvasPoint {
  double x = 0, y = 0;
};

/// Side of a text at which its point lies.
enum class Anchor { left, middle, right };

/// Surface for lines and texts.
class Canvas {
 public:
  static constexpr double textAdvance = 9;  ///< width of a character
  static constexpr double textHeight = 10;  ///< height of a capital letter, about

  virtual ~Canvas() = default;

  /// Draws a line through points with round ends; a dot if there is only one point.
  virtual void line(std::span<const CanvasPoint> points, Rgb color, double width) = 0;
  /// Draws a text in black. @param at point on its baseline
  virtual void text(CanvasPoint at, std::string_view text, Anchor anchor) = 0;
};

/// Canvas that writes Scalable Vector Graphics (SVG 1.1).
class SvgCanvas : public Canvas {
 public:
  SvgCanvas(int width, int height);

  void line(std::span<const CanvasPoint> points, Rgb color, double width) override;
  void text(CanvasPoint at, std::string_view text, Anchor anchor) override;

  /// Returns the whole file.
  std::string file() const { return elements_ + "</svg>\n"; }

 private:
  std::string elements_;
};

/// Canvas of pixels with antialiased lines. A unit is `resolution` pixels.
class RasterCanvas : public Canvas {
 public:
  static constexpr int resolution = 2;  ///< pixels per unit

  RasterCanvas(int width, int height);

  void line(std::span<const CanvasPoint> points, Rgb color, double width) override;
  void text(CanvasPoint at, std::string_view text, Anchor anchor) override;

  const RgbImage& image() const { return image_; }

 private:
  void cover(CanvasPoint from, CanvasPoint to, double radius);

  RgbImage image_;
  std::vector<float> coverage_;  ///< share of each pixel that the present line covers
};

}  // namespace mass::detail
