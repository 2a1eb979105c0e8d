#include <mass/mass.hpp>

#include <mass/program/live/painter.hpp>

#include <gtest/gtest.h>
#include <tests/support/make_mass.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace {

using namespace mass::detail::live;
using mass::detail::ModelRun;
using Shares = std::vector<std::array<float, 2>>;

class Cell : public mass::Place<2> {
 public:
  std::int32_t number = 0;
  using Attributes = mass::Attributes<&Cell::number>;
};

/// A world of 4 x 8 places with agents, whose run makes no steps.
class LivePainter : public ::testing::Test {
 protected:
  LivePainter() {
    model.palette = "heat";
    model.picture = [] { return mass::Picture{std::vector<float>(32), 4, 8}; };
    painter.begin(model);
  }

  void addPoints(Shares shares) {
    const auto count = static_cast<std::int64_t>(shares.size());
    model.points.push_back({"bee", {1, 2, 3}, [=] { return count; }, [=] { return shares; }});
  }
  /// Returns the agents that a canvas shows of a box.
  std::vector<Points> pointsOf(const Box& box, std::int64_t canvas = 100) {
    return painter.paint(model, {box, canvas, canvas}).frame.points;
  }

  mass::Mass mass = mass::testing::makeMass(1);
  mass::Places<Cell> cells = mass.createPlaces<Cell>({4, 8});
  ModelRun model{mass, "bees"};
  Painter painter;
};

TEST_F(LivePainter, ShowsAgentsOfTheBoxAsPoints) {
  addPoints({{0.25F, 0.5F}, {0.75F, 0.25F}, {1.5F, 0.5F}});
  const auto all = pointsOf({});
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all[0].name, "bee");
  using At = std::vector<std::array<std::uint16_t, 2>>;
  EXPECT_EQ(all[0].at, (At{{16384, 32768}, {49151, 16384}}));
  EXPECT_EQ(pointsOf({0, 2, 2, 4})[0].at, (At{{32768, 32768}}));
}

TEST_F(LivePainter, ShowsNoPointsIfAPixelIsSeveralPlaces) {
  addPoints({{0.5F, 0.5F}});
  EXPECT_EQ(pointsOf({}, 8).size(), 1);
  EXPECT_TRUE(pointsOf({}, 4).empty());
}

TEST_F(LivePainter, ShowsManyAgentsInThePictureOnly) {
  Shares shares(mostPoints, {0.25F, 0.25F});
  shares.push_back({0.75F, 0.75F});
  addPoints(shares);
  EXPECT_TRUE(pointsOf({}).empty());
  EXPECT_EQ(pointsOf({0, 0, 2, 4})[0].at.size(), mostPoints);
}

TEST_F(LivePainter, DrawsSlicesThatAFunctionMakes) {
  model.slices = {{2, 3, 4}, nullptr, [](int axis, std::int64_t at) {
                    mass::Picture picture{{}, axis == 0 ? 3 : 2, axis == 2 ? 3 : 4, 0, 255};
                    picture.values.assign(static_cast<std::size_t>(picture.rows * picture.columns),
                                          static_cast<float>(10 * axis + at));
                    return picture;
                  }};
  FrameRequest request{{}, 100, 100};
  request.slice = {1, 9};  // beyond the last
  const Painting painting = painter.paint(model, request);
  EXPECT_EQ(painting.frame.slice, (Slice{1, 2}));
  EXPECT_EQ(painting.frame.box, (Box{0, 0, 2, 4}));
  EXPECT_EQ(painting.frame.picture.image.pixels.front(), 12);
  EXPECT_EQ(painter.value(model, {1, 2, {2, 3}}), 23);
  EXPECT_EQ(painter.value(model, {2, 2, {2, 3}}), std::nullopt);
  EXPECT_EQ(painter.value(model, {3, 7}), 0);
}

}  // namespace
