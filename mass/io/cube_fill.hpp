#pragma once

#include <mass/io/solid.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace mass::detail {

/// Part of a body, in edges of a cube.
using Solid = std::variant<Ball, Frustum>;

/// Cubes of the grid, as a box: [low, high) along x, y, z.
struct CubeRange {
  std::array<std::int64_t, 3> low{}, high{};

  /// Returns the number of cubes along an axis.
  std::int64_t size(std::size_t axis) const { return high[axis] - low[axis]; }
  /// True if the range has no cubes.
  bool isEmpty() const { return size(0) <= 0 || size(1) <= 0 || size(2) <= 0; }
  /// Returns the number of cubes, rounded, as it may exceed 64 bits.
  double count() const;
  /// Returns the row-major index of a cube, x fastest. @pre count() < 2^63
  std::int64_t indexOf(const std::array<std::int64_t, 3>& cube) const;
  /// Returns the cube of an index.
  std::array<std::int64_t, 3> cubeAt(std::int64_t index) const;
};

/// Cube that is filled.
struct FilledCube {
  std::int64_t index = 0;   ///< index in the range of CubeFill
  std::uint32_t solid = 0;  ///< first solid that fills it

  friend bool operator<(const FilledCube& a, const FilledCube& b) {
    return a.index != b.index ? a.index < b.index : a.solid < b.solid;
  }
};

/// Finds the cubes that solids fill.
class CubeFill {
 public:
  /// @param solids fewer than 2^32; no number above 2^41
  /// @param region ball in which the middles of the cubes are; everywhere if empty
  /// @param byMiddle true if a cube is filled if its middle is in a solid, false if it meets one
  CubeFill(std::vector<Solid> solids, std::optional<Ball> region, bool byMiddle);

  /// Returns a range around all cubes, whose outermost cubes are not filled.
  const CubeRange& range() const { return range_; }
  /// Returns the expected number of cubes, or more if solids overlap.
  double expectedCubes() const;
  /// Returns the filled cubes, in the order of their indices. @pre range().count() < 2^63
  std::vector<FilledCube> cubes();

 private:
  CubeRange rangeOf(const Solid& solid) const;
  template <class S>
  void fill(const S& solid, const CubeRange& range);
  template <class S>
  bool containsAll(const S& solid, const CubeRange& range) const;
  void add(const CubeRange& range);
  void sort();

  std::vector<Solid> solids_;
  std::optional<Ball> region_;
  bool byMiddle_;
  CubeRange range_;
  std::vector<FilledCube> cubes_;
  std::size_t sortAt_ = std::size_t{1} << 16;  ///< length of `cubes_` at which it is sorted
  std::uint32_t solid_ = 0;                    ///< the one whose cubes are found
};

/// Returns for each cube the first cube of its face-connected piece, both as positions in `cubes`.
/// @param cubes in the order of their indices
/// @param range range around the cubes, whose outermost cubes are not among them
std::vector<std::size_t> facePieces(const std::vector<FilledCube>& cubes, const CubeRange& range);

}  // namespace mass::detail
