// Marches on bits on a GPU, compared with loops over arrays.

#include "../../../support/bool_reference.hpp"

#include <mass/backend/gpus.hpp>
#include <mass/mass.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using mass::Border;
using mass::Coordinates;
using Reference = mass::testing::BoolReference;
using World = mass::testing::BoolWorld;

class Cell : public mass::Place<2> {
 public:
  bool alive = false;
  using Attributes = mass::Attributes<&Cell::alive>;

  MASS_FN void count(const mass::Neighborhood<Cell>& near, unsigned birth, unsigned survival) {
    const auto living = near.count<&Cell::alive>(mass::moore<2>);
    alive = ((alive ? survival : birth) >> living & 1U) != 0;
  }
  /// Depends on more than the states.
  MASS_FN void shiftAtEvenSteps(const mass::Neighborhood<Cell>& near) {
    alive = near.step() % 2 == 0 ? near(1, 1).alive : near(-1, -1).alive != alive;
  }
};

class GpuBits : public ::testing::Test {
 protected:
  void SetUp() override {
    if (mass::detail::usableGpus() == 0) GTEST_SKIP() << "no GPU";
  }
};

void compare(const World& world, const std::string& stepsPerPass, int devices = 1) {
  if (devices > mass::detail::usableGpus()) return;
  SCOPED_TRACE(fmt::format("{} x {}, borders {} {}, outside {}, {} steps a pass, {} devices",
                           world.rows, world.columns, static_cast<int>(world.ofRows),
                           static_cast<int>(world.ofColumns), world.outside, stepsPerPass,
                           devices));
  mass::Settings settings;
  settings.set("backend=cuda");
  settings.set("steps_per_pass=" + stepsPerPass);
  settings.set("threads=1");
  settings.set(fmt::format("devices={}", devices));
  mass::Mass mass(settings);
  Reference reference(world, static_cast<std::uint32_t>(world.rows));
  Cell outside;
  outside.alive = world.outside;
  auto options = mass::borders(Border::periodic, outside);
  options.borders = {world.ofRows, world.ofColumns};
  const auto places = mass.createPlaces<Cell>({world.rows, world.columns}, options);
  places.initialise<&Cell::alive>([&](const Coordinates<2>& at) {
    return reference.cells()[static_cast<std::size_t>(at[0] * world.columns + at[1])] != 0;
  });
  const auto check = [&](const std::string& rule) {
    const auto alive = places.download<&Cell::alive>();
    for (std::size_t i = 0; i < alive.size(); ++i)
      ASSERT_EQ(alive[i], reference.cells()[i] != 0) << rule << ", place " << i;
  };
  const auto run = [&](int steps, unsigned birth, unsigned survival) {
    places.callAll<&Cell::count>(mass::steps(steps), birth, survival);
    for (int k = 0; k < steps; ++k) reference.count(birth, survival);
    check(fmt::format("birth {:x}, survival {:x}", birth, survival));
  };
  run(16, 0x16d, 0x185);
  places.callAll<&Cell::shiftAtEvenSteps>(mass::steps(2));
  for (int k = 0; k < 2; ++k) reference.shiftAtEvenSteps();
  check("shift");
  run(33, 0x8, 0xc);
  run(8, 0x0ad, 0x102);
}

// On emulated GPUs, which are slow, the other tests have the pairs of unequal borders.
TEST_F(GpuBits, HaveTheStatesOfLoopsOverArrays) {
  const bool isEmulated = std::getenv("EMULATED_GPUS") != nullptr;
  for (const Border ofRows : {Border::periodic, Border::fixed, Border::mirrored}) {
    for (const Border ofColumns : {Border::periodic, Border::fixed, Border::mirrored}) {
      if (isEmulated && ofRows != ofColumns) continue;
      for (const std::string stepsPerPass : {"8", "16"}) {
        const bool outside = ofRows != Border::mirrored;
        compare({37, 32, ofRows, ofColumns, outside}, stepsPerPass);
        compare({32, 160, ofRows, ofColumns, !outside}, stepsPerPass);
      }
    }
  }
}

TEST_F(GpuBits, HaveTheStatesInWideAndHighWorlds) {
  compare({41, 4000, Border::periodic, Border::periodic, false}, "16");
  compare({33, 1024, Border::fixed, Border::mirrored, true}, "8");
  compare({700, 64, Border::mirrored, Border::fixed, true}, "16");
}

TEST_F(GpuBits, HaveTheStatesOnSeveralGpus) {
  compare({37, 32, Border::periodic, Border::periodic, false}, "16", 2);
  compare({37, 160, Border::fixed, Border::mirrored, true}, "8", 3);
  compare({50, 64, Border::mirrored, Border::fixed, true}, "16", 3);
  compare({70, 1024, Border::periodic, Border::fixed, false}, "auto", 2);
}

}  // namespace
