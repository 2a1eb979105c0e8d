#include <mass/io/canvas.hpp>

#include <mass/io/bitmap_font.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace mass::detail {
namespace {

constexpr Rgb white{255, 255, 255}, black{0, 0, 0};
constexpr int fontScale = 3;
static_assert(fontScale * BitmapFont::advance == RasterCanvas::resolution * Canvas::textAdvance);

/// Escapes the characters with a meaning in XML.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// Returns the distance of a point to the straight line from `from` to `to`, which may be equal.
double distanceTo(CanvasPoint point, CanvasPoint from, CanvasPoint to) {
  const double dx = to.x - from.x, dy = to.y - from.y, squared = dx * dx + dy * dy;
  const double along = (point.x - from.x) * dx + (point.y - from.y) * dy;
  const double share = squared > 0 ? std::clamp(along / squared, 0.0, 1.0) : 0.0;
  return std::hypot(point.x - from.x - share * dx, point.y - from.y - share * dy);
}

std::uint8_t mixed(std::uint8_t below, std::uint8_t above, float share) {
  const auto from = static_cast<float>(below), to = static_cast<float>(above);
  return static_cast<std::uint8_t>(std::lround(from + (to - from) * share));
}

}  // namespace

SvgCanvas::SvgCanvas(int width, int height)
    : elements_(
          fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                      "viewBox=\"0 0 {0} {1}\" font-family=\"monospace\" font-size=\"15\">\n"
                      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
                      width, height)) {}

void SvgCanvas::line(std::span<const CanvasPoint> points, Rgb color, double width) {
  if (points.empty()) return;
  elements_ += fmt::format(
      "<polyline fill=\"none\" stroke=\"#{:02x}{:02x}{:02x}\" stroke-width=\"{}\" "
      "stroke-linecap=\"round\" stroke-linejoin=\"round\" points=\"",
      color.red, color.green, color.blue, width);
  for (const CanvasPoint& point : points)
    elements_ += fmt::format("{:.2f},{:.2f} ", point.x, point.y);
  // A line of one point needs a second one to be drawn.
  if (points.size() == 1)
    elements_ += fmt::format("{:.2f},{:.2f} ", points.front().x, points.front().y);
  elements_.back() = '"';
  elements_ += "/>\n";
}

void SvgCanvas::text(CanvasPoint at, std::string_view text, Anchor anchor) {
  const std::string_view position = anchor == Anchor::left     ? "start"
                                    : anchor == Anchor::middle ? "middle"
                                                               : "end";
  elements_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}</text>\n", at.x,
                           at.y, position, escaped(text));
}

RasterCanvas::RasterCanvas(int width, int height)
    : image_{std::int64_t{resolution} * width, std::int64_t{resolution} * height, {}} {
  const auto pixels = static_cast<std::size_t>(image_.width * image_.height);
  image_.pixels.assign(pixels, white);
  coverage_.assign(pixels, 0);
}

void RasterCanvas::line(std::span<const CanvasPoint> points, Rgb color, double width) {
  const auto pixel = [](CanvasPoint at) {
    return CanvasPoint{at.x * resolution, at.y * resolution};
  };
  for (std::size_t i = 0; i < points.size(); ++i)
    cover(pixel(points[i == 0 ? 0 : i - 1]), pixel(points[i]), width * resolution / 2);
  for (std::size_t i = 0; i < coverage_.size(); ++i) {
    if (coverage_[i] == 0) continue;
    Rgb& at = image_.pixels[i];
    at = {mixed(at.red, color.red, coverage_[i]), mixed(at.green, color.green, coverage_[i]),
          mixed(at.blue, color.blue, coverage_[i])};
    coverage_[i] = 0;
  }
}

/// Adds a piece of a line to `coverage_`. Pieces of one line do not add up where they overlap.
/// @param radius half of the line's width, in pixels
void RasterCanvas::cover(CanvasPoint from, CanvasPoint to, double radius) {
  const auto first = [&](double a, double b) {
    return std::max<std::int64_t>(std::llround(std::min(a, b) - radius) - 1, 0);
  };
  const auto end = [&](double a, double b, std::int64_t size) {
    return std::min<std::int64_t>(std::llround(std::max(a, b) + radius) + 1, size);
  };
  for (std::int64_t y = first(from.y, to.y); y < end(from.y, to.y, image_.height); ++y) {
    for (std::int64_t x = first(from.x, to.x); x < end(from.x, to.x, image_.width); ++x) {
      const CanvasPoint middle{static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5};
      const double covered = std::clamp(radius + 0.5 - distanceTo(middle, from, to), 0.0, 1.0);
      float& share = coverage_[static_cast<std::size_t>(y * image_.width + x)];
      share = std::max(share, static_cast<float>(covered));
    }
  }
}

void RasterCanvas::text(CanvasPoint at, std::string_view text, Anchor anchor) {
  const BitmapFont font(fontScale);
  const std::int64_t width = font.widthOf(text);
  const std::int64_t left =
      std::llround(at.x * resolution) - (anchor == Anchor::left     ? 0
                                         : anchor == Anchor::middle ? width / 2
                                                                    : width);
  const std::int64_t top = std::llround(at.y * resolution) - fontScale * (BitmapFont::height - 1);
  font.draw(text, [&](std::int64_t dx, std::int64_t dy) {
    const std::int64_t x = left + dx, y = top + dy;
    if (x < 0 || x >= image_.width || y < 0 || y >= image_.height) return;
    image_.pixels[static_cast<std::size_t>(y * image_.width + x)] = black;
  });
}

}  // namespace mass::detail
