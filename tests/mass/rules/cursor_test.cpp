#include <mass/rules/cursor.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace {

using mass::detail::Pack;
using mass::detail::packWidth;

template <class T, int Width>
void expectPackedBy() {
  using Elements = Pack<T, Width>;
  EXPECT_EQ(sizeof(Elements), Width * sizeof(T));
  EXPECT_GE(alignof(Elements), alignof(T));
  EXPECT_EQ(sizeof(Elements) % alignof(Elements), 0U) << "every pack of a line is aligned";
}
template <class T>
void expectPacked() {
  expectPackedBy<T, 2>();
  expectPackedBy<T, packWidth>();
}

TEST(Pack, HasTheSizeOfItsElements) {
  expectPacked<std::uint8_t>();
  expectPacked<std::int16_t>();
  expectPacked<float>();
  expectPacked<double>();
  expectPacked<std::array<char, 3>>();
  expectPacked<std::array<char, 5>>();
  expectPacked<std::array<std::int16_t, 3>>();
  expectPacked<std::array<float, 3>>();
  expectPacked<std::array<double, 3>>();
  struct alignas(32) Wide {
    char bytes[32];
  };
  expectPacked<Wide>();
}

TEST(Pack, OfNumbersHasTheAlignmentOfOneStore) {
  EXPECT_EQ(alignof(Pack<std::uint8_t, packWidth>), 4U);
  EXPECT_EQ(alignof(Pack<std::int16_t, packWidth>), 8U);
  EXPECT_EQ(alignof(Pack<float, packWidth>), 16U);
  EXPECT_EQ(alignof(Pack<double, packWidth>), 16U);
  EXPECT_EQ(alignof(Pack<std::int16_t, 2>), 4U);
  EXPECT_EQ(alignof(Pack<float, 2>), 8U);
}

}  // namespace
