#include <mass/support/element_type.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

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

// Files have these names.
TEST(ElementType, EachHasItsNameAndSize) {
  struct Row {
    ElementType type;
    std::string_view name;
    std::size_t size;
  };
  const std::vector<Row> rows{{ElementType::boolean, "boolean", sizeof(bool)},
                              {ElementType::int8, "int8", 1},
                              {ElementType::uint8, "uint8", 1},
                              {ElementType::int16, "int16", 2},
                              {ElementType::uint16, "uint16", 2},
                              {ElementType::int32, "int32", 4},
                              {ElementType::uint32, "uint32", 4},
                              {ElementType::int64, "int64", 8},
                              {ElementType::uint64, "uint64", 8},
                              {ElementType::float32, "float32", sizeof(float)},
                              {ElementType::float64, "float64", sizeof(double)},
                              {ElementType::opaque, "opaque", 0}};
  ASSERT_EQ(rows.size(), mass::detail::elementTypes.size());
  for (const auto& [type, name, size] : rows) {
    EXPECT_EQ(mass::detail::nameOf(type), name);
    EXPECT_EQ(mass::detail::sizeOf(type), size) << name;
    EXPECT_EQ(mass::detail::elementTypeNamed(name), type);
  }
}

TEST(ElementType, NamesLeadBackToTheTypes) {
  for (const auto& row : mass::detail::elementTypes) {
    EXPECT_EQ(mass::detail::elementTypeNamed(mass::detail::nameOf(row.type)), row.type);
  }
  EXPECT_FALSE(mass::detail::elementTypeNamed("float"));
}

}  // namespace
