// Surfaces from STL files: files accepted and rejected, and the cells inside, against formulas and
// against winding numbers from solid angles.
#include <apps/lbm/case/stl_surface.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mass/mass.hpp>
#include <tests/support/temporary_folder.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <numbers>
#include <optional>
#include <random>

namespace lbm {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;
using mass::testing::TemporaryFolder;
using mass::testing::writeBytes;
using std::numbers::pi;

using Triangles = std::vector<std::array<Point, 3>>;
using Shape = std::array<std::int64_t, 3>;

/// Triangle mesh: vertices, and triangles as indices of vertices.
struct Body {
  std::vector<Point> corners;
  std::vector<std::array<std::size_t, 3>> faces;

  Triangles triangles() const {
    Triangles all;
    for (const auto& [a, b, c] : faces) all.push_back({corners[a], corners[b], corners[c]});
    return all;
  }
};

Triangles box(const Point& low, const Point& high) {
  Body body;
  for (std::size_t i = 0; i < 8; ++i) {
    body.corners.push_back({(i & 1U) != 0 ? high[0] : low[0], (i & 2U) != 0 ? high[1] : low[1],
                            (i & 4U) != 0 ? high[2] : low[2]});
  }
  body.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return body.triangles();
}

Triangles cube(double low, double high) {
  return box({low, low, low}, {high, high, high});
}

Body octahedron(const Point& center, double radius) {
  Body body;
  for (std::size_t i = 0; i < 6; ++i) {
    Point corner = center;
    corner[i / 2] += i % 2 == 0 ? radius : -radius;
    body.corners.push_back(corner);
  }
  for (std::size_t i = 0; i < 8; ++i) {
    const std::size_t x = i & 1U, y = 2 + (i >> 1U & 1U), z = 4 + (i >> 2U & 1U);
    body.faces.push_back({x, y, z});
    if (std::popcount(i) % 2 == 1) std::swap(body.faces.back()[1], body.faces.back()[2]);
  }
  return body;
}

/// Sphere: an octahedron whose triangles are repeatedly divided into four, vertices projected onto
/// the sphere.
Body sphere(const Point& center, double radius, int times) {
  Body body = octahedron({}, 1);
  for (; times > 0; --times) {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> middles;
    const auto middle = [&](std::size_t a, std::size_t b) {
      const auto [found, isNew] = middles.try_emplace(std::minmax(a, b), body.corners.size());
      const Point &from = body.corners[a], &to = body.corners[b];
      Point half{from[0] + to[0], from[1] + to[1], from[2] + to[2]};
      const double length = std::hypot(half[0], half[1], half[2]);
      for (double& value : half) value /= length;
      if (isNew) body.corners.push_back(half);
      return found->second;
    };
    for (const auto& [a, b, c] : std::exchange(body.faces, {})) {
      const std::size_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const auto& face : {std::array{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}})
        body.faces.push_back(face);
    }
  }
  for (Point& corner : body.corners)
    for (std::size_t i = 0; i < 3; ++i) corner[i] = center[i] + radius * corner[i];
  return body;
}

Triangles turnedOver(Triangles triangles) {
  for (auto& triangle : triangles) std::swap(triangle[1], triangle[2]);
  return triangles;
}

Triangles both(Triangles a, const Triangles& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void append(std::string& bytes, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFFU);
}

