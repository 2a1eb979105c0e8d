#include <mass/program/live/frame.hpp>

#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace {

using namespace mass::detail::live;
using mass::Picture;
using mass::detail::PictureStyle;

/// Returns a picture of the values 0, 1, 2, ... from 0 to 255.
Picture counted(std::int64_t rows, std::int64_t columns) {
  Picture picture{{}, rows, columns, 0, 255};
  picture.values.resize(static_cast<std::size_t>(rows * columns));
  std::iota(picture.values.begin(), picture.values.end(), 0.0F);
  return picture;
}

FrameRequest request(Box box, std::int64_t width, std::int64_t height,
                     Reduction reduction = Reduction::mean) {
  return {box, width, height, reduction, -1, 0};
}

using Pixels = std::vector<std::uint8_t>;

TEST(LiveFrame, HasAPixelForEachPlaceThatFits) {
  const Frame frame = drawFrame(counted(2, 3), request({}, 100, 100), {});
  EXPECT_EQ(frame.box, (Box{0, 0, 2, 3}));
  EXPECT_EQ(frame.block, 1);
  EXPECT_EQ(frame.picture.image.width, 3);
  EXPECT_EQ(frame.picture.image.height, 2);
  EXPECT_EQ(frame.picture.image.pixels, (Pixels{0, 1, 2, 3, 4, 5}));
}

TEST(LiveFrame, HasTheMeanOfABlock) {
  const Frame frame = drawFrame(counted(4, 4), request({}, 2, 2), {});
  EXPECT_EQ(frame.block, 2);
  EXPECT_EQ(frame.picture.image.pixels, (Pixels{3, 5, 11, 13}));  // 2.5 is rounded up
}

TEST(LiveFrame, HasTheMaximumOfABlock) {
  const Frame frame = drawFrame(counted(4, 4), request({}, 2, 2, Reduction::maximum), {});
  EXPECT_EQ(frame.picture.image.pixels, (Pixels{5, 7, 13, 15}));
}

TEST(LiveFrame, CutsTheLastBlocks) {
  const Frame frame = drawFrame(counted(3, 5), request({}, 3, 3, Reduction::maximum), {});
  EXPECT_EQ(frame.block, 2);
  EXPECT_EQ(frame.picture.image.width, 3);
  EXPECT_EQ(frame.picture.image.height, 2);
  EXPECT_EQ(frame.picture.image.pixels, (Pixels{6, 8, 9, 11, 13, 14}));
}

TEST(LiveFrame, ShowsABoxOnly) {
  const Frame frame = drawFrame(counted(4, 4), request({1, 2, 2, 2}, 10, 10), {});
  EXPECT_EQ(frame.box, (Box{1, 2, 2, 2}));
  EXPECT_EQ(frame.picture.image.pixels, (Pixels{6, 7, 10, 11}));
}

TEST(LiveFrame, ClipsABoxToThePicture) {
  EXPECT_EQ(clipped({1, 1, 9, 9}, counted(3, 4)), (Box{1, 1, 2, 3}));
  EXPECT_EQ(clipped({7, 9, 1, 1}, counted(3, 4)), (Box{2, 3, 1, 1}));
  EXPECT_EQ(clipped({0, 0, 0, 0}, counted(3, 4)), (Box{0, 0, 3, 4}));
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(clipped({most, most, most, most}, counted(3, 4)), (Box{2, 3, 1, 1}));
}

TEST(LiveFrame, NeverHasMoreThanAMebibyte) {
  for (const std::int64_t edge : {1000, 1024, 4096, 5000, 16384, 100000, 1 << 20}) {
    const Box box{0, 0, edge, edge};
    const std::int64_t block = blockOf(box, mostPixels, mostPixels);
    const std::int64_t pixels = (edge + block - 1) / block;
    EXPECT_LE(pixels * pixels, std::int64_t{mostFramePixels}) << edge;
  }
}

TEST(LiveFrame, HasTheBlocksThatItStates) {
  for (std::int64_t edge = 1; edge <= 60; ++edge) {
    for (const std::int64_t canvas : {1, 3, 7, 20}) {
      const Frame frame = drawFrame(counted(edge, edge / 2 + 1), request({}, canvas, canvas), {});
      const auto pixels = [&](std::int64_t places) {
        return (places + frame.block - 1) / frame.block;
      };
      ASSERT_EQ(frame.picture.image.height, pixels(edge)) << edge << ' ' << canvas;
      ASSERT_EQ(frame.picture.image.width, pixels(edge / 2 + 1)) << edge << ' ' << canvas;
      ASSERT_LE(frame.picture.image.height, canvas);
    }
  }
}

TEST(LiveFrame, LeavesAbsentPlacesOutOfAMaximum) {
  Picture picture = counted(2, 2);
  picture.absent = {false, false, false, true};
  const Frame frame = drawFrame(picture, request({}, 1, 1, Reduction::maximum), {});
  EXPECT_EQ(frame.picture.image.pixels, (Pixels{2}));
  picture.absent = {true, true, true, true};
  const Frame paper = drawFrame(picture, request({}, 1, 1, Reduction::maximum), {});
  EXPECT_EQ(paper.picture.image.pixels, (Pixels{254}));
}

TEST(LiveFrame, KeepsCategories) {
  Picture picture{{0, 1, 2, 0}, 2, 2};
  picture.categories = {"bare", "tree", "fire"};
  picture.colors = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  const Frame frame = drawFrame(picture, request({0, 1, 2, 1}, 9, 9), {});
  EXPECT_EQ(frame.picture.image.pixels, (Pixels{1, 0}));
  EXPECT_EQ(frame.picture.colorMap.entries()[2], (mass::Rgb{7, 8, 9}));
  const Frame highest = drawFrame(picture, request({}, 1, 1, Reduction::maximum), {});
  EXPECT_EQ(highest.picture.image.pixels, (Pixels{2}));
}

TEST(LiveFrame, RefusesAPictureWithTooFewValues) {
  Picture picture = counted(2, 2);
  picture.values.pop_back();
  EXPECT_THROW(drawFrame(picture, request({}, 9, 9), {}), mass::UsageError);
}

}  // namespace
