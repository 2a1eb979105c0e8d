#include <mass/model/cursor.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace {

using mass::detail::Pack;
using mass::detail::packWidth;

template <class T>
void expectPacked() {
  EXPECT_EQ(sizeof(Pack<T>), packWidth * sizeof(T));
  EXPECT_GE(alignof(Pack<T>), alignof(T));
  EXPECT_EQ(sizeof(Pack<T>) % alignof(Pack<T>), 0U) << "every pack of a line is aligned";
}

TEST(Pack, IsAsLargeAsItsElementsWhateverTheirSize) {
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

TEST(Pack, OfNumbersIsStoredAtOnce) {
  EXPECT_EQ(alignof(Pack<std::uint8_t>), 4U);
  EXPECT_EQ(alignof(Pack<std::int16_t>), 8U);
  EXPECT_EQ(alignof(Pack<float>), 16U);
  EXPECT_EQ(alignof(Pack<double>), 16U);
}

}  // namespace
