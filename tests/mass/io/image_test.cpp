#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <mass/io/image.hpp>
#include <mass/support/error.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../support/temporary_folder.hpp"

namespace mass {
namespace {

using testing::contains;
using testing::messageOf;
using testing::readBytes;
using testing::TemporaryFolder;
using testing::writeBytes;

using Pixels = std::vector<std::uint8_t>;

constexpr RenderSize oneToOne{1, 1024};

TEST(Render, MapsLowToFirstAndHighToLast) {
  const std::vector<float> values{-1, 0, 1, 3};
  const detail::Image image = render(values, 2, 2, -1, 3, oneToOne);
  EXPECT_EQ(image.width, 2);
  EXPECT_EQ(image.height, 2);
  EXPECT_EQ(image.pixels, (Pixels{0, 64, 128, 255}));
}

TEST(Render, ClampsWhatIsBeyond) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{-5, 7, -infinity, infinity, std::nanf(""), 1e38F};
  EXPECT_EQ(render(values, 1, 6, 0, 1, oneToOne).pixels, (Pixels{0, 255, 0, 255, 0, 255}));
}

TEST(Render, EqualBoundsSeparateHigherFromTheRest) {
  const std::vector<float> values{1, 2, std::nextafter(2.0F, 3.0F), 3, std::nanf("")};
  EXPECT_EQ(render(values, 1, 5, 2, 2, oneToOne).pixels, (Pixels{0, 0, 255, 255, 0}));
}

TEST(Render, EnlargesEachPlaceToASquare) {
  const std::vector<float> values{0, 1, 1, 0, 1, 0};
  const detail::Image image = render(values, 2, 3, 0, 1, {6, 100});
  EXPECT_EQ(image.width, 6);
  EXPECT_EQ(image.height, 4);
  EXPECT_EQ(image.pixels, (Pixels{0, 0, 255, 255, 255, 255,  //
                                  0, 0, 255, 255, 255, 255,  //
                                  0, 0, 255, 255, 0,   0,    //
                                  0, 0, 255, 255, 0,   0}));
}

TEST(Render, ReducesToMeansWithPartialBlocksAtTheEdges) {
  // 3 x 5 places in blocks of 2 x 2: the blocks of the last row and column have half the size.
  const std::vector<float> values{0,   51,  255, 255, 102,  //
                                  102, 255, 255, 255, 0,    //
                                  10,  20,  0,   0,   255};
  const detail::Image image = render(values, 3, 5, 0, 255, {1, 3});
  EXPECT_EQ(image.width, 3);
  EXPECT_EQ(image.height, 2);
  EXPECT_EQ(image.pixels, (Pixels{102, 255, 51, 15, 0, 255}));
}

TEST(Render, AnInfinityOrNaNDoesNotSpoilItsBlock) {
  const std::vector<float> values{std::numeric_limits<float>::infinity(), std::nanf(""), 0, 1};
  EXPECT_EQ(render(values, 2, 2, 0, 1, {1, 1}).pixels, (Pixels{128}));
}

TEST(Render, KeepsTheLongerSideWithinItsBounds) {
  for (const std::int64_t longer : {1, 7, 240, 479, 480, 481, 1024, 1025, 2048, 3000, 100'003}) {
    const std::vector<float> values(static_cast<std::size_t>(2 * longer));
    for (const bool isWide : {true, false}) {
      const detail::Image image =
          isWide ? render(values, 2, longer, 0, 1) : render(values, longer, 2, 0, 1);
      if (longer == 1) continue;  // the side of length 2 is longer
      const std::int64_t side = isWide ? image.width : image.height;
      EXPECT_GE(side, 480) << longer;
      EXPECT_LE(side, 1024) << longer;
      EXPECT_EQ(image.pixels.size(), static_cast<std::size_t>(image.width * image.height));
    }
  }
}

TEST(Render, ScalesMayExceedSinglePrecision) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{0, 1, infinity};
  const auto image = render(values, 1, 3, 0, infinity);
  EXPECT_EQ(image.pixels.front(), 0);
  EXPECT_EQ(image.pixels.back(), 255);
  EXPECT_NO_THROW(render(values, 1, 3, -infinity, infinity));
}

TEST(Render, RefusesWhatDoesNotFit) {
  const std::vector<float> values(6);
  EXPECT_THROW(render(values, 2, 2, 0, 1), UsageError);
  EXPECT_THROW(render(values, 2, 4, 0, 1), UsageError);
  EXPECT_THROW(render(values, 0, 6, 0, 1), UsageError);
  EXPECT_THROW(render(values, 6, 0, 0, 1), UsageError);
  EXPECT_THROW(render(values, -2, -3, 0, 1), UsageError);
  EXPECT_THROW(render({}, 0, 0, 0, 1), UsageError);
  EXPECT_THROW(render(values, 2, 3, 1, 0), UsageError);
  EXPECT_THROW(render(values, 2, 3, std::nanf(""), 0), UsageError);
  EXPECT_THROW(render(values, 2, 3, 0, 1, {500, 600}), UsageError);
  EXPECT_THROW(render(values, 2, 3, 0, 1, {0, 600}), UsageError);
}

detail::Image everyIndex(std::int64_t width, std::int64_t height) {
  detail::Image image{width, height, {}};
  for (std::int64_t i = 0; i < width * height; ++i) {
    image.pixels.push_back(static_cast<std::uint8_t>(i * 7));
  }
  return image;
}

TEST(Png, KeepsIndicesAndColours) {
  TemporaryFolder folder;
  for (const std::string_view name : ColorMap::names()) {
    for (const auto& [width, height] : {std::pair{1, 1}, {37, 23}, {256, 300}}) {
      const detail::Image image = everyIndex(width, height);
      writePng(folder / "a.png", image, ColorMap::named(name));
      const detail::PalettePicture read = readPng(folder / "a.png");
      EXPECT_EQ(read.image, image);
      EXPECT_EQ(read.colorMap, ColorMap::named(name));
    }
  }
  EXPECT_EQ(folder.names(), std::set<std::string>{"a.png"});
}

TEST(Png, IsAnEightBitPalettePng) {
  TemporaryFolder folder;
  writePng(folder / "a.png", everyIndex(300, 5), ColorMap::named("heat"));
  const std::string bytes = readBytes(folder / "a.png");
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(bytes.substr(12, 4), "IHDR");
  EXPECT_EQ(bytes.substr(16, 10), std::string("\0\0\x01\x2c\0\0\0\x05\x08\x03", 10));
  EXPECT_TRUE(contains(bytes, "PLTE"));
}

TEST(Png, RefusesAnImageWhosePixelsDoNotFit) {
  TemporaryFolder folder;
  detail::Image image = everyIndex(4, 4);
  image.pixels.pop_back();
  EXPECT_THROW(writePng(folder / "a.png", image, ColorMap::named("gray")), UsageError);
  EXPECT_THROW(writePng(folder / "a.png", detail::Image{}, ColorMap::named("gray")), UsageError);
  EXPECT_TRUE(folder.names().empty());
}

TEST(Png, AnUnwritableFolderIsAnOutputError) {
  TemporaryFolder folder;
  EXPECT_THROW(writePng(folder / "missing/a.png", everyIndex(2, 2), ColorMap::named("gray")),
               OutputError);
}

TEST(Png, AMissingFileIsNamed) {
  TemporaryFolder folder;
  const std::string message = messageOf<InputError>([&] { readPng(folder / "none.png"); });
  EXPECT_TRUE(contains(message, (folder / "none.png").string()));
  EXPECT_TRUE(contains(message, "there is no such file"));
}

TEST(Png, OtherFilesAreInputErrors) {
  TemporaryFolder folder;
  writeBytes(folder / "empty.png", "");
  EXPECT_THROW(readPng(folder / "empty.png"), InputError);
  writeBytes(folder / "text.png", "not a picture at all");
  EXPECT_THROW(readPng(folder / "text.png"), InputError);
  // A valid PNG without a palette: one gray pixel.
  const std::string gray(
      "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0\x3a\x7e\x9b\x55"
      "\0\0\0\x0aIDAT\x78\x9c\x63\x60\0\0\0\x02\0\x01\x48\xaf\xa4\x71\0\0\0\0IEND\xae\x42\x60\x82",
      67);
  writeBytes(folder / "gray.png", gray);
  const std::string message = messageOf<InputError>([&] { readPng(folder / "gray.png"); });
  EXPECT_TRUE(contains(message, "no palette of 256 colours"));
}

TEST(Png, ATruncatedFileIsAnInputError) {
  TemporaryFolder folder;
  writePng(folder / "a.png", everyIndex(64, 64), ColorMap::named("ice"));
  const std::string bytes = readBytes(folder / "a.png");
  const std::size_t data = bytes.find("IDAT");
  for (std::size_t length = 0; length < data + 20; length += 13) {
    writeBytes(folder / "cut.png", bytes.substr(0, length));
    EXPECT_THROW(readPng(folder / "cut.png"), InputError) << length;
  }
}

TEST(Png, DamageNeverGoesBeyondAnInputError) {
  TemporaryFolder folder;
  writePng(folder / "a.png", everyIndex(16, 16), ColorMap::named("ice"));
  const std::string bytes = readBytes(folder / "a.png");
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    writeBytes(folder / "damaged.png", damaged);
    try {
      readPng(folder / "damaged.png");
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace mass