std::string binary(const Triangles& triangles, std::string header = "made by a test") {
  header.resize(80, ' ');
  append(header, static_cast<std::uint32_t>(triangles.size()));
  for (const auto& triangle : triangles) {
    header.append(12, '\0');
    for (const Point& corner : triangle)
      for (const double value : corner)
        append(header, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    header.append(2, '\0');
  }
  return header;
}

std::string ascii(const Triangles& triangles) {
  std::string text = "solid of a test\n";
  for (const auto& triangle : triangles) {
    text += "  facet normal 0 0 0\n    outer loop\n";
    for (const auto& [x, y, z] : triangle) text += fmt::format("      vertex {} {} {}\n", x, y, z);
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid of a test\n";
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// @param cell edge of a cell, which limits the distance of vertices that are merged
StlSurface surfaceOf(std::string_view bytes, double cell = unlimited) {
  const TemporaryFolder folder;
  writeBytes(folder / "body.stl", bytes);
  return StlSurface::load(folder / "body.stl", cell);
}

std::string refusalOf(std::string_view bytes, double cell = unlimited) {
  return messageOf<mass::InputError>([&] { surfaceOf(bytes, cell); });
}

/// Returns the notes on a file, separated by "; ".
std::string notesOn(std::string_view bytes) {
  const StlSurface surface = surfaceOf(bytes);
  return fmt::format("{}", fmt::join(surface.notes(), "; "));
}

/// Compares each cell with the expectation at its centre, unless that is empty.
void expectInside(const StlSurface& surface, const Shape& shape, double spacing,
                  const std::function<std::optional<bool>(const Point&)>& expected) {
  const std::vector<bool> cells = surface.inside(shape, spacing);
  ASSERT_EQ(std::ssize(cells), shape[0] * shape[1] * shape[2]);
  int wrong = 0;
  for (std::int64_t n = 0; n < std::ssize(cells); ++n) {
    const Shape at{n % shape[0], n / shape[0] % shape[1], n / shape[0] / shape[1]};
    Point center{};
    for (std::size_t i = 0; i < 3; ++i) center[i] = (static_cast<double>(at[i]) + 0.5) * spacing;
    const bool found = cells[static_cast<std::size_t>(n)];
    if (expected(center).value_or(found) == found) continue;
    if (++wrong < 5)
      ADD_FAILURE() << "cell " << ::testing::PrintToString(at) << " is "
                    << (found ? "inside" : "outside");
  }
  EXPECT_EQ(wrong, 0);
}

std::function<bool(const Point&)> inBox(const Point& low, const Point& high) {
  return [=](const Point& at) {
    for (std::size_t i = 0; i < 3; ++i)
      if (!(low[i] <= at[i] && at[i] < high[i])) return false;
    return true;
  };
}

/// Returns the winding number of the triangles around a point, from their solid angles (Van
/// Oosterom and Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125); NaN for a point on a triangle.
double windingOf(const Triangles& triangles, const Point& at) {
  double sum = 0;
  for (auto [a, b, c] : triangles) {
    for (Point* const corner : {&a, &b, &c})
      for (std::size_t i = 0; i < 3; ++i) (*corner)[i] -= at[i];
    const auto dot = [](const Point& u, const Point& v) {
      return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    };
    const auto length = [](const Point& u) { return std::hypot(u[0], u[1], u[2]); };
    const double determinant = a[0] * (b[1] * c[2] - b[2] * c[1]) +
                               a[1] * (b[2] * c[0] - b[0] * c[2]) +
                               a[2] * (b[0] * c[1] - b[1] * c[0]);
    const double denominator = length(a) * length(b) * length(c) + dot(a, b) * length(c) +
                               dot(b, c) * length(a) + dot(c, a) * length(b);
    if (std::abs(determinant) < 1e-9 && denominator < 1e-9) return std::nan("");
    sum += 2 * std::atan2(determinant, denominator);
  }
  return sum / (4 * pi);
}

TEST(StlSurface, readsACubeAsTextAndAsBinary) {
  const Triangles triangles = box({1, 2, 3}, {5, 5.5, 8});
  for (const std::string& bytes : {ascii(triangles), binary(triangles)}) {
    const StlSurface surface = surfaceOf(bytes);
    EXPECT_EQ(surface.triangles(), 12U);
    EXPECT_EQ(surface.bounds().low, (Point{1, 2, 3}));
    EXPECT_EQ(surface.bounds().high, (Point{5, 5.5, 8}));
    EXPECT_DOUBLE_EQ(surface.volume(), 4 * 3.5 * 5);
    expectInside(surface, {7, 8, 11}, 1, inBox({1, 2, 3}, {5, 5.5, 8}));
    expectInside(surface, {14, 16, 22}, 0.45, inBox({1, 2, 3}, {5, 5.5, 8}));
  }
}

TEST(StlSurface, readsTextInTheWaysThatProgramsWriteIt) {
  const std::string plain = ascii(cube(1, 3));
  const std::vector<std::string> texts{
      replaced(plain, "\n", "\r\n"),
      replaced(plain, "\n", " \t\n\n"),
      replaced(plain, "\n", "\r"),
      "\xEF\xBB\xBF\n\n" + plain,
      replaced(replaced(plain, "facet", "FACET"), "vertex", "Vertex"),
      replaced(replaced(plain, "solid", "SOLID"), "endSOLID of a test\n", "EndSolid"),
      replaced(plain, "of a test", ""),
      replaced(plain, "of a test", "facet normal"),
      replaced(plain, "normal 0 0 0", "normal nan -inf 1.#IND"),
      replaced(replaced(plain, " 1", " +1.000e+00"), " 3", " 30E-1"),
      replaced(replaced(plain, "\n    ", " "), "\n", "\v")
          .replace(15, 1, "\n"),  // everything but the name in one line
  };
  for (const std::string& text : texts) {
    const StlSurface surface = surfaceOf(text);
    EXPECT_EQ(surface.triangles(), 12U) << text;
    EXPECT_DOUBLE_EQ(surface.volume(), 8) << text;
  }
}

TEST(StlSurface, readsSeveralSolids) {
  const StlSurface surface = surfaceOf(ascii(cube(1, 3)) + "\n" + ascii(cube(4, 5)));
  EXPECT_EQ(surface.triangles(), 24U);
  EXPECT_DOUBLE_EQ(surface.volume(), 9);
}

TEST(StlSurface, takesABinaryFileThatBeginsWithSolidForOne) {
  const std::string bytes = binary(cube(1, 3), "solid cube\nfacet normal 0 0 1\n");
  EXPECT_DOUBLE_EQ(surfaceOf(bytes).volume(), 8);
  EXPECT_TRUE(contains(refusalOf(bytes.substr(0, 200)), "684 bytes, not 200"));
}

TEST(StlSurface, readsTheFullRangeOfNumbers) {
  const double tiny = 1e-42, large = 3e38;  // tiny is subnormal as a float
  for (const double size : {tiny, large}) {
    EXPECT_EQ(surfaceOf(binary(cube(0, size))).bounds().high[1],
              static_cast<double>(static_cast<float>(size)));
    EXPECT_EQ(surfaceOf(ascii(cube(0, size))).bounds().high[1], size);
    EXPECT_NEAR(surfaceOf(ascii(cube(-size, size))).volume() / (8 * std::pow(size, 3)), 1, 1e-9);
  }
}

TEST(StlSurface, leavesOutTrianglesWithEqualCorners) {
  const Triangles extra{{Point{1, 1, 1}, {1, 1, 1}, {3, 3, 3}},
                        {Point{7, 7, 7}, {7, 7, 7}, {7, 7, 7}}};
  const StlSurface surface = surfaceOf(binary(both(cube(1, 3), extra)));
  EXPECT_EQ(surface.triangles(), 12U);
  EXPECT_EQ(surface.bounds().high, (Point{3, 3, 3}));
}

TEST(StlSurface, takesZeroAndMinusZeroForOneCorner) {
  Triangles triangles = cube(0, 2);
  for (Point& corner : triangles.front()) {
    for (double& value : corner)
      if (value == 0) value = -0.0;
  }
  EXPECT_DOUBLE_EQ(surfaceOf(binary(triangles)).volume(), 8);
}

TEST(StlSurface, isClosedByATriangleWithoutAnArea) {
  // The long edge of one triangle coincides with two edges of others, as at the border between a
  // coarse and a fine mesh.
  const Point a{0.1, 0.2, 0.3}, b{6.1, 0.7, 0.4}, c{0.3, 5.9, 0.2}, d{0.7, 0.4, 6.3};
  Point m{};
  for (std::size_t i = 0; i < 3; ++i) m[i] = a[i] + (b[i] - a[i]) / 4;
  const Triangles split{{a, c, b}, {a, m, d}, {m, b, d}, {b, c, d}, {a, d, c}};
  EXPECT_TRUE(contains(refusalOf(ascii(split)), "3 of its edges"));
  const StlSurface surface = surfaceOf(ascii(both(split, {{a, b, m}})));
  const StlSurface whole = surfaceOf(ascii({{a, c, b}, {a, b, d}, {b, c, d}, {a, d, c}}));
  EXPECT_EQ(surface.inside({70, 70, 70}, 0.1), whole.inside({70, 70, 70}, 0.1));
}

TEST(StlSurface, fillsASphereBetterWithSmallerCells) {
  const Point center{1.03, 0.98, 1.01};
  const double radius = 0.7, volume = 4 * pi / 3 * std::pow(radius, 3);
  const StlSurface surface = surfaceOf(binary(sphere(center, radius, 6).triangles()));
  EXPECT_EQ(surface.triangles(), 8U * 4096U);
  EXPECT_NEAR(surface.volume() / volume, 1, 1e-3);
  const std::map<std::int64_t, double> tolerances{{5, 0.05}, {20, 0.01}, {60, 0.002}};
  for (const auto& [cells, tolerance] : tolerances) {
    const double spacing = radius / static_cast<double>(cells);
    const Shape shape{3 * cells, 3 * cells, 3 * cells};
    const auto inside = surface.inside(shape, spacing);
    const auto count = static_cast<double>(std::count(inside.begin(), inside.end(), true));
    EXPECT_NEAR(count * std::pow(spacing, 3) / volume, 1, tolerance) << cells;
    expectInside(surface, shape, spacing, [&](const Point& at) -> std::optional<bool> {
      const double from =
          std::hypot(at[0] - center[0], at[1] - center[1], at[2] - center[2]) / radius;
      if (from > 0.999 && from < 1.001) return {};
      return from < 1;
    });
  }
}

TEST(StlSurface, holdsTheCentersFromLowToBelowHigh) {
  // All faces, edges and vertices, and the diagonals of faces, pass through centres.
  for (const double spacing : {1.0, 0.1, 1.0 / 3}) {
    const auto center = [&](int i) { return (i + 0.5) * spacing; };
    const Triangles triangles = cube(center(2), center(7));
    expectInside(surfaceOf(ascii(triangles)), {10, 10, 10}, spacing,
                 inBox({center(2), center(2), center(2)}, {center(7), center(7), center(7)}));
    expectInside(surfaceOf(ascii(turnedOver(triangles))), {10, 10, 10}, spacing,
                 inBox({center(2), center(2), center(2)}, {center(7), center(7), center(7)}));
  }
}

TEST(StlSurface, hasNoStrayCellsWhereLinesMeetCornersAndEdges) {
  for (const double spacing : {1.0, 0.1, 1.0 / 3}) {
    const double middle = 8.5 * spacing, radius = 6 * spacing;
    const Body body = octahedron({middle, middle, middle}, radius);
    expectInside(surfaceOf(ascii(body.triangles())), {17, 17, 17}, spacing,
                 [&](const Point& at) -> std::optional<bool> {
                   double from = 0;
                   for (const double value : at) from += std::abs(value - middle);
                   if (std::abs(from - radius) < 1e-9) return {};
                   return from < radius;
                 });
  }
}

TEST(StlSurface, agreesWithSolidAnglesForCornersOnCentersAtRandom) {
  // Random vertices on quarters of cells: triangles without area, folds, self-intersections, and
  // lines through vertices and along edges and faces.
  std::mt19937 random(20);
  for (int trial = 0; trial < 40; ++trial) {
    Body body = sphere({}, 1, 2);
    for (Point& corner : body.corners) {
      const double radius = 1 + 5 * static_cast<double>(random() % 1000) / 1000;
      for (double& value : corner) value = 6.5 + std::round(value * radius * 4) / 4;
    }
    const Triangles triangles = body.triangles();
    expectInside(surfaceOf(ascii(triangles)), {13, 13, 13}, 1,
                 [&](const Point& at) -> std::optional<bool> {
                   const double winding = windingOf(triangles, at);
                   if (std::isnan(winding)) return {};
                   EXPECT_NEAR(winding, std::round(winding), 1e-6);
                   return std::round(winding) != 0;
                 });
    if (HasFailure()) FAIL() << "in trial " << trial;
  }
}

TEST(StlSurface, unitesBodiesThatOverlap) {
  const StlSurface surface = surfaceOf(binary(both(cube(1, 5), cube(3, 8))));
  const auto first = inBox({1, 1, 1}, {5, 5, 5}), second = inBox({3, 3, 3}, {8, 8, 8});
  expectInside(surface, {10, 10, 10}, 1, [&](const Point& at) { return first(at) || second(at); });
}

TEST(StlSurface, sharesNoCellBetweenBodiesThatTouch) {
  // Their common face passes through centres.
  const Triangles low = box({1, 1, 1}, {3.5, 5, 5}), high = box({3.5, 1, 1}, {6, 5, 5});
  const auto first = surfaceOf(binary(low)).inside({8, 8, 8}, 1);
  const auto second = surfaceOf(binary(high)).inside({8, 8, 8}, 1);
  const auto united = surfaceOf(binary(both(low, high))).inside({8, 8, 8}, 1);
  for (std::size_t i = 0; i < united.size(); ++i) {
    EXPECT_FALSE(first[i] && second[i]);
    EXPECT_EQ(united[i], first[i] || second[i]);
  }
}

TEST(StlSurface, hasHollowsWhereABodyWithinIsTurnedOver) {
  const StlSurface surface = surfaceOf(binary(both(cube(1, 8), turnedOver(cube(3, 5)))));
  EXPECT_DOUBLE_EQ(surface.volume(), 343 - 8);
  const auto outer = inBox({1, 1, 1}, {8, 8, 8}), hollow = inBox({3, 3, 3}, {5, 5, 5});
  expectInside(surface, {10, 10, 10}, 1, [&](const Point& at) { return outer(at) && !hollow(at); });
}

TEST(StlSurface, mayReachBeyondTheGrid) {
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{
           {-5, 5}, {3, 20}, {-5, 20}, {-1e30, 1e30}, {20, 30}, {-9, -1}, {8, 9}}) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Point from{2, 2, 2}, to{6, 6, 6};
      from[axis] = low;
      to[axis] = high;
      expectInside(surfaceOf(ascii(box(from, to))), {8, 8, 8}, 1, inBox(from, to));
    }
  }
}

