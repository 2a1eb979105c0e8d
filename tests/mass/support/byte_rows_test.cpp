#include <mass/support/byte_rows.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace {

TEST(ByteRows, PackAndUnpackAnyLength) {
  std::mt19937 random(5);
  for (std::int64_t count = 0; count <= 200; ++count) {
    const auto size = static_cast<std::size_t>(count), words = (size + 63) / 64;
    std::vector<unsigned char> bytes(size + 3);
    for (auto& byte : bytes) byte = random() % 2;
    constexpr std::uint64_t untouched = 0x1234567812345678;
    std::vector<std::uint64_t> packed(words + 1, untouched);
    mass::detail::packBytes(bytes.data() + 1, count, packed.data());  // at an odd address
    for (std::size_t bit = 0; bit < words * 64; ++bit) {
      const bool expected = bit < size && bytes[bit + 1] == 1;
      ASSERT_EQ((packed[bit / 64] >> (bit % 64) & 1U) != 0, expected) << bit << " of " << count;
    }
    EXPECT_EQ(packed.back(), untouched);
    std::vector<unsigned char> unpacked(size + 3, 7);
    if (words > 0) packed[words - 1] |= size % 64 == 0 ? 0 : ~std::uint64_t{0} << (size % 64);
    mass::detail::unpackBytes(packed.data(), count, unpacked.data() + 1);
    for (std::size_t i = 1; i <= size; ++i) ASSERT_EQ(unpacked[i], bytes[i]);
    EXPECT_EQ(unpacked[0], 7);
    EXPECT_EQ(unpacked[size + 1], 7);
  }
}

}  // namespace
