#include <mass/program/live/answer.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace mass::detail::live;
using Json = nlohmann::json;
using mass::Picture;

/// Frame of a message, as a page reads it.
struct Received {
  Json header;
  std::vector<unsigned> pixels;
};

Received receive(const std::string& bytes) {
  std::size_t length = 0;
  for (unsigned i = 0; i < 4; ++i)
    length |= std::size_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
  Received received{Json::parse(bytes.substr(4, length)), {}};
  const auto bits = received.header["bits"].get<unsigned>();
  const auto& size = received.header["size"];
  const std::size_t count = size[0].get<std::size_t>() * size[1].get<std::size_t>();
  EXPECT_EQ(bytes.size(), 4 + length + (count * bits + 7) / 8);
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned byte = static_cast<unsigned char>(bytes[4 + length + i * bits / 8]);
    received.pixels.push_back(byte >> i * bits % 8 & ((1U << bits) - 1));
  }
  return received;
}

/// Returns the message of the frame of a picture of one row, of values from 0 to 255.
Received sent(const std::vector<float>& values) {
  const Picture picture{values, 1, static_cast<std::int64_t>(values.size()), 0, 255};
  const FrameRequest request{{}, 1000, 1000, Reduction::mean, -1, 0};
  return receive(toBytes(picture, drawFrame(picture, request, {}), 3, 14, 15));
}

TEST(LiveAnswer, HasAFrameWithItsHeader) {
  const Received frame = sent({0, 100, 255});
  EXPECT_EQ(frame.pixels, (std::vector<unsigned>{0, 100, 255}));
  EXPECT_EQ(frame.header["bits"], 8);
  EXPECT_EQ(frame.header["number"], 3);
  EXPECT_EQ(frame.header["step"], 14);
  EXPECT_EQ(frame.header["id"], 15);
  EXPECT_EQ(frame.header["places"], (Json{1, 3}));
  EXPECT_EQ(frame.header["box"], (Json{0, 0, 1, 3}));
}

TEST(LiveAnswer, PacksIndicesIntoFewBits) {
  const std::vector<std::pair<std::vector<float>, int>> table{
      {{0, 0, 0}, 1},       {{1, 0, 1, 1, 0, 0, 1, 0, 1}, 1},
      {{0, 3, 1, 2, 3}, 2}, {{15, 4, 0, 9, 7}, 4},
      {{16, 1}, 8},         {{4}, 4}};
  for (const auto& [values, bits] : table) {
    const Received frame = sent(values);
    EXPECT_EQ(frame.header["bits"], bits);
    EXPECT_EQ(frame.pixels, std::vector<unsigned>(values.begin(), values.end()));
  }
}

TEST(LiveAnswer, HasTheValueOfAPlace) {
  Picture picture{{1, 2.5, 3, std::numeric_limits<float>::quiet_NaN()}, 2, 2};
  const auto value = [&](std::int64_t row, std::int64_t column) {
    return Json::parse(valueText(picture, {row, column}, 7))["value"];
  };
  EXPECT_EQ(value(0, 1), 2.5);
  EXPECT_EQ(value(1, 1), "nan");
  EXPECT_TRUE(value(2, 0).is_null());
  EXPECT_TRUE(value(0, 2).is_null());
  picture.absent = {false, true, false, false};
  EXPECT_TRUE(value(0, 1).is_null());
}

TEST(LiveAnswer, HasTheRowsThatAViewerLacks) {
  Curves curves;
  for (int step = 0; step < 5; ++step) curves.add(step, std::vector<double>{0.5 * step});
  const auto rows = [&](std::int64_t generation, std::int64_t from) {
    return Json::parse(rowsText(curves, {generation, from}));
  };
  const Json more = rows(curves.generation(), 3);
  EXPECT_EQ(more["from"], 3);
  EXPECT_EQ(more["steps"], Json::array({3, 4}));
  EXPECT_EQ(more["rows"], Json::array({Json::array({1.5}), Json::array({2.0})}));
  EXPECT_EQ(rows(curves.generation() + 1, 3)["from"], 0);
  EXPECT_EQ(rows(curves.generation(), 6)["steps"].size(), 5);
}

TEST(LiveAnswer, ReplacesBytesThatAreNoText) {
  EXPECT_TRUE(Json::accept(noteText("\xff\xfe", true)));
}

}  // namespace
