#include <apps/lbm/case/stl_surface.hpp>

#include <mass/mass.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <unordered_map>

namespace lbm {
namespace {

using Point = StlSurface::Point;
using Corners = std::array<std::uint32_t, 3>;  // StlSurface::Triangle

// Binary STL: a header of 80 arbitrary bytes, the number of triangles, and for each triangle its
// normal, three vertices and two arbitrary bytes.
constexpr std::uintmax_t headerBytes = 84, triangleBytes = 50, maxTriangles = 100'000'000;
constexpr std::uintmax_t maxBytes = headerBytes + maxTriangles * triangleBytes;
constexpr std::string_view blanks = " \t\r\n\v\f";
constexpr double largest = std::numeric_limits<float>::max();

template <class... Args>
[[noreturn]] void refuse(const std::filesystem::path& file, fmt::format_string<Args...> format,
                         Args&&... args) {
  throw mass::InputError("cannot read '{}': {}", file.string(),
                         fmt::format(format, std::forward<Args>(args)...));
}

std::string textOf(const Point& point) {
  return fmt::format("({:.9g}, {:.9g}, {:.9g})", point[0], point[1], point[2]);
}

Point operator-(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

std::string bytesOf(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (std::filesystem::is_directory(status)) refuse(file, "it is a folder; name an STL file");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    refuse(file, "it is no file; name an STL file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(file, "{}; name an STL file", std::generic_category().message(errno));
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error) refuse(file, "{}", error.message());
  if (size == 0) refuse(file, "it is empty");
  if (size > maxBytes)
    refuse(file, "it has {} bytes, and at most {}, of {} triangles, are read; make it coarser",
           size, maxBytes, maxTriangles);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(size)))
    refuse(file, "not all of its {} bytes can be read", size);
  return bytes;
}

/// Triangles in the order of the file, with equal vertices merged.
class Mesh {
 public:
  void add(const std::array<Point, 3>& triangle) {
    const auto& [a, b, c] = triangle;
    if (a == b || b == c || c == a) return;
    // Keeps a triangle without area if its vertices differ: its edges are needed to close others.
    triangles.push_back({numberOf(a), numberOf(b), numberOf(c)});
    hasArea_ = hasArea_ || cross(b - a, c - a) != Point{};
  }

  void requireBody(const std::filesystem::path& file) const {
    if (!hasArea_) refuse(file, "it has no triangle with an area");
    const auto open = openEdges();
    if (open.empty()) return;
    const auto [from, to] = open.front();
    refuse(file,
           "it is not closed: along {} of its edges, one of them from {} to {}, the numbers of "
           "triangles in either direction differ; look for holes, reversed triangles and vertices "
           "that differ slightly, and repair it with a mesh editor",
           open.size(), textOf(corners[from]), textOf(corners[to]));
  }

  std::vector<Point> corners;
  std::vector<Corners> triangles;

 private:
  using Edge = std::pair<std::uint32_t, std::uint32_t>;

  struct Hash {
    std::size_t operator()(const Point& point) const {
      std::size_t hash = 0;
      for (const double value : point)
        hash = (std::rotl(hash, 23) ^ std::hash<double>{}(value)) * 0x9E3779B97F4A7C15U;
      return hash;
    }
  };

  std::uint32_t numberOf(const Point& corner) {
    const auto [found, isNew] =
        numbers_.try_emplace(corner, static_cast<std::uint32_t>(corners.size()));
    if (isNew) corners.push_back(corner);
    return found->second;
  }

  /// Returns the edges along which the numbers of triangles in either direction differ.
  std::vector<Edge> openEdges() const {
    std::vector<Edge> up, down, open;
    for (const Corners& triangle : triangles) {
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t from = triangle[i], to = triangle[(i + 1) % 3];
        if (from < to) {
          up.emplace_back(from, to);
        } else {
          down.emplace_back(to, from);
        }
      }
    }
    std::sort(up.begin(), up.end());
    std::sort(down.begin(), down.end());
    std::set_symmetric_difference(up.begin(), up.end(), down.begin(), down.end(),
                                  std::back_inserter(open));
    open.erase(std::unique(open.begin(), open.end()), open.end());
    return open;
  }

