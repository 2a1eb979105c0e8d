#include "../../support/no_more_files.hpp"
#include "../../support/ring_mappings.hpp"

#include <mass/memory/ring_memory.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace {

using mass::detail::RingMemory;
using mass::testing::NoMoreFiles;
using mass::testing::ringMappings;

TEST(RingMemory, GoesOnWithItsBegin) {
  const RingMemory ring(10'000);
  ASSERT_NE(ring.data(), nullptr);
  ASSERT_EQ(ring.bytes(), RingMemory::roundUp(10'000));
  ASSERT_GE(ring.bytes(), 10'000U);
  for (std::size_t i = 0; i < ring.bytes(); ++i) ring.data()[i] = static_cast<char>(i % 101);
  for (std::size_t i = 0; i < ring.bytes(); ++i)
    ASSERT_EQ(ring.data()[ring.bytes() + i], static_cast<char>(i % 101)) << i;
  ring.data()[2 * ring.bytes() - 1] = 7;
  EXPECT_EQ(ring.data()[ring.bytes() - 1], 7);
}

TEST(RingMemory, HasWholePages) {
  const std::size_t page = RingMemory::roundUp(1);
  EXPECT_EQ(RingMemory::roundUp(0), 0U);
  EXPECT_EQ(RingMemory::roundUp(page), page);
  EXPECT_EQ(RingMemory::roundUp(page + 1), 2 * page);
  EXPECT_EQ(RingMemory(page + 1).bytes(), 2 * page);
}

TEST(RingMemory, HasItsOwnBytes) {
  const RingMemory one(1), other(1);
  one.data()[0] = 1;
  other.data()[0] = 2;
  EXPECT_EQ(one.data()[one.bytes()], 1);
}

TEST(RingMemory, IsUnmappedOnce) {
  const int before = ringMappings();
  {
    RingMemory ring(5000);
    EXPECT_EQ(ringMappings(), before + 2);
    ring.data()[3] = 5;
    RingMemory moved = std::move(ring);
    EXPECT_EQ(moved.data()[3], 5);
    EXPECT_EQ(ringMappings(), before + 2);
    std::vector<RingMemory> rings(3);
    for (RingMemory& each : rings) each = RingMemory(5000);
    EXPECT_EQ(ringMappings(), before + 8);
    rings[1] = RingMemory();
    EXPECT_EQ(ringMappings(), before + 6);
  }
  EXPECT_EQ(ringMappings(), before);
}

TEST(RingMemory, MapsNothingIfTheSystemRefuses) {
  const int before = ringMappings();
  const auto refused = [] {
    const NoMoreFiles none;
    return RingMemory(5000);
  }();
  EXPECT_EQ(refused.data(), nullptr);
  EXPECT_EQ(refused.bytes(), 0U);
  EXPECT_EQ(RingMemory(0).data(), nullptr);
  EXPECT_EQ(ringMappings(), before);
}

}  // namespace
