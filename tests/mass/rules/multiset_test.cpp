#include <mass/rules/multiset.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

using mass::Multiset;
using mass::detail::MultisetWord;

template <class B>
std::vector<std::uint32_t> codesOf(const B& bag) {
  std::vector<std::uint32_t> elements;
  for (int i = 0; i < bag.size(); ++i) elements.push_back(bag.element(i));
  return elements;
}

template <class B>
class BagOfEachForm : public testing::Test {};
using Forms =
    testing::Types<Multiset<4, 1>, Multiset<4, 4>, Multiset<8, 1>, Multiset<8, 5>, Multiset<16, 3>>;
TYPED_TEST_SUITE(BagOfEachForm, Forms);

TYPED_TEST(BagOfEachForm, HoldsWhatASortedVectorHolds) {
  std::mt19937 random(1);
  std::uniform_int_distribution<std::uint32_t> anyCode(1, TypeParam::largestElement);
  TypeParam bag;
  std::vector<std::uint32_t> expected;
  for (int round = 0; round < 3000; ++round) {
    const bool full = expected.size() == TypeParam::capacity;
    if (!full && (expected.empty() || random() % 5 < 3)) {
      const std::uint32_t element = random() % 4 == 0 ? TypeParam::largestElement : anyCode(random);
      EXPECT_TRUE(bag.add(element));
      expected.insert(std::upper_bound(expected.begin(), expected.end(), element), element);
    } else {
      const auto i = static_cast<std::ptrdiff_t>(random() % expected.size());
      bag.remove(static_cast<int>(i));
      expected.erase(expected.begin() + i);
    }
    ASSERT_EQ(codesOf(bag), expected);
    ASSERT_EQ(bag.empty(), expected.empty());
    const std::uint32_t element = anyCode(random);
    ASSERT_EQ(bag.count(element), std::count(expected.begin(), expected.end(), element));
  }
}

TYPED_TEST(BagOfEachForm, TakesNoMoreThanItHasRoomFor) {
  TypeParam bag;
  for (int i = 0; i < TypeParam::capacity; ++i) EXPECT_TRUE(bag.add(1));
  const TypeParam full = bag;
  EXPECT_FALSE(bag.add(TypeParam::largestElement));
  EXPECT_TRUE(bag == full);
}

TYPED_TEST(BagOfEachForm, HasTheSameBitsWhateverOrderCodesComeIn) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    std::uniform_int_distribution<std::uint32_t> anyCode(1, TypeParam::largestElement);
    std::vector<std::uint32_t> elements(random() % (TypeParam::capacity + 1));
    for (std::uint32_t& element : elements) element = anyCode(random);
    TypeParam added, arrived;
    for (const std::uint32_t element : elements) added.add(element);
    std::shuffle(elements.begin(), elements.end(), random);
    int spilled = 0;
    for (const std::uint32_t element : elements) {
      const auto arrival = mass::detail::insertElement<TypeParam>(
          [&](int k) -> std::uint32_t& { return arrived[static_cast<std::size_t>(k)]; }, 0, element,
          false);
      EXPECT_FALSE(arrival.lost);
      spilled += arrival.overflowed;
    }
    EXPECT_TRUE(added == arrived);
    EXPECT_EQ(spilled, std::max(0, static_cast<int>(elements.size()) - TypeParam::Word::most));
  }
}

TEST(Multiset, SaysWhatFindsNoRoom) {
  Multiset<8, 1> bag;
  const auto add = [&](std::uint32_t element) {
    return mass::detail::insertElement<Multiset<8, 1>>(
        [&](int) -> std::uint32_t& { return bag[0]; }, 0, element, false);
  };
  for (const std::uint32_t element : {7U, 3U, 9U, 200U}) EXPECT_FALSE(add(element).lost);
  EXPECT_TRUE(add(4).lost);  // and the largest of all is gone
  EXPECT_EQ(codesOf(bag), (std::vector<std::uint32_t>{3, 4, 7, 9}));
}

TEST(MultisetWord, KeepsTheLargestInTheLowestBits) {
  EXPECT_EQ(MultisetWord<4>::inserted(0x1357, 4), 0x13457U);
  EXPECT_EQ(MultisetWord<4>::removed(0x12345678, 0), 0x2345678U);
  EXPECT_EQ(MultisetWord<4>::removed(0x12345678, 7), 0x1234567U);
  EXPECT_TRUE(MultisetWord<4>::isFull(0x12345678));
  EXPECT_EQ(MultisetWord<8>::size(0x10203), 3);
}

}  // namespace
