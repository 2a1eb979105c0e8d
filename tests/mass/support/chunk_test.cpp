// Number of steps between two interruptions of a run.

#include <mass/support/chunk.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

using mass::detail::Chunk;

/// Makes chunks of steps that take a time each. @return the lengths of the chunks
std::vector<std::int64_t> lengths(int chunks, std::chrono::milliseconds ofStep, double wanted) {
  Chunk chunk{.mostGrowth = 16};
  std::vector<std::int64_t> found;
  for (int i = 0; i < chunks; ++i) {
    found.push_back(chunk.steps);
    chunk.make(chunk.steps, wanted, [&] { std::this_thread::sleep_for(ofStep * chunk.steps); });
  }
  return found;
}

TEST(Chunk, HasAPassOfLongStepsAfterTheFirst) {
  EXPECT_EQ(lengths(2, std::chrono::milliseconds(4), 10), (std::vector<std::int64_t>{1, 16}));
}

TEST(Chunk, StaysAtOneStepThatTakesLong) {
  EXPECT_EQ(lengths(3, std::chrono::milliseconds(30), 0.04), (std::vector<std::int64_t>{1, 1, 1}));
}

TEST(Chunk, GrowsOnlyIfItWasMadeWhole) {
  Chunk chunk{.steps = 8, .mostGrowth = 16};
  chunk.make(3, 1.0, [] {});
  EXPECT_EQ(chunk.steps, 8);
  chunk.make(8, 1.0, [] {});
  EXPECT_EQ(chunk.steps, 128);
  Chunk doubled;
  doubled.make(1, 1.0, [] {});
  EXPECT_EQ(doubled.steps, 2);
}

}  // namespace
