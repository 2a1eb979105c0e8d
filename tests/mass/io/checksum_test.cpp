#include <mass/io/checksum.hpp>

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace {

TEST(Checksum, DetectsEveryFlippedBit) {
  for (std::size_t size : {1u, 7u, 8u, 31u, 32u, 33u, 100u}) {
    std::vector<unsigned char> bytes(size, 0x5A);
    std::set<std::uint64_t> seen{mass::detail::checksum(bytes.data(), size)};
    for (std::size_t bit = 0; bit < size * 8; ++bit) {
      bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] ^ (1u << (bit % 8)));
      EXPECT_TRUE(seen.insert(mass::detail::checksum(bytes.data(), size)).second)
          << size << " bit " << bit;
      bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] ^ (1u << (bit % 8)));
    }
  }
}

TEST(Checksum, TellsLengthsOrdersAndSeedsApart) {
  const std::vector<unsigned char> zeros(200, 0);
  std::set<std::uint64_t> seen;
  for (std::size_t size = 0; size <= zeros.size(); ++size) {
    EXPECT_TRUE(seen.insert(mass::detail::checksum(zeros.data(), size)).second) << size;
  }
  EXPECT_TRUE(seen.insert(mass::detail::checksum(zeros.data(), 64, 1)).second);

  std::vector<std::uint64_t> words{1, 2, 3, 4, 5, 6, 7, 8};
  const auto before = mass::detail::checksum(words.data(), 64);
  std::swap(words[0], words[4]);  // words of one lane
  EXPECT_NE(before, mass::detail::checksum(words.data(), 64));
  std::swap(words[0], words[4]);
  std::swap(words[0], words[1]);  // words of two lanes
  EXPECT_NE(before, mass::detail::checksum(words.data(), 64));
}

// Checksums are stored in files that other versions of the library read.
TEST(Checksum, NeverChanges) {
  std::vector<unsigned char> bytes(77);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i);
  EXPECT_EQ(mass::detail::checksum(bytes.data(), bytes.size(), 3), 9539865515916470794u);
}

}  // namespace
