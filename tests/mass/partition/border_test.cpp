#include <mass/partition/border.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using mass::Border;
using mass::sourceOf;

/// Reference for sourceOf() from -far to length + far, by walking one place at a time.
struct Walk {
  std::vector<std::int64_t> before;  ///< before[k] is the source of position -1 - k
  std::vector<std::int64_t> after;   ///< after[k] is the source of position length + k
};

Walk walk(std::int64_t length, Border border, int far) {
  Walk walk;
  const bool bounces = border == Border::mirrored;
  std::int64_t at = bounces ? 0 : length - 1;
  std::int64_t step = bounces ? 1 : -1;
  for (int k = 0; k < far; ++k) {
    walk.before.push_back(at);
    at += step;
    if (at < 0 || at == length) {
      if (bounces) {
        step = -step;
        at += step;  // visits the outermost place twice: the mirror is its outer face
      } else {
        at = length - 1;
      }
    }
    walk.after.push_back(length - 1 - walk.before.back());
  }
  return walk;
}

TEST(Border, InsideEveryBorderGivesThePlaceItself) {
  for (const Border border : {Border::periodic, Border::fixed, Border::mirrored}) {
    for (std::int64_t length = 1; length < 6; ++length) {
      for (std::int64_t at = 0; at < length; ++at) EXPECT_EQ(sourceOf(at, length, border), at);
    }
  }
}

TEST(Border, NothingLiesBehindAFixedOne) {
  for (const std::int64_t at : {-1000, -2, -1, 5, 6, 1000}) {
    EXPECT_EQ(sourceOf(at, 5, Border::fixed), -1);
  }
}

TEST(Border, WalkingOutwardsMeetsTheSamePlacesHoweverFar) {
  for (const Border border : {Border::periodic, Border::mirrored}) {
    for (std::int64_t length = 1; length < 8; ++length) {
      const Walk walked = walk(length, border, 50);
      for (std::int64_t k = 0; k < 50; ++k) {
        const auto number = static_cast<std::size_t>(k);
        EXPECT_EQ(sourceOf(-1 - k, length, border), walked.before[number]) << length << ' ' << k;
        EXPECT_EQ(sourceOf(length + k, length, border), walked.after[number]) << length << ' ' << k;
      }
    }
  }
}

TEST(Border, KnownPositions) {
  EXPECT_EQ(sourceOf(-1, 5, Border::periodic), 4);
  EXPECT_EQ(sourceOf(5, 5, Border::periodic), 0);
  EXPECT_EQ(sourceOf(-1, 5, Border::mirrored), 0);
  EXPECT_EQ(sourceOf(-5, 5, Border::mirrored), 4);
  EXPECT_EQ(sourceOf(-6, 5, Border::mirrored), 4);
  EXPECT_EQ(sourceOf(9, 5, Border::mirrored), 0);
  EXPECT_EQ(sourceOf(10, 5, Border::mirrored), 0);
}

TEST(Border, WhatIsSentBeyondItArrivesAtTheOutermostPlaceOrGoesRound) {
  for (std::int64_t length = 1; length < 5; ++length) {
    for (std::int64_t at = -12; at <= 12; ++at) {
      const std::int64_t nearest = std::clamp<std::int64_t>(at, 0, length - 1);
      EXPECT_EQ(mass::arrivalAt(at, length, Border::fixed), nearest) << at << " of " << length;
      EXPECT_EQ(mass::arrivalAt(at, length, Border::mirrored), nearest) << at << " of " << length;
      EXPECT_EQ(mass::arrivalAt(at, length, Border::periodic), (at + 12 * length) % length)
          << at << " of " << length;
    }
  }
}

}  // namespace
