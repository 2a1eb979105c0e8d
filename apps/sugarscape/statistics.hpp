#pragma once

#include <cstdint>
#include <vector>

namespace sugarscape {

/// Returns the Gini coefficient of values, none of them negative: half of the mean absolute
/// difference of two of them over their mean. 0 if all n are equal, (n - 1) / n if one has
/// everything; 0 for no values or only zeros.
double gini(std::vector<int> values);

/// Returns the median: of an even number of values, the lower of the two in the middle; 0 for none.
int median(std::vector<int> values);

/// Returns the number of values, none of them negative, in each of `bins` bins: bin i is
/// [i width, (i + 1) width), and the last one has no upper limit.
std::vector<std::int64_t> histogram(const std::vector<int>& values, int width, int bins);

}  // namespace sugarscape