  std::unordered_map<Point, std::uint32_t, Hash> numbers_;
  bool hasArea_ = false;
};

std::uint32_t littleEndian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// Returns the size that a binary file has with the number of triangles in its header.
std::uintmax_t claimedBytes(std::string_view bytes) {
  return bytes.size() < headerBytes ? headerBytes
                                    : headerBytes + triangleBytes * littleEndian(bytes, 80);
}

void readBinary(std::string_view bytes, const std::filesystem::path& file, Mesh& mesh) {
  for (std::size_t at = headerBytes, number = 1; at < bytes.size(); at += triangleBytes, ++number) {
    std::array<Point, 3> triangle{};
    for (std::size_t i = 0; i < 9; ++i) {
      const double value = std::bit_cast<float>(littleEndian(bytes, at + 12 + 4 * i));
      if (!std::isfinite(value))
        refuse(file, "triangle {} of {} has a coordinate that is not finite", number,
               (bytes.size() - headerBytes) / triangleBytes);
      triangle[i / 3][i % 3] = value;
    }
    mesh.add(triangle);
  }
}

/// True if `text` equals `word`, which is in lower case, ignoring the case of ASCII letters.
bool isWord(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

/// Reader of ASCII STL as words separated by any white space, like most programs read it.
class TextReader {
 public:
  TextReader(std::string_view text, const std::filesystem::path& file) : rest_(text), file_(file) {}

  void read(Mesh& mesh) {
    expect("solid");
    for (bool isLast = false; !isLast;) {
      skipLine();  // its name
      for (next("'facet' or 'endsolid'"); !isWord(word_, "endsolid");
           next("'facet' or 'endsolid'")) {
        require("facet");
        readFacet(mesh);
      }
      skipLine();
      isLast = !take();
      if (!isLast) require("solid");
    }
  }

 private:
  void readFacet(Mesh& mesh) {
    expect("normal");
    for (int i = 0; i < 3; ++i) next("a normal");  // ignored, may be nan
    expect("outer");
    expect("loop");
    std::array<Point, 3> triangle{};
    for (Point& corner : triangle) {
      expect("vertex");
      for (double& value : corner) value = coordinate();
    }
    expect("endloop");
    expect("endfacet");
    mesh.add(triangle);
  }

  double coordinate() {
    next("a coordinate");
    std::string_view digits = word_;
    if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() ||
        !(std::abs(value) <= largest))
      fail(fmt::format("a coordinate was expected, as 1.5 or -2e-3, not '{}'", shown()));
    return value;
  }

  void expect(std::string_view keyword) {
    next(keyword);
    require(keyword);
  }

  void require(std::string_view keyword) const {
    if (!isWord(word_, keyword)) fail(fmt::format("'{}' was expected, not '{}'", keyword, shown()));
  }

  void next(std::string_view what) {
    if (!take()) fail(fmt::format("the text ends where {} was expected; is it cut off?", what));
  }

  /// Sets word_ to the next word; false at the end of the text.
  bool take() {
    const std::size_t begin = std::min(rest_.find_first_not_of(blanks), rest_.size());
    line_ += std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
    rest_.remove_prefix(begin);
    word_ = rest_.substr(0, rest_.find_first_of(blanks));
    rest_.remove_prefix(word_.size());
    return !word_.empty();
  }

  void skipLine() { rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size())); }

  /// Returns word_ for a message: at most 40 characters, unprintable ones replaced.
  std::string shown() const {
    std::string text(word_.substr(0, 40));
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
  }

  [[noreturn]] void fail(std::string_view message) const {
    throw mass::InputError("{}:{}: {}", file_.string(), line_, message);
  }

  std::string_view rest_;
  std::string_view word_;
  std::ptrdiff_t line_ = 1;
  const std::filesystem::path& file_;
};