TEST(StlSurface, fillsGridsOfOneCellOrLine) {
  const StlSurface surface = surfaceOf(ascii(cube(-1, 2)));
  EXPECT_EQ(surface.inside({1, 1, 1}, 1), std::vector<bool>{true});
  EXPECT_EQ(surface.inside({3, 1, 1}, 1), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(surface.inside({1, 3, 1}, 1), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(surface.inside({1, 1, 3}, 1), (std::vector<bool>{true, true, false}));
}

TEST(StlSurface, isScaledAndThenMoved) {
  const StlSurface surface = surfaceOf(binary(box({1, 1, 1}, {2, 3, 4}))).placed(0.5, {1, 2, 3});
  EXPECT_EQ(surface.bounds().low, (Point{1.5, 2.5, 3.5}));
  EXPECT_EQ(surface.bounds().high, (Point{2, 3.5, 5}));
  EXPECT_NEAR(surface.volume(), 6.0 / 8, 1e-12);
  EXPECT_EQ(surface.triangles(), 12U);
}

TEST(StlSurface, refusesPlacesAndGridsThatAreNone) {
  const StlSurface surface = surfaceOf(binary(cube(1, 2)));
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for (const double scale : {0.0, -1.0, nan, infinity})
    EXPECT_THROW(surface.placed(scale, {}), mass::UsageError) << scale;
  EXPECT_THROW(surface.placed(1, {0, nan, 0}), mass::UsageError);
  EXPECT_THROW(surface.inside({1, 0, 1}, 1), mass::UsageError);
  EXPECT_THROW(surface.inside({1, 1, -1}, 1), mass::UsageError);
  for (const double spacing : {0.0, -1.0, nan})
    EXPECT_THROW(surface.inside({1, 1, 1}, spacing), mass::UsageError) << spacing;
}

TEST(StlSurface, refusesWhatIsNoFile) {
  const TemporaryFolder folder;
  const auto refusal = [](const std::filesystem::path& file) {
    const std::string message = messageOf<mass::InputError>([&] { StlSurface::load(file); });
    EXPECT_TRUE(contains(message, file.string()));
    return message;
  };
  EXPECT_TRUE(contains(refusal(folder / "none.stl"), "No such file"));
  EXPECT_TRUE(contains(refusal(folder.path()), "it is a folder"));
  EXPECT_TRUE(contains(refusal("/dev/zero"), "it is no file"));
}

TEST(StlSurface, refusesFilesThatMayNotBeRead) {
  const TemporaryFolder folder;
  const auto file = folder / "body.stl";
  writeBytes(file, binary(cube(1, 2)));
  std::filesystem::permissions(file, std::filesystem::perms::none);
  if (std::ifstream(file)) GTEST_SKIP() << "this user has permission to read every file";
  EXPECT_TRUE(contains(messageOf<mass::InputError>([&] { StlSurface::load(file); }),
                       "Permission denied; name an STL file"));
}

TEST(StlSurface, refusesWhatIsNotStlAndSaysWhy) {
  const std::string text = ascii(cube(1, 3)), bytes = binary(cube(1, 3));
  EXPECT_TRUE(contains(refusalOf(""), "it is empty"));
  EXPECT_TRUE(contains(refusalOf("a short text"), "12 bytes too short"));
  EXPECT_TRUE(contains(refusalOf(std::string(100, 'x')), "no text that begins with 'solid'"));
  EXPECT_TRUE(contains(refusalOf(bytes.substr(0, 683)), "684 bytes, not 683"));
  EXPECT_TRUE(contains(refusalOf(bytes.substr(0, 40)), "40 bytes too short"));
  EXPECT_TRUE(contains(refusalOf(replaced(text, "outer", std::string("\0", 1))), "no STL file"));
  EXPECT_TRUE(contains(refusalOf("solid"), ".stl:1: the text ends where 'facet' or 'endsolid'"));
  EXPECT_TRUE(contains(refusalOf(text.substr(0, 70)), ".stl:4: the text ends where"));
  EXPECT_TRUE(contains(refusalOf(text.substr(0, text.find("endsolid"))), "is it cut off?"));
  EXPECT_TRUE(contains(refusalOf(replaced(text, "outer", "inner")),
                       ".stl:3: 'outer' was expected, not 'inner'"));
  EXPECT_TRUE(contains(refusalOf(replaced(text, "    endloop", "vertex 1 2 3\nendloop")),
                       ".stl:7: 'endloop' was expected, not 'vertex'"));
  EXPECT_TRUE(contains(refusalOf(text + "more\nfacet"), ".stl:87: 'solid' was expected"));
  EXPECT_TRUE(contains(refusalOf("solids\n"), ".stl:1: 'solid' was expected"));
}

TEST(StlSurface, refusesNumbersThatAreNone) {
  const std::string text = ascii(cube(1, 3));
  for (const std::string word :
       {"nan", "inf", "-inf", "1,5", "1.5x", "0x10", "--1", "+-1", "+", "1e39", "1e999", "one"}) {
    EXPECT_TRUE(contains(
        refusalOf(replaced(text, "vertex 1", "vertex " + word)),
        fmt::format(".stl:4: a coordinate was expected, as 1.5 or -2e-3, not '{}'", word)));
  }
  EXPECT_TRUE(contains(refusalOf(replaced(text, "vertex 1", "vertex 1e39")),
                       "not '1e39', which is too large for a float (at most 3.4e38)"));
  EXPECT_TRUE(
      contains(refusalOf(replaced(text, "vertex 1", "vertex \x01\xFF" + std::string(99, 'x'))),
               "not '??" + std::string(38, 'x') + "'"));
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Triangles triangles = cube(1, 3);
    triangles[2][1][1] = value;
    EXPECT_TRUE(contains(refusalOf(binary(triangles)),
                         "triangle 3 of 12 has a coordinate that is not finite"));
  }
}

TEST(StlSurface, refusesSurfacesWithoutAnArea) {
  const Point a{1, 1, 1}, b{2, 2, 2}, c{3, 3, 3};
  for (const Triangles& triangles : {Triangles{}, {{a, a, b}}, {{a, b, c}, {a, c, b}}}) {
    EXPECT_TRUE(contains(refusalOf(ascii(triangles)), "no triangle with an area"));
    EXPECT_TRUE(contains(refusalOf(binary(triangles)), "no triangle with an area"));
  }
}

TEST(StlSurface, refusesSurfacesThatAreNotClosed) {
  const Triangles whole = cube(1, 3);
  Triangles hole = whole;
  hole.erase(hole.begin());  // the triangle of vertices 0, 2 and 1
  const std::string message = refusalOf(binary(hole));
  EXPECT_TRUE(contains(message, "3 of its edges"));
  EXPECT_TRUE(contains(message, "(1, 3, 1)"));
  Triangles over = whole;
  std::swap(over[5][0], over[5][1]);
  EXPECT_TRUE(contains(refusalOf(ascii(over)), "3 of its edges"));
  Triangles doubled = whole;
  doubled.push_back(whole[3]);
  EXPECT_TRUE(contains(refusalOf(ascii(doubled)), "3 of its edges"));
  Triangles moved = whole;
  moved[0][0][0] = 1.001;
  EXPECT_TRUE(contains(refusalOf(binary(moved)), "4 of its edges"));
  // Two bodies that share an edge are closed.
  EXPECT_EQ(surfaceOf(ascii(both(cube(1, 3), box({3, 3, 1}, {5, 5, 3})))).triangles(), 24U);
}

/// Returns `triangles` with each coordinate moved by up to `noise`, at random.
Triangles noisy(Triangles triangles, double noise, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> share(-1, 1);
  for (auto& triangle : triangles)
    for (Point& corner : triangle)
      for (double& value : corner) value += noise * share(random);
  return triangles;
}

Triangles moved(Triangles triangles, double by) {
  for (auto& triangle : triangles)
    for (Point& corner : triangle)
      for (double& value : corner) value += by;
  return triangles;
}

TEST(StlSurface, mergesVerticesThatDifferByRounding) {
  // A cube whose zeros are 0, 2.4e-18 or -5.7e-17, as written by a CAD program.
  Triangles triangles = cube(0, 1);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const double zero = std::array{0.0, 2.4e-18, -5.7e-17}[i % 3];
    for (Point& corner : triangles[i])
      for (double& value : corner) value = value == 0 ? zero : value;
  }
  const StlSurface surface = surfaceOf(binary(triangles)).placed(0.5, {0.25, 0.25, 0.25});
  EXPECT_EQ(surface.triangles(), 12U);
  expectInside(surface, {16, 16, 16}, 1.0 / 16, inBox({0.25, 0.25, 0.25}, {0.75, 0.75, 0.75}));
  EXPECT_TRUE(contains(notesOn(binary(triangles)), "vertices that differ by rounding were merged"));
  EXPECT_EQ(notesOn(binary(cube(0, 1))), "");
}

