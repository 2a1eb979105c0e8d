#include <mass/support/heap_sort.hpp>

#include <mass/support/hash.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace {

TEST(HeapSort, SortsAsTheStandardLibraryDoes) {
  for (std::int64_t count = 0; count < 200; ++count) {
    for (const std::uint64_t kinds : {1U, 2U, 1000U}) {
      std::vector<std::uint64_t> values;
      for (std::int64_t i = 0; i < count; ++i) {
        values.push_back(mass::detail::mix(static_cast<std::uint64_t>(i)) % kinds);
      }
      std::vector<std::uint64_t> expected = values;
      std::sort(expected.begin(), expected.end(), std::greater<>());
      mass::detail::heapSort(values.data(), count, std::greater<>());
      EXPECT_EQ(values, expected) << count << " of " << kinds << " kinds";
    }
  }
}

}  // namespace
