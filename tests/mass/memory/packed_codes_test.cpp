#include <mass/memory/packed_codes.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace mass::detail {
namespace {

/// Returns values below 4.
std::vector<unsigned char> codes(std::int64_t count) {
  std::vector<unsigned char> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<unsigned char>((i * i + i / 3) % 4));
  return values;
}

TEST(PackedCodes, HaveTheValuesOfAllRows) {
  for (const std::int64_t before : {0, 1, 15, 16, 17, 40}) {
    for (const std::int64_t count : {1, 2, 7, 16, 31, 97, 10007}) {
      const auto values = codes(count);
      PackedCodes packed;
      ASSERT_TRUE(packed.pack(values.data(), before, count));
      for (std::int64_t i = 0; i < count; ++i)
        ASSERT_EQ(PackedCodes::of(packed.words(), i - before), values[static_cast<std::size_t>(i)])
            << "row " << i - before << " of " << count;
    }
  }
}

TEST(PackedCodes, RefuseALargerValueInAnyRow) {
  constexpr std::int64_t count = 9001;
  for (const std::int64_t at : {0, 1, 16, 4095, 4096, 8999, 9000}) {
    for (const int value : {4, 64, 255}) {
      auto values = codes(count);
      values[static_cast<std::size_t>(at)] = static_cast<unsigned char>(value);
      EXPECT_FALSE(PackedCodes().pack(values.data(), 3, count)) << "row " << at;
    }
  }
}

}  // namespace
}  // namespace mass::detail