TEST(StlSurface, mergesVerticesAtAllScalesAndOffsets) {
  const Triangles body = sphere({}, 1, 3).triangles();
  for (const double scale : {1e-30, 1e-3, 1.0, 25.4, 1e6, 1e30}) {
    Triangles scaled = body;
    for (auto& triangle : scaled)
      for (Point& corner : triangle)
        for (double& value : corner) value *= scale;
    for (const double noise : {1e-17, 1e-12, 1e-9, 1e-7, 1e-6, 3e-6}) {
      const StlSurface surface = surfaceOf(binary(noisy(scaled, noise * scale)));
      EXPECT_EQ(surface.triangles(), 512U) << scale << ", " << noise;
      EXPECT_NEAR(surface.volume() / (scale * scale * scale), 3.99, 0.2) << scale << ", " << noise;
    }
  }
  // Far from the origin floats are coarse: 0.001 at 1e4.
  for (const double offset : {1.0, -100.0, 1e4, -3e5}) {
    const double spacing = std::abs(offset) * 0x1p-23;
    const StlSurface surface = surfaceOf(binary(noisy(moved(cube(-1, 1), offset), spacing)));
    EXPECT_EQ(surface.triangles(), 12U) << offset;
    EXPECT_NEAR(surface.volume(), 8, 10 * spacing * 24) << offset;
  }
}

