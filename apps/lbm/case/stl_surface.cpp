#include <apps/lbm/case/stl_surface.hpp>

#include <apps/lbm/case/stl_file.hpp>

#include <mass/mass.hpp>

#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace lbm {
namespace {

/// Returns the fewest digits that read back to the same coordinates: those of a float if it is one.
std::string textOf(const Point& point) {
  std::vector<std::string> texts;
  for (const double value : point) {
    const auto single = static_cast<float>(value);
    texts.push_back(single == value ? fmt::format("{}", single) : fmt::format("{}", value));
  }
  return fmt::format("({}, {}, {})", texts[0], texts[1], texts[2]);
}

/// Returns the longest of the open edges; of several, the first in lexicographic order.
std::pair<Point, Point> exampleOf(const TriangleMesh& mesh,
                                  const std::vector<TriangleMesh::Edge>& open) {
  const auto order = [&](const TriangleMesh::Edge& edge) {
    const Point &from = mesh.corners()[edge.first], &to = mesh.corners()[edge.second];
    return std::tuple(-Bounds{from, to}.diagonal(), from, to);
  };
  const auto& [from, to] = *std::min_element(
      open.begin(), open.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  return {mesh.corners()[from], mesh.corners()[to]};
}

/// Refuses a mesh without a body. @param limit distance within which vertices were merged
void requireBody(const StlFile& read, double limit, const std::filesystem::path& file) {
  std::string notes;
  for (const std::string& note : read.notes) notes += "; " + note;
  if (!read.mesh.hasArea()) refuseStl(file, "it has no triangle with an area" + notes);
  const auto open = read.mesh.openEdges();
  if (open.empty()) return;
  const auto [from, to] = exampleOf(read.mesh, open);
  refuseStl(file,
            fmt::format("it is not closed: along {} of its edges, one of them from {} to {}, the "
                        "numbers of triangles in either direction differ, though vertices within "
                        "{:.3g} were merged; look for holes and for reversed, doubled or missing "
                        "triangles, and repair it with a mesh editor{}",
                        open.size(), textOf(from), textOf(to), limit, notes));
}

/// Returns the distance within which vertices of open edges are merged: a few times the precision
/// of the coordinates, or a small part of the size, since programs that write STL compute vertices
/// with such errors. It is at most a small part of a cell.
double mergeLimit(const StlFile& read, double cell) {
  constexpr double shareOfSize = 1e-5, shareOfCell = 0.05;
  if (read.mesh.triangles().empty()) return 0;
  const double size = read.mesh.bounds().diagonal();
  return std::min(std::max(shareOfSize * size, 4 * read.precision), shareOfCell * cell);
}

void mergeVertices(StlFile& read, double limit) {
  const auto merged = read.mesh.closeWithin(limit);
  if (merged.count > 0)
    read.notes.push_back(
        fmt::format("{} vertices that differ by rounding were merged with others at most {:.3g} "
                    "of its units away",
                    merged.count, merged.distance));
}

void turnOutwards(StlFile& read) {
  const auto [count, of] = read.mesh.turnOutwards();
  if (count == 0) return;
  const std::string which =
      count == of ? "its triangles" : fmt::format("{} of its {} separate bodies", count, of);
  read.notes.push_back(which + " face inwards and are turned over");
}

/// Returns the index of the first centre at or above `place`.
std::int64_t firstFrom(const std::vector<double>& centers, double place) {
  return std::lower_bound(centers.begin(), centers.end(), place) - centers.begin();
}

/// Interpolates linearly. Both triangles of an edge get the same bits: the library's targets are
/// compiled with -ffp-contract=off.
double between(double from, double to, double share) {
  return from + share * (to - from);
}

/// Scan conversion of one plane of constant z. The surface intersects it in closed polygons: each
/// triangle contributes the segment from its edge that rises through z to the one that descends. A
/// line of cells along x crosses a segment if low y <= y < high y, so exactly one of two segments
/// that meet counts.
class Slice {
 public:
  Slice(const std::vector<double>& x, const std::vector<double>& y)
      : x_(x), y_(y), changes_(x.size() * y.size()), isCrossed_(y.size()) {}

  /// Adds a triangle. @pre it has vertices at or below z and vertices above
  void add(const std::array<Point, 3>& triangle, double z) {
    Cut up{}, down{};
    for (std::size_t i = 0; i < 3; ++i) {
      const Point &from = triangle[i], &to = triangle[(i + 1) % 3];
      if (from[2] <= z && z < to[2]) up = cutOf(from, to, z);
      if (to[2] <= z && z < from[2]) down = cutOf(to, from, z);
    }
    const bool isEntry = up.y < down.y;
    const auto& [low, high] = isEntry ? std::tie(up, down) : std::tie(down, up);
    const std::int64_t end = firstFrom(y_, high.y);
    for (std::int64_t j = firstFrom(y_, low.y); j < end; ++j) {
      const auto line = static_cast<std::size_t>(j);
      const double x = between(low.x, high.x, (y_[line] - low.y) / (high.y - low.y));
      const std::int64_t i = firstFrom(x_, x);
      if (i == std::ssize(x_)) continue;
      changes_[line * x_.size() + static_cast<std::size_t>(i)] += isEntry ? 1 : -1;
      isCrossed_[line] = 1;
    }
  }

  /// Sets the cells inside to true, `cells` being the first of the plane, and resets the plane.
  /// Returns the sum of the magnitudes of their winding numbers.
  std::int64_t take(std::vector<bool>::iterator cells) {
    std::int64_t sum = 0;
    for (std::size_t line = 0; line < y_.size(); ++line) {
      if (std::exchange(isCrossed_[line], 0) == 0) continue;
      const auto begin = static_cast<std::ptrdiff_t>(line * x_.size());
      std::int32_t winding = 0;
      for (std::ptrdiff_t i = begin; i < begin + std::ssize(x_); ++i) {
        winding += std::exchange(changes_[static_cast<std::size_t>(i)], 0);
        if (winding != 0) cells[i] = true;
        sum += std::abs(winding);
      }
    }
    return sum;
  }

 private:
  /// Point where an edge crosses the plane.
  struct Cut {
    double y, x;
  };

  static Cut cutOf(const Point& low, const Point& high, double z) {
    const double share = (z - low[2]) / (high[2] - low[2]);
    return {between(low[1], high[1], share), between(low[0], high[0], share)};
  }

  const std::vector<double>& x_;
  const std::vector<double>& y_;
  std::vector<std::int32_t> changes_;     ///< change of the winding number at each cell, along x
  std::vector<unsigned char> isCrossed_;  ///< 1 if the line along x has changes
};

std::vector<double> centersOf(std::int64_t count, double spacing) {
  std::vector<double> centers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < centers.size(); ++i)
    centers[i] = (static_cast<double>(i) + 0.5) * spacing;
  return centers;
}

}  // namespace

