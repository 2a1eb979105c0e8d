// Places that are stored as bits, compared with loops over arrays and with places stored as bytes.

#include "../../../support/temporary_folder.hpp"
#include "bool_cells.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace {

using Reference = mass::testing::BoolReference;
using World = mass::testing::BoolWorld;
using mass::Border;
using mass::Coordinates;
using mass::testing::AfterShift;
using mass::testing::createWorld;
using mass::testing::randomTable;
using mass::testing::RankSetup;
using mass::testing::setCells;

template <class Cell>
class Rules : public mass::testing::BoolRules<Cell> {
 public:
  using mass::testing::BoolRules<Cell>::alive;

  void randomise(const mass::Here<2>& here) { alive = here.random().bernoulli(0.5); }
  void flip() { alive = !alive; }
  int neighbors(const mass::Neighborhood<Cell>& near) const {
    return static_cast<int>(near.template count<&Cell::alive>(mass::moore<2>));
  }
};

class ByteCell : public Rules<ByteCell> {
 public:
  using Attributes = mass::Attributes<&ByteCell::alive>;
};
class BitCell : public Rules<BitCell> {
 public:
  using Attributes = mass::Attributes<mass::stored<&BitCell::alive, mass::Bits>>;
};

void compare(const World& world, const RankSetup& setup) {
  mass::testing::compare<BitCell>(world, setup, AfterShift::continues);
}

class StoredBitsTest : public ::testing::TestWithParam<std::tuple<int, int, std::string>> {};

INSTANTIATE_TEST_SUITE_P(Passes, StoredBitsTest,
                         ::testing::Combine(::testing::Values(1, 3), ::testing::Values(1),
                                            ::testing::Values("1", "2", "3", "4", "8", "16")));
INSTANTIATE_TEST_SUITE_P(OnTwoDevices, StoredBitsTest,
                         ::testing::Combine(::testing::Values(2), ::testing::Values(1),
                                            ::testing::Values("4")));
INSTANTIATE_TEST_SUITE_P(ByManyThreads, StoredBitsTest,
                         ::testing::Combine(::testing::Values(3), ::testing::Values(5),
                                            ::testing::Values("3")));

TEST_P(StoredBitsTest, HaveTheStatesOfLoopsOverArrays) {
  const auto [devices, threads, steps] = GetParam();
  constexpr std::array<std::array<std::int64_t, 2>, 12> shapes{{{1, 1},
                                                                {1, 65},
                                                                {5, 1},
                                                                {3, 2},
                                                                {6, 31},
                                                                {3, 63},
                                                                {7, 64},
                                                                {13, 65},
                                                                {31, 127},
                                                                {4, 128},
                                                                {3, 200},
                                                                {101, 3}}};
  for (const auto& [rows, columns] : shapes) {
    if (rows < devices) continue;
    for (const Border ofRows : {Border::periodic, Border::fixed, Border::mirrored}) {
      for (const Border ofColumns : {Border::periodic, Border::fixed, Border::mirrored}) {
        if (devices > 1 && ofColumns == ofRows) continue;  // barriers take long
        const bool outside = (rows + columns) % 2 == 0;
        compare({rows, columns, ofRows, ofColumns, outside},
                {.devices = {devices}, .threads = threads, .more = {"steps_per_pass=" + steps}});
      }
    }
  }
}

TEST(StoredBits, HaveTheStatesOfLoopsOverArraysOnRanks) {
  for (RankSetup setup : mass::testing::usualRanks()) {
    for (const std::string every : {"1", "3", "8"}) {
      setup.more = {"exchange_every=" + every, "steps_per_pass=5"};
      for (const Border ofRows : {Border::periodic, Border::fixed, Border::mirrored})
        compare({67, 70, ofRows, Border::periodic, true}, setup);
    }
  }
}

const World oneWorld{41, 77, Border::fixed, Border::mirrored, true};

mass::Mass makeMass(int devices = 1) {
  return mass::testing::makeMass(devices, 1, {}, {"steps_per_pass=4"});
}

