#include <mass/program/partition_text.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/wave.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using mass::Border;
using mass::Mass;
using mass::testing::Wave;

mass::Places<Wave<1>> createWaves(Mass& mass) {
  mass::PlacesOptions<Wave<1>> options;
  options.borders = {Border::periodic, Border::mirrored, Border::fixed};
  return mass.createPlaces<Wave<1>>({9, 11, 5}, options);
}

TEST(PartitionText, ListsBlocks) {
  if (!mass::testing::haveDevices(4)) GTEST_SKIP() << "needs 4 devices";
  Mass mass = mass::testing::makeMass(4, 0, {}, {"partition.cuts=[[0,1,9],[0,7,11]]"});
  const auto waves = createWaves(mass);
  // 6 of the 9 rows, and 6 + 3 of the 11 lines, are not beside a cut.
  EXPECT_EQ(mass::detail::partitionText(mass.places(), false),
            "  partition   'Wave<1>', 2 x 2 parts, 45.5 % of the places at cuts\n"
            "    device 0, rank 0: 1 x 7 x 5 places from 0, 0, 0, neighbours 1 2 3\n"
            "    device 1, rank 0: 1 x 4 x 5 places from 0, 7, 0, neighbours 0 2 3\n"
            "    device 2, rank 0: 8 x 7 x 5 places from 1, 0, 0, neighbours 0 1 3\n"
            "    device 3, rank 0: 8 x 4 x 5 places from 1, 7, 0, neighbours 0 1 2\n");
}

TEST(PartitionText, ListsPartsOfAllAxes) {
  if (!mass::testing::haveDevices(4)) GTEST_SKIP() << "needs 4 devices";
  Mass mass = mass::testing::makeMass(4, 0, {}, {"partition.cuts=[[0,9],[0,7,11],[0,3,5]]"});
  const auto waves = createWaves(mass);
  // 9 of the 11 lines, and 3 of the 5 columns, are not beside a cut.
  EXPECT_EQ(mass::detail::partitionText(mass.places(), false),
            "  partition   'Wave<1>', 1 x 2 x 2 parts, 50.9 % of the places at cuts\n"
            "    device 0, rank 0: 9 x 7 x 3 places from 0, 0, 0, neighbours 1 2 3\n"
            "    device 1, rank 0: 9 x 7 x 2 places from 0, 0, 3, neighbours 0 2 3\n"
            "    device 2, rank 0: 9 x 4 x 3 places from 0, 7, 0, neighbours 0 1 3\n"
            "    device 3, rank 0: 9 x 4 x 2 places from 0, 7, 3, neighbours 0 1 2\n");
}

/// Velocities of a gas that flows along axis 0.
struct Velocities {
  MASS_FN static constexpr mass::Offset<3> velocity(int k) { return {k == 0 ? 1 : -1, 0, 0}; }
};
class Gas : public mass::Place<3> {
 public:
  float f[2] = {};
  using Attributes = mass::Attributes<mass::streamed<&Gas::f, Velocities>>;
};

TEST(PartitionText, SaysThatBlocksStreamInTwoBuffers) {
  if (!mass::testing::haveDevices(4)) GTEST_SKIP() << "needs 4 devices";
  Mass mass = mass::testing::makeMass(4, 0, {}, {"partition=2x2"});
  const auto gas = mass.createPlaces<Gas>({4, 4, 4});
  EXPECT_TRUE(mass::testing::contains(mass::detail::partitionText(mass.places(), false),
                                      "  streaming   'Gas' in two buffers of "));
}

TEST(PartitionText, ListsBandsIfAsked) {
  Mass mass = mass::testing::makeMass(1);
  const auto waves = createWaves(mass);
  EXPECT_EQ(mass::detail::partitionText(mass.places(), false), "");
  EXPECT_EQ(mass::detail::partitionText(mass.places(), true),
            "  partition   'Wave<1>', 1 x 1 parts, 0 % of the places at cuts\n"
            "    device 0, rank 0: 9 x 11 x 5 places from 0, 0, 0, neighbours none\n");
}

}  // namespace
