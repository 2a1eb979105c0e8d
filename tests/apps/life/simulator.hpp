#pragma once

#include <apps/life/pattern.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace life {

/// Position of a cell; row 0 is the top, column 0 the left.
struct CellPosition {
  std::int64_t row = 0;
  std::int64_t column = 0;
  friend auto operator<=>(const CellPosition&, const CellPosition&) = default;
};

/// Returns the positions of the cells of a pattern that are not dead, in row-major order.
/// @param top, left position of its corner
inline std::vector<CellPosition> positions(const Pattern& pattern, std::int64_t top = 0,
                                           std::int64_t left = 0) {
  std::vector<CellPosition> cells;
  for (const Run& run : pattern.runs) {
    for (std::int64_t i = 0; i < run.length; ++i)
      cells.push_back({top + run.row, left + run.column + i});
  }
  std::sort(cells.begin(), cells.end());
  return cells;
}

/// Returns the positions of the cells of a pattern in the centre of a world of `size` x `size`.
inline std::vector<CellPosition> centredPositions(const Pattern& pattern, std::int64_t size) {
  return positions(pattern, (size - pattern.rows) / 2, (size - pattern.columns) / 2);
}

/// Independent reference of B3/S23 for the tests; it shares only CellPosition with the app. The
/// plane is so large that no test reaches its border (`at` throws there).
class Plane {
 public:
  explicit Plane(std::vector<CellPosition> living) : living_(std::move(living)) {
    for (const CellPosition& cell : living_) alive_.at(index(cell)) = 1;
  }

  void step(int generations = 1) {
    for (int g = 0; g < generations; ++g) stepOnce();
  }

  std::size_t population() const { return living_.size(); }

  /// Returns the living cells in row-major order.
  std::vector<CellPosition> living() const {
    std::vector<CellPosition> sorted = living_;
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

 private:
  static constexpr std::int64_t size = 4096;

  static std::size_t index(const CellPosition& cell) {
    return static_cast<std::size_t>((cell.row + size / 2) * size + cell.column + size / 2);
  }

  void stepOnce() {
    std::vector<CellPosition> candidates = living_;
    for (const CellPosition& cell : living_) {
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          const CellPosition near{cell.row + dy, cell.column + dx};
          if (near == cell) continue;
          if (neighbours_.at(index(near))++ == 0 && alive_[index(near)] == 0)
            candidates.push_back(near);
        }
      }
    }
    living_.clear();
    for (const CellPosition& cell : candidates) {
      const std::size_t i = index(cell);
      alive_[i] = neighbours_[i] == 3 || (alive_[i] == 1 && neighbours_[i] == 2);
      neighbours_[i] = 0;
      if (alive_[i] == 1) living_.push_back(cell);
    }
  }

  std::vector<CellPosition> living_;
  std::vector<std::uint8_t> alive_ = std::vector<std::uint8_t>(size * size);
  std::vector<std::uint8_t> neighbours_ = std::vector<std::uint8_t>(size * size);
};

}  // namespace life
