#include <mass/io/plot.hpp>

#include "../../support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace mass::detail {
namespace {

using mass::testing::contains;
using mass::testing::readBytes;
using mass::testing::TemporaryFolder;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Canvas that keeps what is drawn.
class Record : public Canvas {
 public:
  struct Line {
    std::vector<CanvasPoint> points;
    Rgb color;
    double width;
  };
  struct Text {
    CanvasPoint at;
    std::string text;
  };

  void line(std::span<const CanvasPoint> points, Rgb color, double width) override {
    lines.push_back({{points.begin(), points.end()}, color, width});
  }
  void text(CanvasPoint at, std::string_view text, Anchor) override {
    texts.push_back({at, std::string(text)});
  }

  /// Returns the lines of data, without axes, grid and samples of the legend.
  std::vector<Line> data() const {
    std::vector<Line> found;
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(found),
                 [](const Line& line) { return line.width == 2; });
    return found;
  }
  CanvasPoint positionOf(const std::string& text) const {
    const auto found = std::find_if(texts.begin(), texts.end(),
                                    [&](const Text& drawn) { return drawn.text == text; });
    if (found == texts.end()) ADD_FAILURE() << "no text '" << text << "'";
    return found == texts.end() ? CanvasPoint{} : found->at;
  }

  std::vector<Line> lines;
  std::vector<Text> texts;
};

Record drawn(const Plot& plot) {
  Record record;
  draw(plot, record);
  for (const auto& line : record.lines) {
    for (const CanvasPoint& point : line.points) {
      EXPECT_TRUE(point.x >= 0 && point.x <= plotWidth) << point.x;
      EXPECT_TRUE(point.y >= 0 && point.y <= plotHeight) << point.y;
    }
  }
  return record;
}

Plot twoLines() {
  return {"program", "step", {0, 10, 20, 40}, {{"a", {0, 100, 200, 50}}, {"b", {80, 80, 80, 80}}}};
}

std::vector<std::string> textsOf(const Ticks& ticks) {
  std::vector<std::string> texts;
  for (const double position : ticks.positions()) texts.push_back(ticks.textOf(position));
  return texts;
}

TEST(Ticks, AreRoundNumbersInTheRange) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(textsOf(Ticks(0, 600, 6)), (Texts{"0", "100", "200", "300", "400", "500", "600"}));
  EXPECT_EQ(textsOf(Ticks(-0.3, 0.31, 4)), (Texts{"-0.2", "0", "0.2"}));
  EXPECT_EQ(textsOf(Ticks(0.97, 1.03, 3)), (Texts{"0.98", "1.00", "1.02"}));
  EXPECT_EQ(textsOf(Ticks(0, 3e9, 3)), (Texts{"0", "1e+09", "2e+09", "3e+09"}));
  EXPECT_EQ(textsOf(Ticks(1e-9, 4e-9, 3)), (Texts{"1e-09", "2e-09", "3e-09", "4e-09"}));
  EXPECT_EQ(textsOf(Ticks(12340000, 12350000, 2)), (Texts{"1.234e+07", "1.2345e+07", "1.235e+07"}));
}

TEST(Ticks, AreNotMoreThanAskedForAndTheirTextsDiffer) {
  for (const double high : {1.0, 1.7, 3.3, 9.99, 1234.0, 5e-13, 7e200}) {
    for (const double low : {0.0, -high, 0.9 * high, -17 * high}) {
      for (int most = 1; most <= 10; ++most) {
        const auto texts = textsOf(Ticks(low, high, most));
        EXPECT_LE(texts.size(), static_cast<std::size_t>(most) + 1) << low << " to " << high;
        EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), texts.size());
        if (most >= 5) {
          EXPECT_GE(texts.size(), 2U) << low << " to " << high;
        }
      }
    }
  }
}

TEST(DrawPlot, HasItsTextsAndLinesAtTheMarksOfTheirValues) {
  const Record plot = drawn(twoLines());
  for (const char* const text : {"program", "step", "a", "b", "200", "40"})
    (void)plot.positionOf(text);
  const auto lines = plot.data();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(lines[0].color, lines[1].color);
  ASSERT_EQ(lines[0].points.size(), 4U);
  const auto heightOf = [&](const char* mark) {
    return plot.positionOf(mark).y - Canvas::textHeight / 2;
  };
  EXPECT_NEAR(lines[0].points[1].y, heightOf("100"), 1e-9);
  EXPECT_NEAR(lines[0].points[2].y, heightOf("200"), 1e-9);
  EXPECT_LT(heightOf("200"), heightOf("100")) << "upwards";
  EXPECT_NEAR(lines[1].points[0].y, lines[1].points[3].y, 1e-9);
  EXPECT_NEAR(lines[0].points[1].x, plot.positionOf("10").x, 1e-9);
  EXPECT_NEAR(lines[0].points[3].x, plot.positionOf("40").x, 1e-9);
}

TEST(DrawPlot, LeavesAGapForValuesThatAreNotFinite) {
  Plot plot = twoLines();
  plot.lines[0].values = {5, nan, 7, std::numeric_limits<double>::infinity()};
  plot.lines[1].values = {nan, 1e301, -1e301, nan};
  const auto lines = drawn(plot).data();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].points.size(), 1U);
  EXPECT_EQ(lines[1].points.size(), 1U);
}

