#include <apps/sugarscape/statistics.hpp>

#include <algorithm>
#include <cstddef>

namespace sugarscape {

double gini(std::vector<int> values) {
  // From sorted values: sum over i of (2 i + 1 - n) value(i), over n times the sum of all.
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  double weighted = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    weighted += (2 * static_cast<double>(i) + 1 - n) * values[i];
  }
  return sum == 0 ? 0 : weighted / (n * sum);
}

int median(std::vector<int> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<std::int64_t> histogram(const std::vector<int>& values, int width, int bins) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins));
  for (const int value : values) {
    ++counts[static_cast<std::size_t>(std::clamp(value / width, 0, bins - 1))];
  }
  return counts;
}

}  // namespace sugarscape
