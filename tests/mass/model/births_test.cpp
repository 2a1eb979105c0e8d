#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using mass::testing::contains;
using mass::testing::makeMass;
using mass::testing::messageOf;

/// Cell of the immune system: neither moves nor has children of its own.
class TCell;

/// Place with a vessel or without, whose rules read the places around.
class Tissue : public mass::Place<2> {
 public:
  bool isVessel = false;
  int signal = 1;
  using Attributes = mass::Attributes<&Tissue::isVessel, &Tissue::signal>;

  MASS_FN void bleed(const mass::Neighborhood<Tissue>& near, const mass::Births<TCell>& cells,
                     float rate);
  MASS_FN void burst(const mass::Births<TCell, 2>& cells, int count);
};

class TCell : public mass::Agent<Tissue> {
 public:
  static constexpr std::int64_t capacity = 3;
  int age = 0;
  double weight = 0.5;
  using Attributes = mass::Attributes<&TCell::age, &TCell::weight>;

  MASS_FN void live(mass::Intent<TCell>& intent, const mass::Births<TCell>& cells) {
    if (++age == 3) cells.add(TCell{});
    if (age > 4) intent.kill();
  }
};

MASS_FN void Tissue::bleed(const mass::Neighborhood<Tissue>& near, const mass::Births<TCell>& cells,
                           float rate) {
  if (!isVessel) return;
  signal = near(0, 1).signal + near(-1, 0).signal % 1000;
  TCell cell;
  cell.age = signal % 3;
  cell.weight = signal;
  if (near.random().uniform() < rate) cells.add(cell);
}

MASS_FN void Tissue::burst(const mass::Births<TCell, 2>& cells, int count) {
  for (int k = 0; isVessel && k < count; ++k) cells.add();
}

class Pond : public mass::Place<2> {
 public:
  int depth = 1;
  using Attributes = mass::Attributes<&Pond::depth>;

  MASS_FN void burst(const mass::Births<TCell>& cells) { cells.add(); }
};

/// Tissue of which every third place is a vessel, and no cells.
struct World {
  mass::Places<Tissue> tissue;
  mass::Agents<TCell> cells;

  explicit World(mass::Mass& mass)
      : tissue(mass.createPlaces<Tissue>({13, 7})), cells(mass.createAgents<TCell>(tissue, 0)) {
    tissue.initialise<&Tissue::isVessel>([](auto at) { return (at[0] + at[1]) % 3 == 0; });
  }
  /// Runs three steps. @return hash
  std::uint64_t run(mass::Mass& mass) const {
    for (int step = 0; step < 3; ++step) {
      tissue.callAll<&Tissue::bleed>(mass::steps(2), cells, 0.4F);
      cells.manageAll();
      cells.callAll<&TCell::live>(cells);
      cells.add({{1, 1}, {12, 6}});
      cells.manageAll();
    }
    return mass.hash();
  }
};

TEST(Births, AreTheSameOnEverySplit) {
  mass::testing::expectSameOnRanks({{.devices = {2}},
                                    {.devices = {3}},
                                    {.devices = {4}},
                                    {.devices = {8}},
                                    {.devices = {1, 1}, .threads = 2},
                                    {.devices = {1, 3, 2}},
                                    {.devices = {2, 1, 1, 1}}},
                                   [](mass::Mass& mass, mass::testing::Record& record) {
                                     const World world(mass);
                                     record.add("hash", world.run(mass));
                                     record.add("size", world.cells.size());
                                     EXPECT_GT(world.cells.size(), 20);
                                   });
}

TEST(Births, GiveIdentitiesInTheOrderOfPlacesAndCalls) {
  mass::Mass mass = makeMass(2);
  const World world(mass);
  world.cells.add({{0, 0}, {12, 6}});
  world.tissue.callAll<&Tissue::burst>(world.cells, 1);
  EXPECT_EQ(world.cells.size(), 0);
  world.cells.manageAll();
  EXPECT_EQ(world.cells.size(), 2 + (13 * 7 + 2) / 3);
  std::vector<std::uint64_t> ids = world.cells.ids();
  EXPECT_EQ(ids.front(), 0U);
  ids.erase(ids.begin());  // removes the agent added to place (0, 0)
  ids.pop_back();
  ids.pop_back();
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
}

TEST(Births, HaveNoRoomOnFullPlaces) {
  mass::Mass mass = makeMass(3);
  const World world(mass);
  world.cells.add({{2, 3}, {2, 3}, {2, 3}, {2, 3}, {2, 4}});
  world.cells.manageAll();
  EXPECT_EQ(world.cells.census().born, 4);
  EXPECT_EQ(world.cells.census().unborn, 1);
  EXPECT_EQ(world.cells.add({{0, 0}}), 5U);
}

TEST(Births, BeyondTheMaximumAreAnError) {
  mass::Mass mass = makeMass(2);
  const World world(mass);
  EXPECT_TRUE(contains(
      messageOf<mass::UsageError>([&] { world.tissue.callAll<&Tissue::burst>(world.cells, 3); }),
      "raise the maximum"));
  world.cells.manageAll();
  EXPECT_EQ(world.cells.size(), 0);
}

TEST(Births, ThatNoManageAllHasCarriedOutAreNotForACheckpoint) {
  const mass::testing::TemporaryFolder folder;
  mass::Mass mass = makeMass(2);
  const World world(mass);
  world.cells.add({{2, 3}});
  EXPECT_EQ(mass.pendingAgents(), std::vector<std::string>{"TCell"});
  EXPECT_TRUE(contains(
      messageOf<mass::UsageError>([&] { mass.saveCheckpoint(folder.path() / "a.h5", "births"); }),
      "births that no manageAll has carried out"));
  world.cells.manageAll();
  EXPECT_TRUE(mass.pendingAgents().empty());
  mass.saveCheckpoint(folder.path() / "a.h5", "births");
  const std::uint64_t expected = world.run(mass);
  mass::Mass other = makeMass(3);
  const World restarted(other);
  restarted.cells.add({{0, 0}});
  other.restoreCheckpoint(folder.path() / "a.h5", "births");
  EXPECT_EQ(restarted.run(other), expected);
}

TEST(Births, NeedPlacesOfTheSameShapeAndMass) {
  mass::Mass mass = makeMass(1), other = makeMass(1);
  const World world(mass);
  auto pond = mass.createPlaces<Pond>({7, 13});
  auto far = other.createPlaces<Pond>({13, 7});
  EXPECT_TRUE(contains(
      messageOf<mass::UsageError>([&] { pond.callAll<&Pond::burst>(world.cells); }), "same shape"));
  EXPECT_TRUE(contains(messageOf<mass::UsageError>([&] { far.callAll<&Pond::burst>(world.cells); }),
                       "another Mass"));
  auto fitting = mass.createPlaces<Pond>({13, 7}, {.name = "fitting"});
  fitting.callAll<&Pond::burst>(world.cells);
  world.cells.manageAll();
  EXPECT_EQ(world.cells.size(), 13 * 7);
}

TEST(Births, OfTheHostNeedAPlaceEach) {
  mass::Mass mass = makeMass(1);
  const World world(mass);
  EXPECT_TRUE(contains(messageOf<mass::UsageError>([&] {
                         world.cells.add({{0, 7}});
                       }),
                       "coordinates there are"));
  EXPECT_TRUE(contains(messageOf<mass::UsageError>([&] {
                         world.cells.add({{0, 1}}, std::vector<TCell>(2));
                       }),
                       "got 2 agents for 1 places"));
}

}  // namespace