TEST(StoredBits, TakeAnEighthOfTheMemory) {
  mass::Mass mass = makeMass(2);
  const World world{512, 4096, Border::periodic, Border::periodic, false};
  const auto places = createWorld<BitCell>(mass, world);
  places.callAll<&BitCell::count>(mass::steps(8), 0x8U, 0xcU);
  const double atMost = 2.0 * (512 + 4 * 16) * 4096 / 8;
  EXPECT_LE(static_cast<double>(places.bytes()), atMost);
  places.callAll<&BitCell::flip>();
  places.callAll<&BitCell::shiftAtEvenSteps>();
  (void)places.map<&BitCell::neighbors>();
  (void)places.hash();
  places.callAll<&BitCell::count>(mass::steps(8), 0x8U, 0xcU);
  (void)places.hash();
  (void)places.download<&BitCell::alive>();
  places.initialise<&BitCell::alive>([](const Coordinates<2>& at) { return at[1] % 3 == 0; });
  EXPECT_LE(static_cast<double>(places.bytes()), atMost);
}

/// Hashes after rules of all kinds.
template <class Cell>
std::vector<std::uint64_t> hashes(int devices) {
  mass::Mass mass = makeMass(devices);
  const auto places = createWorld<Cell>(mass, oneWorld);
  std::vector<std::uint64_t> all{places.hash()};
  const auto results = mass.share(randomTable(3));
  for (int round = 0; round < 3; ++round) {
    places.template callAll<&Cell::randomise>();
    all.push_back(places.hash());
    places.template callAll<&Cell::lookUp>(mass::steps(9), results);
    all.push_back(places.hash());
    places.template callAll<&Cell::flip>(mass::steps(1 + round));
    for (const int sum : places.template map<&Cell::neighbors>())
      all.push_back(static_cast<std::uint64_t>(sum));
    all.push_back(places.hash());
    all.push_back(static_cast<std::uint64_t>(places.template reduce<&Cell::alive>(mass::sum)));
    places.template callAll<&Cell::count>(mass::steps(2), 0x8U, 0xcU);
    all.push_back(places.hash());
    all.push_back(places.step());
  }
  return all;
}

TEST(StoredBits, HaveTheHashesOfBytes) {
  for (const int devices : {1, 2, 3})
    EXPECT_EQ(hashes<BitCell>(devices), hashes<ByteCell>(devices));
}

TEST(StoredBits, CanBeReadByBoxes) {
  mass::Mass mass = makeMass(3);
  Reference reference(oneWorld, 8);
  const auto places = createWorld<BitCell>(mass, oneWorld);
  setCells(places, reference);
  for (int steps = 0; steps < 2; ++steps) {
    for (const auto& [low, high] : {std::pair{Coordinates<2>{3, 60}, Coordinates<2>{39, 77}},
                                    {Coordinates<2>{20, 1}, Coordinates<2>{21, 2}},
                                    {Coordinates<2>{0, 0}, Coordinates<2>{41, 77}},
                                    {Coordinates<2>{7, 63}, Coordinates<2>{30, 65}}}) {
      const auto box = places.download(low, high);
      std::size_t i = 0;
      for (std::int64_t row = low[0]; row < high[0]; ++row)
        for (std::int64_t column = low[1]; column < high[1]; ++column)
          ASSERT_EQ(box[i++].alive,
                    reference.cells()[static_cast<std::size_t>(row * 77 + column)] != 0);
    }
    places.callAll<&BitCell::count>(mass::steps(1), 0x8U, 0xcU);
    reference.count(0x8U, 0xcU);
  }
}

TEST(StoredBits, CanBeUploadedAfterRulesOnBytes) {
  mass::Mass mass = makeMass(2);
  Reference reference(oneWorld, 9);
  const auto places = createWorld<BitCell>(mass, oneWorld);
  places.callAll<&BitCell::flip>();
  places.upload<&BitCell::alive>(reference.cells());
  places.callAll<&BitCell::count>(mass::steps(3), 0x8U, 0xcU);
  for (int k = 0; k < 3; ++k) reference.count(0x8U, 0xcU);
  const auto alive = places.download<&BitCell::alive>();
  for (std::size_t i = 0; i < alive.size(); ++i) ASSERT_EQ(alive[i], reference.cells()[i] != 0);
}

TEST(StoredBits, KeepTheirStateInAnotherPartition) {
  mass::Mass mass = makeMass(3);
  Reference reference(oneWorld, 10);
  const auto places = createWorld<BitCell>(mass, oneWorld);
  setCells(places, reference);
  const auto advance = [&] {
    places.callAll<&BitCell::count>(mass::steps(5), 0x16dU, 0x185U);
    for (int k = 0; k < 5; ++k) reference.count(0x16dU, 0x185U);
  };
  advance();
  for (const bool onBytes : {false, true}) {
    if (onBytes) places.callAll<&BitCell::shiftAtEvenSteps>(mass::steps(1));
    if (onBytes) reference.shiftAtEvenSteps();
    mass.repartition(places, onBytes ? std::vector<std::int64_t>{1, 30, 10}
                                     : std::vector<std::int64_t>{30, 5, 6});
    advance();
  }
  const auto alive = places.download<&BitCell::alive>();
  for (std::size_t i = 0; i < alive.size(); ++i) ASSERT_EQ(alive[i], reference.cells()[i] != 0);
}