TEST(DrawPlot, TakesTablesOfEveryShape) {
  (void)drawn({"empty", "step", {}, {{"a", {}}}});
  (void)drawn({"one row", "step", {5}, {{"a", {3}}}});
  (void)drawn({"constant", "step", {0, 1}, {{"a", {0, 0}}, {"b", {0, 0}}}});
  (void)drawn({"nearly constant", "step", {0, 1}, {{"a", {1e15, std::nextafter(1e15, 2e15)}}}});
  (void)drawn({"largest", "step", {0, 1}, {{"a", {-1e300, 1e300}}}});
  (void)drawn({"smallest", "time (s)", {0, 5e-324}, {{"a", {0, 5e-324}}}});
  Plot many{"many", "step", {0, 1}, {}};
  for (int i = 0; i < 20; ++i)
    many.lines.push_back({"column " + std::to_string(i), {0.0, 1.0 * i}});
  const auto lines = drawn(many).data();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(lines[i].color, lines[j].color) << i << ", " << j;
  }
}

TEST(DrawPlot, KeepsTheExtremesOfALongTable) {
  constexpr std::size_t rows = 200'000;
  Plot plot{"long", "step", {}, {{"a", {}}}};
  for (std::size_t i = 0; i < rows; ++i) {
    plot.x.push_back(static_cast<double>(i));
    plot.lines[0].values.push_back(std::sin(0.01 * static_cast<double>(i)));
  }
  plot.lines[0].values[123'456] = 5;
  plot.lines[0].values[154'321] = -5;
  const auto lines = drawn(plot).data();
  ASSERT_EQ(lines.size(), 1U);
  const auto& points = lines[0].points;
  EXPECT_LE(points.size(), std::size_t{4} * plotWidth * RasterCanvas::resolution);
  const auto lower = [](const CanvasPoint& a, const CanvasPoint& b) { return a.y < b.y; };
  const auto [top, bottom] = std::minmax_element(points.begin(), points.end(), lower);
  const double width = points.back().x - points.front().x;
  EXPECT_NEAR((top->x - points.front().x) / width, 123'456.0 / rows, 1e-5);
  EXPECT_NEAR((bottom->x - points.front().x) / width, 154'321.0 / rows, 1e-5);
  EXPECT_TRUE(std::is_sorted(points.begin(), points.end(),
                             [](const auto& a, const auto& b) { return a.x < b.x; }));
}

TEST(WritePlot, WritesEqualBytesAsSvgAndPng) {
  const TemporaryFolder folder;
  writePlot(twoLines(), folder / "first.plot");
  writePlot(twoLines(), folder / "second.plot");
  EXPECT_EQ(folder.names(), (std::set<std::string>{"first.plot.png", "first.plot.svg",
                                                   "second.plot.png", "second.plot.svg"}));
  EXPECT_EQ(readBytes(folder / "first.plot.svg"), readBytes(folder / "second.plot.svg"));
  EXPECT_EQ(readBytes(folder / "first.plot.png"), readBytes(folder / "second.plot.png"));
  EXPECT_TRUE(readBytes(folder / "first.plot.svg").ends_with("</svg>\n"));
  EXPECT_TRUE(readBytes(folder / "first.plot.png").starts_with("\x89PNG"));
}

TEST(SvgCanvas, EscapesTextsAndDrawsSinglePoints) {
  SvgCanvas canvas(100, 50);
  canvas.text({1, 2}, "a<b & c>d", Anchor::right);
  const std::array<CanvasPoint, 1> dot{{{3, 4}}};
  canvas.line(dot, {255, 0, 16}, 2);
  const std::string file = canvas.file();
  EXPECT_TRUE(contains(file, "text-anchor=\"end\">a&lt;b &amp; c&gt;d</text>"));
  EXPECT_TRUE(contains(file, "stroke=\"#ff0010\""));
  EXPECT_TRUE(contains(file, "points=\"3.00,4.00 3.00,4.00\"/>"));
}

TEST(RasterCanvas, DrawsAntialiasedLines) {
  RasterCanvas canvas(20, 10);
  const auto at = [&](std::int64_t x, std::int64_t y) {
    return canvas.image().pixels.at(static_cast<std::size_t>(y * canvas.image().width + x));
  };
  EXPECT_EQ(canvas.image().width, 40);
  EXPECT_EQ(canvas.image().height, 20);
  const std::array<CanvasPoint, 3> line{{{5, 5}, {15, 5}, {5, 5}}};  // there and back
  canvas.line(line, {0, 0, 0}, 1.5);  // 3 pixels: the rows 9 and 10, and half of 8 and 11
  EXPECT_EQ(at(20, 7), (Rgb{255, 255, 255}));
  EXPECT_EQ(at(20, 8), (Rgb{128, 128, 128}));
  EXPECT_EQ(at(20, 9), (Rgb{0, 0, 0}));
  EXPECT_EQ(at(20, 10), (Rgb{0, 0, 0}));
  EXPECT_EQ(at(20, 11), (Rgb{128, 128, 128}));
  EXPECT_EQ(at(20, 12), (Rgb{255, 255, 255}));
  EXPECT_EQ(at(6, 9), (Rgb{255, 255, 255}));
  EXPECT_EQ(at(35, 9), (Rgb{255, 255, 255}));
}

TEST(RasterCanvas, CutsTextsAndLinesAtItsEdges) {
  RasterCanvas canvas(20, 10);
  const std::array<CanvasPoint, 2> line{{{-5, -5}, {25, 15}}};
  canvas.line(line, {0, 0, 0}, 3);
  canvas.text({-3, 2}, "text", Anchor::left);
  canvas.text({22, 9}, "text", Anchor::left);
  EXPECT_EQ(canvas.image().pixels.size(), 800U);
}

}  // namespace
}  // namespace mass::detail