TEST(StlSurface, mergesVerticesWithinTheDigitsOfAText) {
  const Triangles body = moved(sphere({}, 1, 3).triangles(), 20);
  const auto written = [&](const auto& write) {
    std::string text = "solid\n";
    for (const auto& triangle : noisy(body, 2e-5)) {
      text += "facet normal 0 0 0 outer loop\n";
      for (const Point& corner : triangle) {
        text += "vertex";
        for (const double value : corner) text += " " + write(value);
        text += "\n";
      }
      text += "endloop endfacet\n";
    }
    return text + "endsolid\n";
  };
  for (const std::string& text :
       {written([](double value) { return fmt::format("{:.4f}", value); }),
        written([](double value) { return fmt::format("{:.5e}", value); }),
        written([](double value) { return fmt::format("{:.6g}", value); })})
    EXPECT_EQ(surfaceOf(text).triangles(), 512U) << text.substr(0, 200);
  // Digits that are finer than the noise show that the vertices differ.
  EXPECT_TRUE(contains(refusalOf(written([](double value) { return fmt::format("{}", value); })),
                       "it is not closed"));
}

TEST(StlSurface, mergesVerticesInAnyOrderOfTriangles) {
  Triangles triangles = noisy(sphere({2, 2, 2}, 1.5, 3).triangles(), 1e-6);
  const auto first = surfaceOf(binary(triangles));
  const auto cells = first.inside({40, 40, 40}, 0.1);
  EXPECT_EQ(cells,
            surfaceOf(binary(sphere({2, 2, 2}, 1.5, 3).triangles())).inside({40, 40, 40}, 0.1));
  std::mt19937 random(5);
  for (int trial = 0; trial < 10; ++trial) {
    std::shuffle(triangles.begin(), triangles.end(), random);
    for (auto& triangle : triangles)
      std::rotate(triangle.begin(), triangle.begin() + random() % 3, triangle.end());
    const auto surface = surfaceOf(binary(triangles));
    EXPECT_EQ(surface.bounds().low, first.bounds().low);
    EXPECT_EQ(surface.bounds().high, first.bounds().high);
    EXPECT_EQ(surface.notes(), first.notes());
    EXPECT_EQ(surface.inside({40, 40, 40}, 0.1), cells);
  }
}

