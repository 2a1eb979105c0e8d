#pragma once

#include <mass/mass.hpp>

#include <mass/program/live/frame.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
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
  const int across = request.slice.axis < 0 ? 1 : request.slice.axis;
  const Picture outline = field.outline(across);
  const auto frame = drawFrame(field, outline, request, PictureStyle{});
  const Picture whole = field.picture(across, request.slice.at);
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

/// Place of a 3-D world.
class Site : public mass::Place<3> {
 public:
  std::int32_t number = 0;
  using Attributes = mass::Attributes<&Site::number>;
};

/// Tests planes of a 3-D world across each axis.
inline void testSlices(mass::Mass& mass) {
  const mass::Shape<3> shape{9, 14, 23};
  const auto sites = mass.createPlaces<Site>(shape);
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(sites.size()));
  std::iota(numbers.begin(), numbers.end(), 0);
  sites.upload<&Site::number>(numbers);
  PictureField field(sites.sharedPopulation(), "number", quantity(0, 2900));
  for (int axis = 0; axis < 3; ++axis) {
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{5}, shape[axis] - 1}) {
      const Picture plane = field.picture(axis, at);
      const int up = axis == 0 ? 1 : 0, right = axis == 2 ? 1 : 2;
      mass::Coordinates<3> place{};
      place[axis] = at, place[up] = 3, place[right] = 7;
      EXPECT_EQ(plane.values[static_cast<std::size_t>(3 * shape[right] + 7)],
                static_cast<float>(mass::indexOf(place, shape)));
      EXPECT_EQ(field.value(axis, at, 3, 7), static_cast<float>(mass::indexOf(place, shape)));
      for (const std::int64_t canvas : {4, 100}) {
        for (const Box& box : {Box{}, Box{2, 3, 5, 4}}) {
          FrameRequest request{box, canvas, canvas, Reduction::mean, -1, 0, {axis, at}};
          expectEqual(mass, field, request);
        }
      }
    }
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
