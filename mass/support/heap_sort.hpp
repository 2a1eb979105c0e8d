#pragma once

#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Sorts `count` values in place by `less` in the calling thread, with a binary heap (heapsort;
/// not stable). For kernels, which have no std::sort.
template <class T, class Less>
MASS_FN void heapSort(T* values, std::int64_t count, Less&& less) {
  // Sifts `value` down from `at` until no child is greater.
  const auto sink = [&](T value, std::int64_t at, std::int64_t end) {
    for (std::int64_t below = 2 * at + 1; below < end; below = 2 * at + 1) {
      if (below + 1 < end && less(values[below], values[below + 1])) ++below;
      if (!less(value, values[below])) break;
      values[at] = values[below];
      at = below;
    }
    values[at] = value;
  };
  for (std::int64_t at = count / 2 - 1; at >= 0; --at) sink(values[at], at, count);
  for (std::int64_t end = count - 1; end > 0; --end) {
    const T greatest = values[0];
    sink(values[end], 0, end);
    values[end] = greatest;
  }
}

}  // namespace mass::detail