TEST(StlSurface, keepsDetailsSmallerThanTheLimitOfMerging) {
  // A sphere with edges of 2e-6 of the size, noise of 2e-9 of the size, beside a large cube.
  const Triangles small = sphere({0.2, 0.2, 0.2}, 2e-5, 3).triangles();
  const std::string text = ascii(both(noisy(small, 2e-9), cube(0.5, 1)));
  EXPECT_EQ(surfaceOf(text).triangles(), 512U + 12U);
}

TEST(StlSurface, mergesVerticesWithinATwentiethOfACellOnly) {
  const std::string bytes = binary(noisy(cube(0, 1), 4e-6));
  EXPECT_EQ(surfaceOf(bytes, 1e-3).triangles(), 12U);
  EXPECT_TRUE(contains(refusalOf(bytes, 1e-5), "it is not closed"));
  EXPECT_TRUE(contains(refusalOf(bytes, 1e-5), "vertices within 5e-07 were merged"));
}

TEST(StlSurface, mergesNoChainOfVerticesLongerThanTheLimit) {
  // The vertices at a corner are 4e-6 apart, those at its ends 8e-6.
  Triangles triangles = cube(0, 1);
  int number = 0;
  for (auto& triangle : triangles) {
    for (Point& corner : triangle)
      if (corner == Point{}) corner[0] = 4e-6 * (number++ % 3);
  }
  ASSERT_GE(number, 3);
  const auto outcome = [&](double cell) { return refusalOf(binary(triangles), cell); };
  EXPECT_TRUE(contains(outcome(1e-4), "vertices within 5e-06 were merged"));
  EXPECT_TRUE(contains(outcome(1.4e-4), "vertices within 7e-06 were merged"));
  EXPECT_EQ(surfaceOf(binary(triangles), 2e-4).triangles(), 12U);
}

