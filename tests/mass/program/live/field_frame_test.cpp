#include "field_frames.hpp"

#include <tests/support/mass_on_ranks.hpp>

namespace {

using namespace mass::testing;

std::vector<RankSetup> setups() {
  return {{},
          {.devices = {1}, .threads = 3},
          {.devices = {2}, .weights = {1, 2}},
          {.devices = {5}, .weights = {1, 1, 1, 9, 1}},
          {.devices = {1, 2}, .weights = {3, 1, 1}}};
}

template <class Test>
void onAllSetups(const Test& test) {
  for (const RankSetup& setup : setups())
    if (haveDevices(setup.deviceCount())) onRanks(setup, test);
}

TEST(LiveFieldFrame, HasThePixelsOfTheValuesOfEachType) {
  onAllSetups([](mass::Mass& mass) { testTypes(mass); });
}

TEST(LiveFieldFrame, HasThePixelsOfBits) {
  onAllSetups([](mass::Mass& mass) { testBits(mass); });
}

TEST(LiveFieldFrame, HasThePixelsOfSlices) {
  onAllSetups([](mass::Mass& mass) { testSlices(mass); });
}

TEST(LiveFieldFrame, LeavesManyAndWrongCategoriesToTheHost) {
  auto mass = makeMass(1);
  const auto cells = mass.createPlaces<Cell>({20, 20});
  randomise(cells, 1);
  const FrameRequest reduced{{}, 5, 5, Reduction::mean, -1, 0};
  PictureField many(cells.sharedPopulation(), "state", categories(25));
  EXPECT_FALSE(drawFrame(many, many.outline(), reduced, {}));
  PictureField wrong(cells.sharedPopulation(), "state", categories(5));
  EXPECT_FALSE(drawFrame(wrong, wrong.outline(), reduced, {}));
  const FrameRequest whole{{}, 50, 50, Reduction::mean, -1, 0};
  EXPECT_TRUE(drawFrame(many, many.outline(), whole, {}));
  EXPECT_FALSE(drawFrame(wrong, wrong.outline(), whole, {}));
}

TEST(LiveFieldFrame, HasTheValueOfAPlace) {
  onAllSetups([](mass::Mass& mass) {
    const auto cells = mass.createPlaces<Cell>({31, 43});
    randomise(cells, 5);
    const PictureField field(cells.sharedPopulation(), "height", quantity(0, 1));
    const mass::Picture picture = field.picture();
    EXPECT_EQ(field.value(1, 0, 0, 0), picture.values.front());
    EXPECT_EQ(field.value(1, 0, 30, 41), picture.values[30 * 43 + 41]);
  });
}

}  // namespace
