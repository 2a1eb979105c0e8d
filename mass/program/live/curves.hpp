#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mass::detail::live {

/// Rows of the table of a run, thinned out evenly so that a run of any length has at most
/// Curves::most of them.
class Curves {
 public:
  static constexpr std::size_t most = 2048;  ///< even

  /// Row of the table.
  struct Row {
    std::int64_t step = 0;
    std::vector<double> values;
  };

  /// Adds a row, or leaves it out if those before are thinned out.
  void add(std::int64_t step, std::span<const double> values);
  /// Removes all rows, for another run.
  void clear();

  /// Number that changes when rows other than the last ones have changed.
  std::int64_t generation() const { return generation_; }
  /// Returns the rows in the order of their steps.
  const std::vector<Row>& rows() const { return rows_; }

 private:
  void thinOut();

  std::vector<Row> rows_;
  std::int64_t generation_ = 1;
  std::int64_t added_ = 0;   ///< number of calls of add() since clear()
  std::int64_t stride_ = 1;  ///< every stride_-th row is kept
};

}  // namespace mass::detail::live
