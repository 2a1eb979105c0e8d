#pragma once

// Rules of one bool as loops over arrays.

#include <mass/partition/border.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace mass::testing {

/// World of places with one bool. `outside` is the state beyond fixed borders.
struct BoolWorld {
  std::int64_t rows, columns;
  Border ofRows, ofColumns;
  bool outside;
};

/// State of a world in row-major order, advanced by loops.
class BoolReference {
 public:
  BoolReference(const BoolWorld& world, std::uint32_t seed) : world_(world) {
    std::mt19937 random(seed);
    for (std::int64_t i = 0; i < world.rows * world.columns; ++i) cells_.push_back(random() % 2);
  }
  const std::vector<unsigned char>& cells() const { return cells_; }
  std::uint64_t step() const { return step_; }

  /// Advances by `next(pattern)`.
  template <class Next>
  void advance(const Next& next) {
    std::vector<unsigned char> result;
    for (std::int64_t i = 0; i < world_.rows; ++i) {
      for (std::int64_t j = 0; j < world_.columns; ++j) {
        unsigned pattern = 0;
        for (int k = 0; k < 9; ++k) pattern |= (at(i + k / 3 - 1, j + k % 3 - 1) ? 1U : 0U) << k;
        result.push_back(next(pattern) ? 1 : 0);
      }
    }
    cells_ = result;
    ++step_;
  }
  void lookUp(const std::vector<std::uint8_t>& results) {
    advance([&](unsigned pattern) { return results[pattern] != 0; });
  }
  void count(unsigned birth, unsigned survival) {
    advance([&](unsigned pattern) {
      int living = 0;
      for (int k = 0; k < 9; ++k) living += k != 4 && (pattern >> k & 1U) != 0 ? 1 : 0;
      return (((pattern & 16U) != 0 ? survival : birth) >> living & 1U) != 0;
    });
  }
  void shiftAtEvenSteps() {
    advance([&](unsigned pattern) {
      const bool first = (pattern & 1U) != 0, own = (pattern & 16U) != 0;
      return step_ % 2 == 0 ? (pattern & 256U) != 0 : first != own;
    });
  }

 private:
  /// Moves a position beyond an end of an axis inside; false if it is outside a fixed border.
  static bool moveInside(std::int64_t& x, std::int64_t n, Border border) {
    if (x >= 0 && x < n) return true;
    if (border == Border::periodic) x = x < 0 ? n - 1 : 0;
    if (border == Border::mirrored) x = x < 0 ? 0 : n - 1;
    return border != Border::fixed;
  }
  bool at(std::int64_t row, std::int64_t column) const {
    if (!moveInside(row, world_.rows, world_.ofRows)) return world_.outside;
    if (!moveInside(column, world_.columns, world_.ofColumns)) return world_.outside;
    return cells_[static_cast<std::size_t>(row * world_.columns + column)] != 0;
  }

  BoolWorld world_;
  std::vector<unsigned char> cells_;
  std::uint64_t step_ = 0;
};

}  // namespace mass::testing
