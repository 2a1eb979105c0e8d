#pragma once

#include <mass/io/field_array.hpp>
#include <mass/io/schema.hpp>
#include <mass/io/settings.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mass::detail {

/// Refuses NaN and infinite values in the output of a run, unless `output.allow_nan` is true.
class FiniteCheck {
 public:
  /// Declares the key `output.allow_nan`.
  static void addKeys(Schema& schema);

  explicit FiniteCheck(const Settings& settings);

  /// True if such values are refused.
  bool isActive() const { return isActive_; }
  /// Checks a row of the table. @param values one for each column
  /// @throws ModelError with the step and the column
  void requireRow(std::int64_t step, const std::vector<std::string>& columns,
                  std::span<const double> values) const;
  /// Checks a picture, row by row from the top.
  /// @throws ModelError with the step and the place
  void requirePicture(std::int64_t step, std::span<const float> values, std::int64_t columns) const;
  /// Checks the arrays of `count` places or agents.
  /// @param owner returns the place or agent with an index, for the message
  /// @throws ModelError with the step, the array and the place or agent
  void requireArrays(std::int64_t step, std::span<const FieldArray> arrays, std::size_t count,
                     const std::function<std::string(std::size_t)>& owner) const;

 private:
  bool isActive_;
};

}  // namespace mass::detail