template <class Cell>
void advance(const mass::Places<Cell>& places, int steps) {
  places.template callAll<&Cell::count>(mass::steps(steps), 0x8U, 0xcU);
}

/// Writes a checkpoint after some steps. @return the hash some steps later
template <class Cell>
std::uint64_t saveAfterSteps(const std::filesystem::path& file) {
  mass::Mass mass = makeMass(2);
  const auto places = createWorld<Cell>(mass, oneWorld);
  places.template callAll<&Cell::randomise>();
  advance(places, 6);
  mass.saveCheckpoint(file, "cells");
  advance(places, 5);
  return places.hash();
}

template <class Cell>
std::uint64_t continueFrom(const std::filesystem::path& file, int devices) {
  mass::Mass mass = makeMass(devices);
  const auto places = createWorld<Cell>(mass, oneWorld);
  places.template callAll<&Cell::flip>();
  mass.restoreCheckpoint(file, "cells");
  advance(places, 5);
  return places.hash();
}

TEST(StoredBits, WriteTheCheckpointsOfBytes) {
  const mass::testing::TemporaryFolder folder;
  const auto bytes = folder / "bytes.mass", bits = folder / "bits.mass";
  const std::uint64_t hash = saveAfterSteps<ByteCell>(bytes);
  EXPECT_EQ(saveAfterSteps<BitCell>(bits), hash);
  EXPECT_EQ(mass::testing::readBytes(bits), mass::testing::readBytes(bytes));
  for (const int devices : {1, 3}) {
    EXPECT_EQ(continueFrom<BitCell>(bytes, devices), hash);
    EXPECT_EQ(continueFrom<ByteCell>(bits, devices), hash);
    EXPECT_EQ(continueFrom<BitCell>(bits, devices), hash);
  }
}

/// Agents read places, so these are stored as bytes.
class Walker : public mass::Agent<BitCell> {
 public:
  bool isOnLife = false;
  using Attributes = mass::Attributes<mass::stored<&Walker::isOnLife, mass::Bits>>;
  void look(const mass::Neighborhood<BitCell>& near) { isOnLife = near(0, 0).alive; }
};

TEST(StoredBits, AreVisibleToAgents) {
  mass::Mass mass = makeMass(2);
  Reference reference(oneWorld, 12);
  const auto places = createWorld<BitCell>(mass, oneWorld);
  setCells(places, reference);
  advance(places, 2);
  std::vector<Coordinates<2>> everywhere;
  for (std::int64_t row = 0; row < oneWorld.rows; ++row)
    for (std::int64_t column = 0; column < oneWorld.columns; ++column)
      everywhere.push_back({row, column});
  const auto agents = mass.createAgents<Walker>(places, everywhere);
  advance(places, 3);
  agents.callAll<&Walker::look>();
  for (int k = 0; k < 5; ++k) reference.count(0x8U, 0xcU);
  const auto seen = agents.download<&Walker::isOnLife>();
  ASSERT_EQ(seen.size(), reference.cells().size());
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], reference.cells()[i] != 0);
}

/// Worlds in which bits have no effect.
class Box : public mass::Place<3> {
 public:
  bool isOn = false;
  bool others[2] = {};
  using Attributes = mass::Attributes<mass::stored<&Box::isOn, mass::Bits>,
                                      mass::stored<&Box::others, mass::Bits>>;
  void step(const mass::Neighborhood<Box>& near) {
    others[1] = near(0, 0, 1).isOn;
    isOn = !near(1, 0, 0).isOn;
  }
};

TEST(StoredBits, AreBytesInOtherWorlds) {
  mass::Mass mass = makeMass(2);
  const auto places = mass.createPlaces<Box>({4, 5, 6});
  places.initialise<&Box::isOn>([](const Coordinates<3>& at) { return at[0] == 1; });
  places.callAll<&Box::step>(mass::steps(1));
  const auto boxes = places.download(Coordinates<3>{0, 0, 0}, Coordinates<3>{4, 5, 6});
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_EQ(boxes[i].isOn, i / 30 != 0) << i;
    EXPECT_EQ(boxes[i].others[1], i / 30 == 1) << i;
  }
}

}  // namespace
