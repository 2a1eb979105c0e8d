#include <apps/forest_fire/setup.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace forest_fire {
namespace {

/// Number of burning sites and of steps when 2 % of the forest burns.
struct Outbreak {
  std::int64_t step = 0, burning = 0;
};

/// Advances a forest until 2 % of its sites burn, on the devices given.
Outbreak firstOutbreak(int devices) {
  const mass::Program forestFire = program();
  mass::Settings settings(forestFire.schema);
  settings.set("rows=61");
  settings.set("columns=83");
  settings.set("steps=1000");
  settings.set("devices=" + std::to_string(devices));
  mass::Run run(forestFire, settings);

  const mass::AnyPlaces forest = run.mass().places().front();
  std::vector<State> states(static_cast<std::size_t>(forest.size()));
  std::int64_t burning = 0;
  while (burning * 50 < forest.size() && !run.finished()) {
    run.step(1);
    forest.read("state", states.data());
    burning = std::ranges::count(states, State::burning);
  }
  EXPECT_EQ(run.row().names, (std::vector<std::string>{"trees", "burning"}));
  EXPECT_EQ(run.row().values[1], static_cast<double>(burning));
  return {run.step(), burning};
}

TEST(Forest, BreaksOutAtTheSameStepOnAnyNumberOfDevices) {
  const Outbreak expected = firstOutbreak(1);
  EXPECT_EQ(expected.step, 177);
  EXPECT_GE(expected.burning, 102);
  for (const int devices : {2, 5}) {
    EXPECT_EQ(firstOutbreak(devices).step, expected.step);
    EXPECT_EQ(firstOutbreak(devices).burning, expected.burning);
  }
}

}  // namespace
}  // namespace forest_fire
