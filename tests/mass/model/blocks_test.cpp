// 3-D places in blocks of rows, lines and columns, compared with places of one device.

#include "../../support/long_test.hpp"
#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>
#include <mass/support/hash.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using mass::Border;
using mass::Mass;
using mass::testing::RankSetup;
using mass::testing::Record;

/// Place whose bits depend on everything that its rules can read, all places up to its reach among
/// them.
template <int Reach>
class Cell : public mass::Place<3> {
 public:
  static constexpr int reach = Reach;
  std::uint64_t value = 1;
  double level = 0.5;
  std::uint8_t color[3] = {1, 2, 3};
  using Attributes = mass::Attributes<&Cell::value, &Cell::level, &Cell::color>;

  MASS_FN void spread(const mass::Neighborhood<Cell>& near) {
    std::uint64_t next = mass::detail::mix(value) + static_cast<std::uint64_t>(near.index());
    double sum = 0;
    for (int z = -Reach; z <= Reach; ++z) {
      for (int y = -Reach; y <= Reach; ++y) {
        for (int x = -Reach; x <= Reach; ++x) {
          const Cell there = near({z, y, x});
          next = mass::detail::mix(next ^ there.value) + there.color[1];
          sum += there.level * (1 + 0.1 * z + 0.01 * y + 0.001 * x);
        }
      }
    }
    for (int end = 0; end < 2; ++end)
      for (int axis = 0; axis < 3; ++axis) next += near.isAtFixedEnd(axis, end) ? 1U << axis : 0U;
    const auto at = near.coordinates();
    color[0] = static_cast<std::uint8_t>(at[0] + 3 * at[1] + 7 * at[2]);
    color[1] = static_cast<std::uint8_t>(near.random().below(200));
    value = next;
    level = sum / 200 + near.random().template uniform<double>();
  }
  MASS_FN int kind() const { return static_cast<int>(value % 3); }
  MASS_FN double slope(const mass::Neighborhood<Cell>& near) const {
    return level - near({Reach, -Reach, 0}).level / 3;
  }
};

/// Places that a rule of others reads.
class Heat : public mass::Place<3> {
 public:
  static constexpr int reach = 1;
  float degrees = 1;
  using Attributes = mass::Attributes<&Heat::degrees>;
  MASS_FN void follow(const mass::Neighborhood<Heat>& near, const mass::Field<Cell<1>>& cells) {
    degrees = 0.5F * near({0, 1, 0}).degrees + static_cast<float>(cells(0, -1, 1).level);
  }
};

/// Velocities: rest, and those to the 6 nearest and 12 second nearest places.
struct Velocities {
  static constexpr int size = 19;
  MASS_FN static constexpr mass::Offset<3> velocity(int k) {
    for (int place = 0, found = 0; place < 27; ++place) {
      const mass::Offset<3> way{place / 9 - 1, place / 3 % 3 - 1, place % 3 - 1};
      const int axes = (way[0] != 0) + (way[1] != 0) + (way[2] != 0);
      if (axes < 3 && found++ == k) return way;
    }
    return {};
  }
};

/// Place of a lattice gas with solid places.
class Flow : public mass::Place<3> {
 public:
  static constexpr int size = Velocities::size;
  mass::FlowCell kind = mass::FlowCell::interior;
  std::uint32_t f[static_cast<std::size_t>(size)] = {};
  using Attributes =
      mass::Attributes<mass::constant<&Flow::kind>, mass::streamed<&Flow::f, Velocities>>;

  MASS_FN mass::FlowCell flowCell() const { return kind; }
  MASS_FN void begin(const mass::Here<3>& here) {
    for (int k = 0; k < size; ++k) f[k] = static_cast<std::uint32_t>(here.index() * 31 + k);
  }
  MASS_FN void advance(const mass::Streaming<Flow>&) {
    for (int k = 0; k < size; ++k) f[k] = f[k] * 31U + static_cast<std::uint32_t>(k);
  }
};

