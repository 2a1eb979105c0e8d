#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mass::python {

/// Rows of a run's table so far: the step, then the columns of the program.
class Table {
 public:
  /// Adds a row, unless there is one of this step.
  /// @param names columns without the step @param row value of each
  void add(std::int64_t step, const std::vector<std::string>& names, std::span<const double> row) {
    if (names_.empty()) {
      names_ = names;
      names_.insert(names_.begin(), "step");
    }
    if (!steps_.empty() && steps_.back() >= step) return;
    steps_.push_back(step);
    values_.push_back(static_cast<double>(step));
    values_.insert(values_.end(), row.begin(), row.end());
  }
  const std::vector<std::string>& names() const { return names_; }
  std::size_t rows() const { return steps_.size(); }
  /// Values row by row.
  const std::vector<double>& values() const { return values_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::int64_t> steps_;
  std::vector<double> values_;
};

}  // namespace mass::python
