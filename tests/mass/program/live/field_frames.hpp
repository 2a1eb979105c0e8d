#pragma once

#include <mass/mass.hpp>

#include <mass/program/live/frame.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

// Worlds whose frames devices draw; they must be those that the host draws of all values.

namespace mass::testing {

using namespace mass::detail::live;
using mass::detail::PictureField;
using mass::detail::PictureStyle;

enum class Kind : std::uint8_t { bare, tree, fire };

class Cell : public mass::Place<2> {
 public:
  double heat = 0;
  float level = 0;
  bool alive = false;
  Kind kind = Kind::bare;
  std::int16_t height = 0;
  int state = 0;
  using Attributes = mass::Attributes<&Cell::heat, &Cell::level, &Cell::alive, &Cell::kind,
                                      &Cell::height, &Cell::state>;
};

/// A place whose only attribute is stored as a bit.
class Bit : public mass::Place<2> {
 public:
  bool alive = false;
  using Attributes = mass::Attributes<mass::stored<&Bit::alive, mass::Bits>>;
};

/// Returns a picture of a quantity, without values.
inline Picture quantity(float low, float high) {
  return {{}, 0, 0, low, high};
}
/// Returns a picture of categories, without values.
inline Picture categories(int count) {
  Picture picture;
  for (int i = 0; i < count; ++i) picture.categories.push_back(std::to_string(i));
  return picture;
}

/// Sets all attributes to random values.
inline void randomise(const mass::Places<Cell>& cells, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  const auto some = [&](const auto& value) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < cells.size(); ++i) values.push_back(value());
    return values;
  };
  cells.upload<&Cell::heat>(some([&] { return below(1000) / 900.0 - 0.05; }));
  cells.upload<&Cell::level>(
      some([&] { return below(20) == 0 ? std::numeric_limits<double>::quiet_NaN() : below(7); }));
  cells.upload<&Cell::alive>(some([&] { return below(2); }));
  cells.upload<&Cell::kind>(some([&] { return below(30) < 3 ? below(3) : 1; }));
  cells.upload<&Cell::height>(some([&] { return below(60000) - 30000; }));
  cells.upload<&Cell::state>(some([&] { return below(25); }));
}

/// Expects that the frame of a field is that of its values, on rank 0.
inline void expectEqual(mass::Mass& mass, PictureField& field, const FrameRequest& request) {
  const Picture outline = field.outline();
  const auto frame = drawFrame(field, outline, request, PictureStyle{});
  const Picture whole = field.picture();
  ASSERT_TRUE(frame.has_value());
  if (!mass.devices().ranks().isFirst()) return;
  const Frame expected = drawFrame(whole, request, PictureStyle{});
  EXPECT_EQ(frame->box, expected.box);
  EXPECT_EQ(frame->block, expected.block);
  ASSERT_EQ(frame->picture.image, expected.picture.image)
      << whole.name << ' ' << request.box.top << ' ' << request.box.left << ' ' << expected.block;
  EXPECT_EQ(frame->picture.colorMap.entries(), expected.picture.colorMap.entries());
}

/// Expects it of boxes and canvases of all sizes.
inline void expectEqualFrames(mass::Mass& mass, PictureField& field) {
  const std::vector<Box> boxes{{}, {3, 5, 20, 17}, {9, 0, 14, 0}};
  for (const Box& box : boxes) {
    for (const std::int64_t canvas : {2, 9, 100}) {
      for (const Reduction reduction : {Reduction::mean, Reduction::maximum})
        expectEqual(mass, field, {box, canvas, canvas + 1, reduction, -1, 0});
    }
  }
}

/// Tests attributes of each type.
inline void testTypes(mass::Mass& mass) {
  for (const auto& shape : {mass::Shape<2>{31, 43}, mass::Shape<2>{64, 17}}) {
    const auto cells = mass.createPlaces<Cell>(shape, {.name = fmt::format("{}", shape[0])});
    randomise(cells, 7);
    const auto check = [&](const std::string& attribute, const Picture& style) {
      PictureField field(cells.sharedPopulation(), attribute, style);
      expectEqualFrames(mass, field);
    };
    check("heat", quantity(0, 1));
    check("level", quantity(1, 5));
    check("level", quantity(2, 2));
    check("alive", quantity(0, 1));
    check("alive", categories(2));
    check("kind", categories(3));
    check("height", quantity(-20000, 25000));
    check("state", quantity(0, 24));
  }
}

/// Tests places that are stored as bits.
inline void testBits(mass::Mass& mass) {
  const auto cells = mass.createPlaces<Bit>({33, 160});
  std::mt19937 random(3);
  std::vector<std::uint8_t> alive(33 * 160);
  for (auto& state : alive) state = random() % 3 == 0;
  cells.upload<&Bit::alive>(alive);
  for (const Picture& style : {quantity(0, 1), categories(2)}) {
    PictureField field(cells.sharedPopulation(), "alive", style);
    expectEqualFrames(mass, field);
    expectEqual(mass, field, {{4, 61, 20, 70}, 10, 10, Reduction::mean, -1, 0});
    expectEqual(mass, field, {{4, 64, 20, 64}, 200, 200, Reduction::mean, -1, 0});
  }
}

}  // namespace mass::testing
