#pragma once

#include <mass/dispatch/schedule/schedule_engine.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail {

/// Choice of a worker, for a rule, between saved states and the inverse of the rule. It measures
/// the first executions, in turn with either. Results do not depend on it.
class SavingChoice {
 public:
  /// @param hasInverse the rule has an inverse
  SavingChoice(EventSaving saving, bool hasInverse)
      : isMeasured_(hasInverse && saving == EventSaving::measured),
        isInverse_(hasInverse && saving == EventSaving::inverses) {}

  /// True if the next execution is to be measured, and given to add().
  bool isMeasured() const { return isMeasured_; }
  /// True if the inverse undoes the next execution; false if its state is saved.
  bool usesInverse() const { return isInverse_; }
  /// Adds a measured execution.
  /// @param seconds time of saving and execution
  /// @param ofInverse time of the inverse, where its state was saved
  void add(double seconds, double ofInverse) {
    (isInverse_ ? withInverse_ : withState_).push_back(seconds);
    if (!isInverse_) inverse_.push_back(ofInverse);
    isInverse_ = !isInverse_;
    if (withInverse_.size() < executions) return;
    isMeasured_ = false;
    isInverse_ = median(withInverse_) + mostUndone * median(inverse_) < median(withState_);
    withInverse_ = withState_ = inverse_ = {};
  }

 private:
  static constexpr std::size_t executions = 64;  // measured ones with either
  static constexpr double mostUndone = 0.1;      // share of executions that the throttle allows

  static double median(std::vector<double>& times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
  }

  bool isMeasured_;
  bool isInverse_;
  std::vector<double> withState_, withInverse_, inverse_;  // s
};

}  // namespace mass::detail
