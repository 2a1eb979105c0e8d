// Checkpoints that rank 0 writes and reads in pieces; ranks_test.cpp has those in one piece.

#include <mass/model/rank_checkpoint.hpp>

#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>
#include <mass/support/hash.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using mass::Mass;
using mass::detail::ArrayInfo;
using mass::detail::CheckpointReader;
using mass::detail::CheckpointWriter;
using mass::detail::ElementType;
using mass::detail::forEachRowPiece;
using mass::detail::mix;
using mass::detail::RankCheckpoint;
using mass::detail::RankCheckpointWriter;
using mass::detail::Ranks;
using mass::testing::contains;
using mass::testing::makeMass;
using mass::testing::onRanks;
using mass::testing::RankSetup;
using mass::testing::runOnThreadRanks;
using mass::testing::TemporaryFolder;
using mass::testing::ThreadRankResult;
using mass::testing::ThreadRanks;

/// Returns the first rows and the numbers of rows of the pieces of an array of 4 bytes a row.
std::vector<std::pair<std::int64_t, std::int64_t>> piecesOf(std::uint64_t rows,
                                                            std::size_t pieceBytes) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pieces;
  forEachRowPiece(
      {"a", ElementType::uint8, 1, {rows, 4}}, pieceBytes,
      [&](std::int64_t first, std::int64_t count, char*) { pieces.emplace_back(first, count); });
  return pieces;
}