template <int Reach>
void runCells(Mass& mass, Record& record, const mass::Shape<3>& shape,
              const std::array<Border, 3>& borders, const std::string& file) {
  using P = Cell<Reach>;
  mass::PlacesOptions<P> options;
  options.borders = borders;
  options.outside.value = 5;
  options.outside.level = 2;
  const auto cells = mass.createPlaces<P>(shape, options);
  std::uint64_t count = 0;
  cells.template initialise<&P::value>([&](const auto&) { return ++count; });
  record.add("created", mass.hash());
  cells.template callAll<&P::spread>(mass::steps(2));
  record.add("two steps", mass.hash());
  mass.saveCheckpoint(file, "cells");
  cells.template callAll<&P::spread>(mass::steps(3));
  record.add("five steps", mass.hash());
  record.add("sum", cells.template reduce<&P::level>(mass::sum));
  record.add("sum of slopes", cells.template reduce<&P::slope>(mass::sum));
  record.add("kinds", cells.template count<&P::kind, 3>());
  record.add("slopes", cells.template map<&P::slope>());
  record.add("rows", cells.template reduceRows<&P::level>(mass::sum));
  record.add("values", cells.template download<&P::value>());
  Record collected;
  collected.add("collected", cells.template collect<&P::level>());
  Record read;
  read.add("collected", cells.template download<&P::level>());
  if (mass.devices().ranks().isFirst()) {
    EXPECT_TRUE(areEqual(collected, read));
  }
  std::vector<std::uint64_t> box;
  for (const P& place : cells.download({1, 1, 0}, {shape[0], shape[1] - 1, 2}))
    box.push_back(place.value);
  record.add("box", box);
  (void)mass.restoreCheckpoint(file, "cells");
  record.add("restored", mass.hash());
  cells.setNeighbors({{Reach, -Reach, 0}, {0, 1, 1}});
  std::vector<double> levels(static_cast<std::size_t>(cells.size()));
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = 1.0 / static_cast<double>(i + 1);
  cells.template upload<&P::level>(levels);
  cells.template callAll<&P::spread>();
  record.add("after an upload", mass.hash());
}

/// Devices in some parts, as 2x3 along axes 0 and 1 or 2x2x2 along all.
struct Parts {
  std::string partition;
  std::vector<int> ranks;  // number of devices of each
  std::vector<double> weights{};

  RankSetup setup() const {
    RankSetup setup{.devices = ranks, .weights = weights};
    setup.more = {"partition=" + partition};
    return setup;
  }
};

const std::vector<Parts> manyParts{
    {"2x2", {4}},    {"3x2", {6}},          {"1x5", {5}},
    {"4x1", {4}},    {"2x4", {8}},          {"2x2", {1, 3}},
    {"2x3", {2, 4}}, {"2x2", {1, 1, 1, 1}}, {"2x2", {4}, {1, 4, 0.5, 2}},
    {"2x2x2", {8}},  {"[1, 2, 3]", {6}},    {"3x1x2", {2, 4}},
    {"1x1x4", {4}},  {"2x2x2", {3, 5}},     {"1x1x3", {1, 1, 1}, {1, 3, 1}}};

/// Expects the results of one device on devices in parts.
void expectSame(const std::vector<Parts>& all, const mass::testing::RecordedModel& model) {
  const Record expected = mass::testing::recordOnRanks({}, model);
  for (const Parts& parts : all) {
    if (!mass::testing::haveDevices(parts.setup().deviceCount())) continue;
    EXPECT_TRUE(areEqual(mass::testing::recordOnRanks(parts.setup(), model), expected))
        << parts.partition << "; " << parts.setup().text();
  }
}

/// Tests all borders in the long test, else those of every `step`-th number.
template <int Reach>
void testBorders(const mass::Shape<3>& shape, int step) {
  const mass::testing::TemporaryFolder folder;
  for (int kinds = 0; kinds < 27; kinds += mass::testing::fullOr(1, step)) {
    const std::array<Border, 3> borders{static_cast<Border>(kinds % 3),
                                        static_cast<Border>(kinds / 3 % 3),
                                        static_cast<Border>(kinds / 9)};
    // Two axes, and three in turn; in the long test all.
    const auto ofThree = static_cast<std::size_t>(9 + kinds / step % 4);
    const std::vector<Parts> few{manyParts[0], manyParts[2], manyParts[6], manyParts[ofThree]};
    SCOPED_TRACE(fmt::format("reach {}, borders {}", Reach, kinds));
    expectSame(kinds == 0 && Reach == 1 ? manyParts : mass::testing::fullOr(manyParts, few),
               [&](Mass& mass, Record& record) {
                 runCells<Reach>(mass, record, shape, borders,
                                 (folder.path() / "cells.h5").string());
               });
  }
}

TEST(Blocks, HaveTheBitsOfOneDevice) {
  testBorders<1>({9, 11, 5}, 5);
}
TEST(Blocks, MayBeThinnerThanTheReach) {
  testBorders<2>({5, 7, 4}, 11);
  testBorders<4>({4, 6, 4}, 13);
}

