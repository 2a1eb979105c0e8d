#include <mass/rules/multiset.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

using mass::Multiset;
using mass::detail::MultisetWord;

template <class M>
std::vector<std::uint32_t> elementsOf(const M& multiset) {
  std::vector<std::uint32_t> elements;
  for (int i = 0; i < multiset.size(); ++i) elements.push_back(multiset.element(i));
  return elements;
}

template <class M>
class MultisetOfEachForm : public testing::Test {};
using Forms =
    testing::Types<Multiset<4, 1>, Multiset<4, 4>, Multiset<8, 1>, Multiset<8, 5>, Multiset<16, 3>>;
TYPED_TEST_SUITE(MultisetOfEachForm, Forms);

TYPED_TEST(MultisetOfEachForm, EqualsASortedVector) {
  std::mt19937 random(1);
  std::uniform_int_distribution<std::uint32_t> anyElement(1, TypeParam::largestElement);
  TypeParam multiset;
  std::vector<std::uint32_t> expected;
  for (int round = 0; round < 3000; ++round) {
    const bool full = expected.size() == TypeParam::capacity;
    if (!full && (expected.empty() || random() % 5 < 3)) {
      const std::uint32_t element =
          random() % 4 == 0 ? TypeParam::largestElement : anyElement(random);
      EXPECT_TRUE(multiset.add(element));
      expected.insert(std::upper_bound(expected.begin(), expected.end(), element), element);
    } else {
      const auto i = static_cast<std::ptrdiff_t>(random() % expected.size());
      multiset.remove(static_cast<int>(i));
      expected.erase(expected.begin() + i);
    }
    ASSERT_EQ(elementsOf(multiset), expected);
    ASSERT_EQ(multiset.empty(), expected.empty());
    const std::uint32_t element = anyElement(random);
    ASSERT_EQ(multiset.count(element), std::count(expected.begin(), expected.end(), element));
  }
}

TYPED_TEST(MultisetOfEachForm, AddReturnsFalseIfFull) {
  TypeParam multiset;
  for (int i = 0; i < TypeParam::capacity; ++i) EXPECT_TRUE(multiset.add(1));
  const TypeParam full = multiset;
  EXPECT_FALSE(multiset.add(TypeParam::largestElement));
  EXPECT_TRUE(multiset == full);
}

TYPED_TEST(MultisetOfEachForm, HasBitsThatDoNotDependOnTheOrderOfInsertion) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    std::uniform_int_distribution<std::uint32_t> anyElement(1, TypeParam::largestElement);
    std::vector<std::uint32_t> elements(random() % (TypeParam::capacity + 1));
    for (std::uint32_t& element : elements) element = anyElement(random);
    TypeParam added, inserted;
    for (const std::uint32_t element : elements) added.add(element);
    std::shuffle(elements.begin(), elements.end(), random);
    int overflowed = 0;
    for (const std::uint32_t element : elements) {
      const auto result = mass::detail::insertElement<TypeParam>(
          [&](int k) -> std::uint32_t& { return inserted[static_cast<std::size_t>(k)]; }, 0,
          element, false);
      EXPECT_FALSE(result.lost);
      overflowed += result.overflowed;
    }
    EXPECT_TRUE(added == inserted);
    EXPECT_EQ(overflowed, std::max(0, static_cast<int>(elements.size()) - TypeParam::Word::most));
  }
}

TEST(Multiset, InsertElementReportsALostElement) {
  Multiset<8, 1> multiset;
  const auto add = [&](std::uint32_t element) {
    return mass::detail::insertElement<Multiset<8, 1>>(
        [&](int) -> std::uint32_t& { return multiset[0]; }, 0, element, false);
  };
  for (const std::uint32_t element : {7U, 3U, 9U, 200U}) EXPECT_FALSE(add(element).lost);
  EXPECT_TRUE(add(4).lost);  // the largest element, 200, is lost
  EXPECT_EQ(elementsOf(multiset), (std::vector<std::uint32_t>{3, 4, 7, 9}));
}

TEST(MultisetWord, KeepsTheLargestInTheLowestBits) {
  EXPECT_EQ(MultisetWord<4>::inserted(0x1357, 4), 0x13457U);
  EXPECT_EQ(MultisetWord<4>::removed(0x12345678, 0), 0x2345678U);
  EXPECT_EQ(MultisetWord<4>::removed(0x12345678, 7), 0x1234567U);
  EXPECT_TRUE(MultisetWord<4>::isFull(0x12345678));
  EXPECT_EQ(MultisetWord<8>::size(0x10203), 3);
}

}  // namespace
