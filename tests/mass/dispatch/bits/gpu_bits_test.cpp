// Marches on bits on GPUs, compared with loops over arrays.

#include "../../../support/bool_reference.hpp"

#include <mass/backend/gpus.hpp>
#include <mass/mass.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using mass::Border;
using mass::Coordinates;
using Reference = mass::testing::BoolReference;
using World = mass::testing::BoolWorld;

/// Cell with the state `alive`, stored as a bit or as a byte.
template <bool AsBits>
class Cell : public mass::Place<2> {
 public:
  bool alive = false;
  using Attributes =
      std::conditional_t<AsBits, mass::Attributes<mass::stored<&Cell::alive, mass::Bits>>,
                         mass::Attributes<&Cell::alive>>;

  MASS_FN void count(const mass::Neighborhood<Cell>& near, unsigned birth, unsigned survival) {
    const auto living = near.template count<&Cell::alive>(mass::moore<2>);
    alive = ((alive ? survival : birth) >> living & 1U) != 0;
  }
  /// Depends on more than the states.
  MASS_FN void shiftAtEvenSteps(const mass::Neighborhood<Cell>& near) {
    alive = near.step() % 2 == 0 ? near(1, 1).alive : near(-1, -1).alive != alive;
  }
};
using ByteCell = Cell<false>;
using BitCell = Cell<true>;

class GpuBits : public ::testing::Test {
 protected:
  void SetUp() override {
    if (mass::detail::usableGpus() == 0) GTEST_SKIP() << "no GPU";
  }
};

template <class AnyCell>
void compareCells(const World& world, const std::string& stepsPerPass, int devices) {
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
  AnyCell outside;
  outside.alive = world.outside;
  auto options = mass::borders(Border::periodic, outside);
  options.borders = {world.ofRows, world.ofColumns};
  const auto places = mass.createPlaces<AnyCell>({world.rows, world.columns}, options);
  places.template initialise<&AnyCell::alive>([&](const Coordinates<2>& at) {
    return reference.cells()[static_cast<std::size_t>(at[0] * world.columns + at[1])] != 0;
  });
  const auto check = [&](const std::string& rule) {
    const auto alive = places.template download<&AnyCell::alive>();
    int living = 0;
    for (std::size_t i = 0; i < alive.size(); ++i) {
      ASSERT_EQ(alive[i], reference.cells()[i] != 0) << rule << ", place " << i;
      living += alive[i] ? 1 : 0;
    }
    EXPECT_EQ(places.template reduce<&AnyCell::alive>(mass::sum), living) << rule;
  };
  const auto run = [&](int steps, unsigned birth, unsigned survival) {
    places.template callAll<&AnyCell::count>(mass::steps(steps), birth, survival);
    for (int k = 0; k < steps; ++k) reference.count(birth, survival);
    check(fmt::format("birth {:x}, survival {:x}", birth, survival));
  };
  run(16, 0x16d, 0x185);
  places.template callAll<&AnyCell::shiftAtEvenSteps>(mass::steps(2));
  for (int k = 0; k < 2; ++k) reference.shiftAtEvenSteps();
  check("shift");
  run(33, 0x8, 0xc);
  run(8, 0x0ad, 0x102);
  run(5, 0x8, 0xc);
}

void compare(const World& world, const std::string& stepsPerPass, int devices = 1) {
  compareCells<ByteCell>(world, stepsPerPass, devices);
  compareCells<BitCell>(world, stepsPerPass, devices);
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

TEST_F(GpuBits, HaveTheStatesForAnyWidthAndNumberOfSteps) {
  for (const std::int64_t columns : {31, 65, 96})
    for (const int devices : {1, 3})
      compareCells<BitCell>({40, columns, Border::mirrored, Border::periodic, true}, "8", devices);
  for (const std::string stepsPerPass : {"1", "2", "3", "4", "auto"})
    for (const int devices : {1, 3})
      compareCells<BitCell>({40, 96, Border::fixed, Border::mirrored, true}, stepsPerPass, devices);
  compareCells<BitCell>({3, 64, Border::periodic, Border::periodic, true}, "4", 1);
}

TEST_F(GpuBits, TakeAnEighthOfTheMemory) {
  mass::Settings settings;
  settings.set("backend=cuda");
  settings.set("devices=1");
  settings.set("threads=1");
  mass::Mass mass(settings);
  const auto places =
      mass.createPlaces<BitCell>({512, 4096}, mass::borders<BitCell>(Border::periodic));
  places.callAll<&BitCell::count>(mass::steps(16), 0x8U, 0xcU);
  (void)places.hash();
  EXPECT_LE(static_cast<double>(places.bytes()), 2.0 * (512 + 4 * 16) * 4096 / 8);
}

}  // namespace