/// Tells binary from ASCII by the size that the header gives, since a binary file may begin with
/// "solid" too. An ASCII file of that size would have gigabytes: four letters make a large number
/// of triangles. An ASCII file has no zero bytes.
void readInto(Mesh& mesh, std::string_view bytes, const std::filesystem::path& file) {
  constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";  // written by some programs
  const std::uintmax_t claimed = claimedBytes(bytes);
  if (bytes.size() == claimed) return readBinary(bytes, file, mesh);
  std::string_view text = bytes;
  if (text.starts_with(byteOrderMark)) text.remove_prefix(byteOrderMark.size());
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  if (isWord(text.substr(begin, 5), "solid") && text.find('\0') == std::string_view::npos)
    return TextReader(text, file).read(mesh);
  constexpr std::string_view noText = "it is no text that begins with 'solid'";
  if (bytes.size() < headerBytes)
    refuse(file, "it is no STL file: {}, and with {} bytes too short for a binary one", noText,
           bytes.size());
  refuse(file,
         "it is no STL file, or not all of one: {}, and a binary one with the {} triangles that it "
         "claims has {} bytes, not {}",
         noText, littleEndian(bytes, 80), claimed, bytes.size());
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
  void take(std::vector<bool>::iterator cells) {
    for (std::size_t line = 0; line < y_.size(); ++line) {
      if (std::exchange(isCrossed_[line], 0) == 0) continue;
      const auto begin = static_cast<std::ptrdiff_t>(line * x_.size());
      std::int32_t winding = 0;
      for (std::ptrdiff_t i = begin; i < begin + std::ssize(x_); ++i) {
        winding += std::exchange(changes_[static_cast<std::size_t>(i)], 0);
        if (winding != 0) cells[i] = true;
      }
    }
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

StlSurface StlSurface::load(const std::filesystem::path& file) {
  try {
    Mesh mesh;
    readInto(mesh, bytesOf(file), file);
    mesh.requireBody(file);
    return {std::move(mesh.corners), std::move(mesh.triangles)};
  } catch (const std::bad_alloc&) {
    refuse(file, "its triangles do not fit into memory; make it coarser");
  }
}

StlSurface::Box StlSurface::bounds() const {
  Box box{corners_.front(), corners_.front()};
  for (const Point& corner : corners_) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.low[axis] = std::min(box.low[axis], corner[axis]);
      box.high[axis] = std::max(box.high[axis], corner[axis]);
    }
  }
  return box;
}

StlSurface StlSurface::placed(double scale, const Point& shift) const {
  if (!(scale > 0)) throw mass::UsageError("a surface is scaled by {}, which is not > 0", scale);
  StlSurface moved = *this;
  for (Point& corner : moved.corners_) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      corner[axis] = scale * corner[axis] + shift[axis];
      if (!std::isfinite(corner[axis]))
        throw mass::UsageError("a surface scaled by {} and moved by {} is not finite", scale,
                               textOf(shift));
    }
  }
  return moved;
}

std::vector<bool> StlSurface::inside(const std::array<std::int64_t, 3>& shape,
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
  for (const auto& [a, b, c] : triangles_) {
    const std::array<Point, 3> triangle{corners_[a], corners_[b], corners_[c]};
    const auto [low, high] = std::minmax({triangle[0][2], triangle[1][2], triangle[2][2]});
    const std::int64_t begin = firstFrom(z, low), end = firstFrom(z, high);
    if (begin < end) spans.push_back({begin, end, triangle});
  }
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });

  std::vector<bool> cells(x.size() * y.size() * z.size());
  Slice slice(x, y);
  std::vector<const Span*> active;
  auto next = spans.begin();
  for (std::int64_t k = 0; k < shape[2]; ++k) {
    std::erase_if(active, [k](const Span* span) { return span->end <= k; });
    for (; next != spans.end() && next->begin == k; ++next) active.push_back(&*next);
    for (const Span* span : active) slice.add(span->triangle, z[static_cast<std::size_t>(k)]);
    slice.take(cells.begin() + k * shape[0] * shape[1]);
  }
  return cells;
}

double StlSurface::volume() const {
  const Point& origin =
      corners_.front();  // on the surface: (0, 0, 0) may be far away, which loses digits
  double volume = 0;
  for (const auto& [a, b, c] : triangles_) {
    const Point from = corners_[a] - origin;
    const Point normal = cross(corners_[b] - origin, corners_[c] - origin);
    volume += from[0] * normal[0] + from[1] * normal[1] + from[2] * normal[2];
  }
  return volume / 6;
}

}  // namespace lbm