TEST(StlSurface, endsForCornersFarFromACell) {
  // Corners are so far from the origin that adding the limit of merging, 5e-5, does not change
  // them.
  const Triangles triangles = cube(1e15, 2e15);
  const Triangles open(triangles.begin(), triangles.end() - 1);
  EXPECT_TRUE(contains(refusalOf(ascii(open), 1e-3), "it is not closed"));
}

TEST(StlSurface, refusesHolesOfAnySize) {
  // The rim of the hole has edges that are shorter than the limit of merging, or longer.
  for (const int times : {1, 2, 3, 4}) {
    Triangles triangles = sphere({}, 1, times).triangles();
    triangles.erase(triangles.begin() + 3);
    for (const double noise : {0.0, 1e-7, 1e-6})
      EXPECT_TRUE(contains(refusalOf(binary(noisy(triangles, noise))), "along 3 of its edges"));
  }
  for (const double gap : {1e-4, 1e-3, 1e-2, 0.1}) {
    Triangles triangles = cube(0, 1);
    triangles[4][1][1] -= gap;
    EXPECT_TRUE(contains(refusalOf(binary(triangles)), "it is not closed")) << gap;
    EXPECT_TRUE(contains(refusalOf(ascii(triangles)), "it is not closed")) << gap;
  }
  // A round hole with a rim of 4,000 short edges.
  Triangles disc;
  const int rim = 4000;
  const double radius = 0.001;
  for (int i = 0; i < rim; ++i) {
    const auto at = [&](int k, double r, double z) {
      const double angle = 2 * pi * (k % rim) / rim;
      return Point{r * std::cos(angle), r * std::sin(angle), z};
    };
    const Point top{0, 0, 2};
    disc.push_back({at(i, radius, 0), at(i, 1, 1), at(i + 1, 1, 1)});
    disc.push_back({at(i, radius, 0), at(i + 1, 1, 1), at(i + 1, radius, 0)});
    disc.push_back({at(i, 1, 1), top, at(i + 1, 1, 1)});
  }
  EXPECT_TRUE(contains(refusalOf(binary(disc)), "it is not closed"));
  EXPECT_TRUE(contains(refusalOf(binary(disc)), fmt::format("along {} of its edges", rim)));
}

TEST(StlSurface, printsTheEndsOfAnOpenEdgeWithAllDigits) {
  Triangles triangles = cube(0, 1);
  for (auto& triangle : triangles)
    for (Point& corner : triangle)
      for (double& value : corner) value = value * 1.2345678 + 1234.5;
  triangles.erase(triangles.begin());
  EXPECT_TRUE(contains(refusalOf(binary(triangles)),
                       "from (1235.7346, 1234.5, 1234.5) to (1234.5, 1235.7346, 1234.5)"));
  EXPECT_TRUE(contains(refusalOf(ascii(triangles)),
                       "from (1235.7345678, 1234.5, 1234.5) to (1234.5, 1235.7345678, 1234.5)"));
}

TEST(StlSurface, dropsTrianglesThatCollapse) {
  // The lower face is divided along a sliver whose short edge is a millionth of the size.
  const Point a{0, 0, 0}, b{1, 0, 0}, b2{1, 1e-6, 0}, c{0, 1, 0}, d{0, 0, 1};
  const Triangles sliver{{a, b2, b}, {a, c, b2}, {a, b, d}, {b2, c, d}, {a, d, c}};
  const StlSurface surface = surfaceOf(ascii(sliver));
  EXPECT_EQ(surface.triangles(), 4U);
  EXPECT_TRUE(contains(notesOn(ascii(sliver)),
                       "1 vertices that differ by rounding were merged "
                       "with others at most 1e-06 of its units away"));
}