StlSurface StlSurface::load(const std::filesystem::path& file, double cell) {
  try {
    StlFile read = readStl(file);
    const double limit = mergeLimit(read, cell);
    mergeVertices(read, limit);
    requireBody(read, limit, file);
    turnOutwards(read);
    return {std::move(read.mesh), std::move(read.notes)};
  } catch (const std::bad_alloc&) {
    refuseStl(file, "its triangles do not fit into memory; make it coarser");
  }
}

StlSurface StlSurface::placed(double scale, const Point& shift) const {
  if (!(scale > 0)) throw mass::UsageError("a surface is scaled by {}, which is not > 0", scale);
  StlSurface moved = *this;
  moved.mesh_.transform([&](Point corner) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      corner[axis] = scale * corner[axis] + shift[axis];
      if (!std::isfinite(corner[axis]))
        throw mass::UsageError("a surface scaled by {} and moved by {} is not finite", scale,
                               textOf(shift));
    }
    return corner;
  });
  return moved;
}

StlSurface::Filling StlSurface::fill(const std::array<std::int64_t, 3>& shape,
                                     double spacing) const {
  if (*std::min_element(shape.begin(), shape.end()) < 1 || !(spacing > 0))
    throw mass::UsageError("a grid of {} x {} x {} cells of {} m has no cells", shape[0], shape[1],
                           shape[2], spacing);
  const auto x = centersOf(shape[0], spacing), y = centersOf(shape[1], spacing),
             z = centersOf(shape[2], spacing);
  struct Span {
    std::int64_t begin, end;  ///< planes that it crosses: [begin, end)
    std::array<Point, 3> triangle;
  };
  std::vector<Span> spans;
  const std::vector<Point>& corners = mesh_.corners();
  for (const auto& [a, b, c] : mesh_.triangles()) {
    const std::array<Point, 3> triangle{corners[a], corners[b], corners[c]};
    const auto [low, high] = std::minmax({triangle[0][2], triangle[1][2], triangle[2][2]});
    const std::int64_t begin = firstFrom(z, low), end = firstFrom(z, high);
    if (begin < end) spans.push_back({begin, end, triangle});
  }
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });

  Filling filling{std::vector<bool>(x.size() * y.size() * z.size())};
  Slice slice(x, y);
  std::vector<const Span*> active;
  auto next = spans.begin();
  for (std::int64_t k = 0; k < shape[2]; ++k) {
    std::erase_if(active, [k](const Span* span) { return span->end <= k; });
    for (; next != spans.end() && next->begin == k; ++next) active.push_back(&*next);
    for (const Span* span : active) slice.add(span->triangle, z[static_cast<std::size_t>(k)]);
    filling.windings += slice.take(filling.cells.begin() + k * shape[0] * shape[1]);
  }
  return filling;
}

}  // namespace lbm