TEST(Blocks, ReadOtherPlacesOfTheirShape) {
  expectSame(manyParts, [](Mass& mass, Record& record) {
    const auto cells = mass.createPlaces<Cell<1>>({6, 8, 4});
    const auto heat = mass.createPlaces<Heat>({6, 8, 4});
    for (int step = 0; step < 3; ++step) {
      cells.callAll<&Cell<1>::spread>();
      heat.callAll<&Heat::follow>(cells);
      record.add("step", mass.hash());
    }
    heat.callAll<&Heat::follow>(mass::steps(3), cells);
    record.add("three steps", mass.hash());
  });
}

TEST(Blocks, Stream) {
  for (const auto& borders : {std::array{Border::periodic, Border::periodic, Border::periodic},
                              std::array{Border::fixed, Border::fixed, Border::periodic},
                              std::array{Border::periodic, Border::mirrored, Border::fixed}}) {
    expectSame(manyParts, [&](Mass& mass, Record& record) {
      mass::PlacesOptions<Flow> options;
      options.borders = borders;
      const auto flow = mass.createPlaces<Flow>({6, 9, 4}, options);
      std::int64_t place = 0;
      flow.initialise<&Flow::kind>([&](const auto&) {
        return ++place % 5 == 1 ? mass::FlowCell::solid : mass::FlowCell::nearSolid;
      });
      flow.callAll<&Flow::begin>();
      flow.callAll<&Flow::advance>(mass::steps(5));
      record.add("five steps", mass.hash());
    });
  }
}

class Flat : public mass::Place<2> {
 public:
  std::int32_t value = 0;
  using Attributes = mass::Attributes<&Flat::value>;
};
class Walker : public mass::Agent<Cell<1>> {
 public:
  std::int32_t age = 0;
  using Attributes = mass::Attributes<&Walker::age>;
};

/// Returns the message of a failure on devices with a partition.
template <class Model>
std::string messageOf(int devices, const std::string& partition, const Model& model) {
  try {
    Mass mass = mass::testing::makeMass(devices, 0, {}, {"backend=cpu", "partition=" + partition});
    model(mass);
  } catch (const mass::Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Blocks, OfAnotherNumberThanTheDevicesAreRefused) {
  const auto create = [](Mass& mass) { (void)mass.createPlaces<Cell<1>>({6, 8, 3}); };
  EXPECT_EQ(messageOf(3, "2x2", create),
            "--set partition=2x2: 2 x 2 are 4 parts, and there are 3 devices: each needs one");
  EXPECT_EQ(messageOf(4, "2 x 2 x 1", create), "none");
  EXPECT_EQ(messageOf(4, "2x1x2x1", create),
            "--set partition=2x1x2x1: must be rows, auto, or parts along axes 0, 1 and 2 such as "
            "2x4 or 2x2x2");
  EXPECT_EQ(messageOf(7, "2x2x2", create),
            "--set partition=2x2x2: 2 x 2 x 2 are 8 parts, and there are 7 devices: each needs "
            "one");
  EXPECT_EQ(messageOf(4, "1x1x4", create),
            "--set partition=1x1x4: 1 x 1 x 4 parts of 'Cell<1>', which has 6 x 8 x 3 places along "
            "axes 0, 1 and 2: each part needs one");
  EXPECT_EQ(messageOf(4, "1x4",
                      [](Mass& mass) {
                        (void)mass.createPlaces<Cell<1>>({6, 3, 3});
                      }),
            "--set partition=1x4: 1 x 4 parts of 'Cell<1>', which has 6 x 3 places along axes 0 "
            "and 1: each part needs one");
}

TEST(Blocks, OfPlacesThatNeedBandsAreRefused) {
  EXPECT_EQ(messageOf(4, "2x2",
                      [](Mass& mass) {
                        (void)mass.createPlaces<Flat>({6, 8});
                      }),
            "--set partition=2x2: 'Flat' has 2 axes, and only places with 3 can be cut along "
            "several: set "
            "it to rows");
  EXPECT_EQ(messageOf(4, "2x2",
                      [](Mass& mass) {
                        const auto cells = mass.createPlaces<Cell<1>>({6, 8, 3});
                        (void)mass.createAgents<Walker>(cells, 3);
                      }),
            "'Cell<1>' is cut along several axes, and agents need bands of rows: set 'partition' "
            "to rows");
  EXPECT_EQ(
      messageOf(4, "2x2",
                [](Mass& mass) {
                  const auto cells = mass.createPlaces<Cell<1>>({6, 8, 3});
                  (void)mass.rebalance(mass::Balance::agents, 0.1);
                }),
      "'Cell<1>' is cut along several axes, and balances by other costs than times need bands of "
      "rows: set 'partition' to rows");
}

}  // namespace