TEST(StlSurface, ignoresBytesBehindTheLastTriangle) {
  const std::string text = ascii(cube(1, 3)), bytes = binary(cube(1, 3));
  for (const std::string& more :
       {std::string("\0", 1), std::string("x"), std::string(428, '\0'), std::string(50, '\0'),
        std::string(49, '\xFF'), std::string("COLOR=1"), std::string(100'000, '\0')}) {
    EXPECT_DOUBLE_EQ(surfaceOf(bytes + more).volume(), 8);
    EXPECT_EQ(
        notesOn(bytes + more),
        fmt::format("{} bytes behind the 12 triangles of its header are ignored", more.size()));
    const std::string solid = binary(cube(1, 3), "solid part by some CAD");
    EXPECT_DOUBLE_EQ(surfaceOf(solid + more).volume(), 8);
  }
  for (const std::string& more : {std::string(428, '\0'), std::string("\n\x1A\0", 3)})
    EXPECT_DOUBLE_EQ(surfaceOf(text + more).volume(), 8);
  EXPECT_DOUBLE_EQ(surfaceOf(text + "\nwritten by a program\n").volume(), 8);
  EXPECT_TRUE(contains(notesOn(text + "more"), "4 bytes behind the last 'endsolid' are ignored"));
  // Fewer triangles in the header than in the file: the rest is missed.
  std::string fewer = bytes;
  fewer[80] = 10;
  EXPECT_TRUE(contains(refusalOf(fewer), "100 bytes behind the 10 triangles of its header"));
  fewer[80] = 0;
  EXPECT_TRUE(contains(refusalOf(fewer), "600 bytes behind the 0 triangles of its header"));
}

TEST(StlSurface, turnsOverBodiesThatFaceInwards) {
  const std::string one = ": its triangles face inwards and are turned over";
  const auto notes = [](const Triangles& triangles) { return ": " + notesOn(binary(triangles)); };
  EXPECT_EQ(notes(turnedOver(cube(1, 3))), one);
  EXPECT_DOUBLE_EQ(surfaceOf(binary(turnedOver(cube(1, 3)))).volume(), 8);
  const Triangles hollow = both(cube(1, 8), turnedOver(cube(3, 5)));
  EXPECT_EQ(notes(hollow), ": ");
  EXPECT_EQ(notes(turnedOver(hollow)), one);
  EXPECT_DOUBLE_EQ(surfaceOf(binary(turnedOver(hollow))).volume(), 343 - 8);
  EXPECT_EQ(notes(turnedOver(both(cube(1, 3), cube(4, 6)))), one);
  EXPECT_EQ(notes(both(both(hollow, cube(9, 10)), turnedOver(cube(11, 12)))),
            ": 1 of its 3 separate bodies face inwards and are turned over");
  // One of two bodies that overlap.
  const StlSurface mixed = surfaceOf(binary(both(cube(1, 5), turnedOver(cube(3, 8)))));
  const auto first = inBox({1, 1, 1}, {5, 5, 5}), second = inBox({3, 3, 3}, {8, 8, 8});
  expectInside(mixed, {10, 10, 10}, 1, [&](const Point& at) { return first(at) || second(at); });
  // Some triangles of one body.
  for (const std::size_t count : {1U, 4U, 11U}) {
    Triangles some = cube(1, 3);
    for (std::size_t i = 0; i < count; ++i) std::swap(some[i][1], some[i][2]);
    EXPECT_TRUE(contains(refusalOf(binary(some)), "it is not closed"));
  }
}

TEST(StlSurface, allocatesNothingForTrianglesThatAreOnlyClaimed) {
  std::string bytes = binary(cube(1, 3));
  std::fill_n(bytes.begin() + 80, 4, '\xFF');
  EXPECT_TRUE(contains(refusalOf(bytes), "the 4294967295 triangles that it claims"));
  const TemporaryFolder folder;
  writeBytes(folder / "body.stl", bytes);
  std::error_code error;
  std::filesystem::resize_file(folder / "body.stl", 84 + 50 * std::uintmax_t{4294967295U}, error);
  if (error) GTEST_SKIP() << "cannot create a sparse file of 200 GB: " << error.message();
  EXPECT_TRUE(contains(messageOf<mass::InputError>([&] { StlSurface::load(folder / "body.stl"); }),
                       "214748364834 bytes"));
}

TEST(StlSurface, isEitherReadOrRefusedWhateverIsInTheFile) {
  const TemporaryFolder folder;
  const auto file = folder / "body.stl";
  const Triangles triangles = both(cube(1, 3), octahedron({3, 3, 3}, 2).triangles());
  std::mt19937 random(7);
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  int read = 0, refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::string bytes = trial % 2 == 0 ? binary(triangles) : ascii(triangles);
    for (std::size_t flips = below(4); flips > 0; --flips)
      bytes[below(bytes.size())] ^= static_cast<char>(1U << below(8));
    if (below(4) == 0) bytes.resize(below(bytes.size()));
    if (below(4) == 0) {
      const std::size_t from = below(bytes.size() + 1);
      bytes.erase(from, below(100))
          .insert(below(from + 1), bytes, below(bytes.size() + 1), below(100));
    }
    writeBytes(file, bytes);
    try {
      const auto cells = StlSurface::load(file).inside({9, 8, 7}, 0.75);
      EXPECT_EQ(cells.size(), 9U * 8U * 7U);
      ++read;
    } catch (const mass::InputError& error) {
      EXPECT_TRUE(contains(error.what(), file.string()));
      ++refused;
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace lbm
