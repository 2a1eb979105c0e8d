#include <mass/support/element_type.hpp>

#include <gtest/gtest.h>

namespace {

using mass::detail::ElementType;
using mass::detail::elementTypeOf;

enum class Small : std::uint16_t { a };
enum Plain : int { b };
struct Pair {
  float x, y;
};

static_assert(elementTypeOf<bool>() == ElementType::boolean);
static_assert(elementTypeOf<signed char>() == ElementType::int8);
static_assert(elementTypeOf<std::uint8_t>() == ElementType::uint8);
static_assert(elementTypeOf<std::int16_t>() == ElementType::int16);
static_assert(elementTypeOf<unsigned>() == ElementType::uint32);
static_assert(elementTypeOf<const int>() == ElementType::int32);
static_assert(elementTypeOf<long>() == ElementType::int64);
static_assert(elementTypeOf<unsigned long long>() == ElementType::uint64);
static_assert(elementTypeOf<float>() == ElementType::float32);
static_assert(elementTypeOf<double>() == ElementType::float64);
static_assert(elementTypeOf<Small>() == ElementType::uint16);
static_assert(elementTypeOf<Plain>() == ElementType::int32);
static_assert(elementTypeOf<Pair>() == ElementType::opaque);
static_assert(mass::detail::sizeOf(elementTypeOf<double>()) == sizeof(double));
static_assert(mass::detail::sizeOf(elementTypeOf<std::uint16_t>()) == sizeof(std::uint16_t));

TEST(ElementType, NamesLeadBackToTheTypes) {
  for (const auto& row : mass::detail::elementTypes) {
    EXPECT_EQ(mass::detail::elementTypeNamed(mass::detail::nameOf(row.type)), row.type);
  }
  EXPECT_EQ(mass::detail::nameOf(ElementType::float32), "float32");
  EXPECT_EQ(mass::detail::nameOf(ElementType::opaque), "opaque");
  EXPECT_FALSE(mass::detail::elementTypeNamed("float"));
}

}  // namespace