TEST(RowPieces, CoverAnArrayInOrder) {
  using Pieces = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(piecesOf(0, 8), Pieces{});
  EXPECT_EQ(piecesOf(3, 1), (Pieces{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(piecesOf(5, 11), (Pieces{{0, 2}, {2, 2}, {4, 1}}));
  EXPECT_EQ(piecesOf(4, 8), (Pieces{{0, 2}, {2, 2}}));
  EXPECT_EQ(piecesOf(4, 1000), (Pieces{{0, 4}}));
}

TEST(RankCheckpoint, SendsEachRankItsRows) {
  const TemporaryFolder folder;
  const ArrayInfo array{"a", ElementType::uint32, 4, {23}};
  const std::vector<std::size_t> firstRows{0, 9, 9, 20, 23};
  for (const std::size_t pieceBytes : {1UL, 8UL, 20UL, 1000UL}) {
    runOnThreadRanks(4, [&](Ranks& ranks) {
      RankCheckpointWriter writer(ranks, folder / "a.h5", {"model", "", {}, {}, {}}, pieceBytes);
      writer.add(array, 5, [&](std::int64_t first, std::int64_t count, char* packed) {
        if (!ranks.isFirst()) return;
        for (std::int64_t i = 0; i < count; ++i)
          reinterpret_cast<std::uint32_t*>(packed)[i] = static_cast<std::uint32_t>(first + i);
      });
      writer.commit();
      const RankCheckpoint file(ranks, folder / "a.h5", pieceBytes);
      const std::vector<char> bytes = file.ownRows(array, firstRows);
      const auto rank = static_cast<std::size_t>(ranks.number());
      ASSERT_EQ(bytes.size(), (firstRows[rank + 1] - firstRows[rank]) * 4);
      for (std::size_t i = 0; i < bytes.size() / 4; ++i)
        EXPECT_EQ(reinterpret_cast<const std::uint32_t*>(bytes.data())[i], firstRows[rank] + i);
      EXPECT_EQ(file.hash("a"), 5U);
    });
  }
}

class Pond : public mass::Place<2> {
 public:
  std::uint64_t depth = 3;
  std::int16_t bed[3] = {1, 2, 3};
  using Attributes = mass::Attributes<&Pond::depth, mass::constant<&Pond::bed>>;

  MASS_FN void ripple(const mass::Neighborhood<Pond>& near) {
    depth = mix(depth ^ near(1, 0).depth ^ near(-1, 1).depth);
  }
};

class Newt : public mass::Agent<Pond> {
 public:
  static constexpr int travel = 3, offspring = 1;
  std::uint64_t soul = 1;
  float spots[3] = {1, 2, 3};
  bool swims = false;
  using Attributes = mass::Attributes<&Newt::soul, &Newt::spots, &Newt::swims>;

  MASS_FN void act(mass::Intent<Newt>& intent) {
    auto random = intent.random();
    soul = mix(soul ^ intent.id());
    spots[random.below(3)] += 0.5F;
    swims = random.below(2) == 0;
    intent.move({static_cast<int>(random.below(7)) - 3, static_cast<int>(random.below(7)) - 3});
    if (random.below(8) == 0) intent.spawn(Newt{});
  }
};

/// Numbers of agents by row and column.
using NewtsAt = std::function<int(const mass::Coordinates<2>&)>;

/// World of 13 x 5 places, more than a checkpoint of one piece has in these tests.
struct Lake {
  mass::Places<Pond> ponds;
  mass::Agents<Newt> newts;

  Lake(Mass& mass, const NewtsAt& newtsAt, std::size_t pieceBytes)
      : ponds(mass.createPlaces<Pond>({13, 5})),
        newts(mass.createAgents<Newt>(ponds, newtsAt, "newts")) {
    ponds.population().engine->pieceBytes = pieceBytes;
  }
  void advance(int steps) const {
    for (int step = 0; step < steps; ++step) {
      ponds.callAll<&Pond::ripple>();
      newts.callAll<&Newt::act>();
      newts.manageAll();
    }
  }
};

/// Distributions of agents: everywhere, all on rows of one rank, fewer than ranks, and none.
const std::vector<NewtsAt> distributions{
    [](const auto& at) { return static_cast<int>(at[0] * at[1] % 3); },
    [](const auto& at) { return at[0] == 0 && at[1] < 3 ? 7 : 0; },
    [](const auto& at) { return at[0] == 12 ? 4 : 0; },
    [](const auto& at) { return at[0] == 6 && at[1] < 2 ? 1 : 0; },
    [](const auto&) { return 0; },
};
const std::vector<std::size_t> pieceSizes{1, 24, 100, std::size_t{64} << 20};

/// Returns the bytes of all arrays of a checkpoint by name, with their hashes.
std::map<std::string, std::pair<std::uint64_t, std::vector<char>>> contentsOf(
    const std::filesystem::path& file) {
  std::map<std::string, std::pair<std::uint64_t, std::vector<char>>> contents;
  const CheckpointReader reader(file);
  for (const ArrayInfo& array : reader.arrays()) {
    auto& [hash, bytes] = contents[array.name];
    hash = reader.hash(array.name);
    bytes.resize(array.shape[0] * array.rowBytes());
    if (!bytes.empty()) reader.rows(array.name, 0, array.shape[0], bytes.data());
  }
  return contents;
}

class CheckpointsInPieces : public ::testing::Test {
 protected:
  /// Advances a lake and writes a checkpoint. @return its hash
  std::uint64_t save(const RankSetup& setup, const NewtsAt& newtsAt, std::size_t pieceBytes,
                     int steps) const {
    std::uint64_t hash = 0;
    onRanks(setup, [&](Mass& mass) {
      const Lake lake(mass, newtsAt, pieceBytes);
      lake.advance(steps);
      mass.saveCheckpoint(file, "lake");
      const std::uint64_t here = mass.hash();
      if (mass.devices().ranks().isFirst()) hash = here;
    });
    return hash;
  }

  TemporaryFolder folder;
  std::filesystem::path file = folder / "lake.h5";
};

TEST_F(CheckpointsInPieces, HaveTheArraysOfOneRank) {
  for (const NewtsAt& newtsAt : distributions) {
    const std::uint64_t hash = save({}, newtsAt, pieceSizes.back(), 0);
    const auto expected = contentsOf(file);
    EXPECT_EQ(expected.size(), 4U + 7U);
    for (const std::size_t pieceBytes : pieceSizes) {
      EXPECT_EQ(save({.devices = {1, 3, 1, 2}}, newtsAt, pieceBytes, 0), hash);
      EXPECT_EQ(contentsOf(file), expected) << pieceBytes;
    }
  }
}

TEST_F(CheckpointsInPieces, HaveTheBytesOfTheFileOfOneRank) {
  // Settings are in the file, so ranks of one device each have those of one rank.
  const std::vector<std::string> bands{"backend=cpu", "devices=1", "threads=1"};
  const RankSetup one{.more = bands}, three{.devices = {1, 1, 1}, .more = bands};
  for (const std::size_t pieceBytes : pieceSizes) {
    save(one, distributions[0], pieceBytes, 3);
    const std::string expected = mass::testing::readBytes(file);
    save(three, distributions[0], pieceBytes, 3);
    EXPECT_TRUE(mass::testing::readBytes(file) == expected) << pieceBytes;
  }
}

TEST_F(CheckpointsInPieces, ContinueOnOtherRanks) {
  const std::vector<RankSetup> others{
      {.devices = {1}}, {.devices = {2, 1, 3}}, {.devices = {1, 1, 1, 1, 1, 1}}};
  for (const NewtsAt& newtsAt : distributions) {
    for (const std::size_t pieceBytes : pieceSizes) {
      const std::uint64_t hash = save({.devices = {1, 2, 1}}, newtsAt, pieceBytes, 2);
      std::uint64_t later = 0;
      for (const RankSetup& setup : others) {
        onRanks(setup, [&](Mass& mass) {
          const Lake lake(mass, distributions[0], pieceBytes);
          lake.advance(1);  // the restart replaces this state
          mass.restoreCheckpoint(file, "lake");
          EXPECT_EQ(mass.hash(), hash);
          lake.advance(3);
          const std::uint64_t end = mass.hash();
          if (!mass.devices().ranks().isFirst()) return;
          EXPECT_TRUE(later == 0 || end == later);
          later = end;
        });
      }
    }
  }
}

/// Places of agents that their owners cannot be found for.
TEST_F(CheckpointsInPieces, RefuseAgentsInAnotherOrder) {
  save({}, distributions[0], pieceSizes.back(), 0);
  const CheckpointReader reader(file);
  const std::filesystem::path changed = folder / "changed.h5";
  for (const int change : {0, 1, 2}) {
    {
      CheckpointWriter writer(changed, reader.header());
      for (const ArrayInfo& array : reader.arrays()) {
        std::vector<std::int64_t> values(array.shape[0] * array.rowBytes() / 8 + 1);
        reader.rows(array.name, 0, array.shape[0], values.data());
        if (array.name == "newts.agents.place") {
          const std::size_t count = array.shape[0];
          if (change == 0) std::reverse(values.begin(), values.begin() + std::ptrdiff_t(count));
          if (change == 1) values[0] = -1;
          if (change == 2) values[count - 1] = 65;
        }
        writer.begin(array);
        writer.rows(0, array.shape[0], values.data());
        writer.end(reader.hash(array.name));
      }
      writer.commit();
    }
    for (const std::size_t pieceBytes : pieceSizes) {
      const std::vector<ThreadRankResult> results = ThreadRanks(3).run([&](Ranks& ranks) {
        Mass mass = makeMass(ranks, {.devices = {1, 1, 1}});
        const Lake lake(mass, distributions[4], pieceBytes);
        mass.restoreCheckpoint(changed, "lake");
      });
      for (const ThreadRankResult& result : results)
        EXPECT_TRUE(contains(result.error, "are not in the order of their places")) << change;
    }
  }
}

}  // namespace
