// Neighbors::within and NeighborSums::within against all pairs of agents.
#include <mass/rules/neighbors.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

using mass::Border;
using mass::Mass;
using mass::Neighbors;
using mass::NeighborSums;
using mass::Space;
using mass::Way;
using mass::testing::contains;
using mass::testing::makeMass;
using mass::testing::messageOf;

template <int D>
class Dot;

template <int D>
class Cube : public mass::Place<D> {
 public:
  static constexpr int reach = 2;
  std::int64_t sum = 0;
  using Attributes = mass::Attributes<&Cube::sum>;

  /// Searches from the corner of the cube with the smallest coordinates.
  MASS_FN void look(const mass::Here<D>& here, const Neighbors<Dot<D>>& dots, const Space<D>& space,
                    float radius) {
    float corner[static_cast<std::size_t>(D)];
    for (int axis = 0; axis < D; ++axis) {
      corner[axis] = space.edge * static_cast<float>(here.coordinates()[axis]);
    }
    sum = 0;
    dots.template within<&Dot<D>::position>(
        space, corner, radius, [&](const Dot<D>& dot, const Way<D>&) { sum += dot.number + 1; });
  }
};

/// Sums over the neighbours of a dot.
template <int D>
struct Totals {
  std::int32_t seen = 0;
  float squares = 0;
  float pull[static_cast<std::size_t>(D)] = {};

  MASS_FN Totals& operator+=(const Totals& other) {
    seen += other.seen;
    squares += other.squares;
    for (int axis = 0; axis < D; ++axis) pull[axis] += other.pull[axis];
    return *this;
  }
};

template <int D>
class Dot : public mass::Agent<Cube<D>> {
 public:
  static constexpr int reach = 2;
  float position[static_cast<std::size_t>(D)] = {};
  std::int32_t number = 0;
  std::int32_t seen = 0;
  std::uint64_t order = 0;  ///< Hash of the numbers of the neighbours, in the order of the visits.
  float squares = 0;        ///< sum of squared distances
  float pull[static_cast<std::size_t>(D)] = {};
  using Attributes = mass::Attributes<&Dot::position, &Dot::number, &Dot::seen, &Dot::order,
                                      &Dot::squares, &Dot::pull>;

  MASS_FN void look(const Neighbors<Dot>& dots, const Space<D>& space, float radius) {
    seen = 0;
    order = 0;
    squares = 0;
    for (float& along : pull) along = 0;
    dots.template within<&Dot::position>(
        space, position, radius, [&](const Dot& dot, const Way<D>& way) {
          ++seen;
          order = 31 * order + static_cast<std::uint64_t>(dot.number) + 1;
          squares += way.squared;
          for (int axis = 0; axis < D; ++axis) pull[axis] += way[axis];
        });
  }
  /// Looks at all, and counts the first ones by their numbers.
  MASS_FN void countFirst(const Neighbors<Dot>& dots, const Space<D>& space, float radius,
                          std::int32_t most) {
    seen = 0;
    order = 0;
    dots.template within<&Dot::position>(
        space, position, radius, [&](const Dot& dot, const Way<D>&) {
          if (seen == most) return;
          ++seen;
          order = 31 * order + static_cast<std::uint64_t>(dot.number) + 1;
        });
  }
  /// Looks at the first ones only, and counts them by their identities.
  MASS_FN void visitFirst(const Neighbors<Dot>& dots, const Space<D>& space, float radius,
                          std::int32_t most) {
    seen = 0;
    order = 0;
    dots.template within<&Dot::position>(space, position, radius,
                                         [&](const Dot&, const Way<D>&, std::uint64_t id) {
                                           ++seen;
                                           order = 31 * order + id + 1;
                                           return seen < most;
                                         });
  }
  /// Adds up the identities of the neighbours.
  MASS_FN void sumIdentities(const NeighborSums<Dot>& dots, const Space<D>& space, float radius) {
    const auto add = [](Totals<D>& sum, const Dot&, const Way<D>&, std::uint64_t id) {
      sum.seen += static_cast<std::int32_t>(id);
    };
    seen = dots.template within<&Dot::position, Totals<D>>(space, position, radius, add).seen;
  }
  MASS_FN void sumNumbers(const Neighbors<Dot>& dots, const Space<D>& space, float radius) {
    seen = 0;
    dots.template within<&Dot::position>(
        space, position, radius, [&](const Dot& dot, const Way<D>&) { seen += dot.number; });
  }
  MASS_FN void sumUp(const NeighborSums<Dot>& dots, const Space<D>& space, float radius) {
    const auto add = [](Totals<D>& sum, const Dot&, const Way<D>& way) {
      ++sum.seen;
      sum.squares += way.squared;
      for (int axis = 0; axis < D; ++axis) sum.pull[axis] += way[axis];
    };
    const auto all = dots.template within<&Dot::position, Totals<D>>(space, position, radius, add);
    seen = all.seen;
    squares = all.squares;
    for (int axis = 0; axis < D; ++axis) pull[axis] = all.pull[axis];
  }
};

template <int D>
using Position = std::array<float, static_cast<std::size_t>(D)>;

template <int D>
struct World {
  Space<D> space;
  std::vector<Position<D>> positions;  // by identity

  /// Returns random dots in bins of edge 1.5; the number of a dot is its identity.
  static World random(const mass::Shape<D>& bins, Border border, int dots) {
    World world{{1.5F, bins, {}}, {}};
    for (bool& periodic : world.space.periodic) periodic = border == Border::periodic;
    for (int number = 0; number < dots; ++number) {
      mass::Random random({.seed = 5, .index = static_cast<std::uint64_t>(number)});
      Position<D> position{};
      for (int axis = 0; axis < D; ++axis) {
        position[static_cast<std::size_t>(axis)] =
            random.uniform<float>() * world.space.length(axis);
      }
      world.positions.push_back(position);
    }
    return world;
  }

  mass::Agents<Dot<D>> createIn(Mass& mass, const mass::Places<Cube<D>>& cubes) const {
    std::vector<mass::Coordinates<D>> where;
    for (const auto& position : positions) where.push_back(space.binOf(position));
    const auto dots = mass.createAgents<Dot<D>>(cubes, where);
    dots.template initialise<&Dot<D>::position>([&](std::uint64_t id) { return positions[id]; });
    dots.template initialise<&Dot<D>::number>([](std::uint64_t id) { return id; });
    return dots;
  }
};

/// Compares the sums of `Rule` over the neighbours of each dot with those over all pairs.
template <auto Rule, int D>
void expectAllPairsBy(const mass::Shape<D>& bins, Border border, int devices, float radius,
                      int count) {
  const auto world = World<D>::random(bins, border, count);
  Mass mass = makeMass(devices);
  const auto cubes = mass.createPlaces<Cube<D>>(bins, mass::borders<Cube<D>>(border));
  const auto space = mass::spaceOf(cubes, 1.5F);
  const auto dots = world.createIn(mass, cubes);
  dots.template callAll<Rule>(dots, space, radius);
  const auto ids = dots.ids();
  const auto seen = dots.template download<&Dot<D>::seen>();
  const auto squares = dots.template download<&Dot<D>::squares>();
  const auto pulls = dots.template download<&Dot<D>::pull>();
  // A sum in another order differs by one rounding error per term.
  const float rounding = 1e-3F * static_cast<float>(count) / 150;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    int near = 0;
    float sum = 0;
    Position<D> pull{};
    for (std::size_t other = 0; other < world.positions.size(); ++other) {
      const auto way = space.way(world.positions[ids[i]], world.positions[other]);
      if (other == ids[i] || way.squared >= radius * radius) continue;
      ++near;
      sum += way.squared;
      for (std::size_t a = 0; a < pull.size(); ++a) pull[a] += way.along[a];
    }
    EXPECT_EQ(seen[i], near);
    EXPECT_NEAR(squares[i], sum, 1e-4F * (1 + sum));
    for (std::size_t a = 0; a < pull.size(); ++a) EXPECT_NEAR(pulls[i][a], pull[a], rounding);
  }
}

template <int D>
void expectAllPairs(const mass::Shape<D>& bins, Border border, int devices, float radius,
                    int count = 150) {
  expectAllPairsBy<&Dot<D>::look>(bins, border, devices, radius, count);
  expectAllPairsBy<&Dot<D>::sumUp>(bins, border, devices, radius, count);
}

TEST(NeighborsWithin, EqualAllPairs) {
  for (const Border border : {Border::periodic, Border::fixed, Border::mirrored}) {
    for (const int devices : {1, 2, 5}) {
      for (const float radius : {0.7F, 1.5F, 2.9F}) {
        expectAllPairs<1>({40}, border, devices, radius);
        expectAllPairs<2>({9, 7}, border, devices, radius);
        expectAllPairs<3>({6, 5, 7}, border, devices, radius);
      }
    }
  }
}

TEST(NeighborsWithin, EqualAllPairsWithHundredsPerBin) {
  for (const Border border : {Border::periodic, Border::fixed}) {
    for (const float radius : {1.5F, 2.9F}) {
      expectAllPairs<1>({5}, border, 1, radius, 800);
      expectAllPairs<2>({3, 2}, border, 2, radius, 800);
      expectAllPairs<3>({2, 1, 3}, border, 2, radius, 800);
    }
  }
}

TEST(NeighborsWithin, AreVisitedOnceInAWorldOfFewBins) {
  for (const std::int64_t rows : {1, 2, 3, 4, 5}) {
    for (const std::int64_t columns : {1, 2, 3, 4}) {
      const int devices = rows >= 2 ? 2 : 1;
      expectAllPairs<2>({rows, columns}, Border::periodic, 1, 2.9F);
      expectAllPairs<2>({rows, columns}, Border::periodic, devices, 1.5F);
    }
  }
}

TEST(NeighborsWithin, HaveTheSameOrderOnEachNumberOfDevices) {
  const auto world = World<2>::random({8, 6}, Border::periodic, 200);
  const auto hashOn = [&](int devices) {
    Mass mass = makeMass(devices);
    const auto cubes = mass.createPlaces<Cube<2>>({8, 6});
    const auto dots = world.createIn(mass, cubes);
    dots.callAll<&Dot<2>::look>(dots, world.space, 2.0F);
    cubes.callAll<&Cube<2>::look>(dots, world.space, 2.0F);
    return mass.hash();
  };
  for (const int devices : {2, 3, 8}) EXPECT_EQ(hashOn(devices), hashOn(1)) << devices;
}

TEST(NeighborsWithin, AreOrderedByPlaceAndThenByIdentity) {
  const World<1> world{{1.5F, {4}, {true}}, {{2.0F}, {0.1F}, {1.0F}, {5.9F}, {1.55F}, {1.4F}}};
  Mass mass = makeMass(1);
  const auto cubes = mass.createPlaces<Cube<1>>({4});
  const auto dots = world.createIn(mass, cubes);
  dots.callAll<&Dot<1>::look>(dots, world.space, 1.5F);
  const auto ids = dots.ids();
  std::uint64_t order = 0;
  for (const std::uint64_t number : {3U, 2U, 5U, 4U}) order = 31 * order + number + 1;
  const auto orders = dots.download<&Dot<1>::order>();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == 1) {
      EXPECT_EQ(orders[i], order);  // dot 0 is beyond the radius, dot 1 is the one that searches
    }
  }
}

/// Compares searches by identity, and searches that end early, with those that visit all.
template <int D>
void expectIdentities(const mass::Shape<D>& bins, int dotCount) {
  const auto world = World<D>::random(bins, Border::periodic, dotCount);
  for (const int devices : {1, 2}) {
    Mass mass = makeMass(devices);
    const auto dots = world.createIn(mass, mass.createPlaces<Cube<D>>(bins));
    for (const std::int32_t most : {1, 3, 70, 1000}) {
      dots.template callAll<&Dot<D>::countFirst>(dots, world.space, 2.0F, most);
      const auto orders = dots.template download<&Dot<D>::order>();
      dots.template callAll<&Dot<D>::visitFirst>(dots, world.space, 2.0F, most);
      EXPECT_EQ(dots.template download<&Dot<D>::order>(), orders) << most;
    }
    dots.template callAll<&Dot<D>::sumNumbers>(dots, world.space, 2.0F);
    const auto sums = dots.template download<&Dot<D>::seen>();
    dots.template callAll<&Dot<D>::sumIdentities>(dots, world.space, 2.0F);
    EXPECT_EQ(dots.template download<&Dot<D>::seen>(), sums);
  }
}

TEST(NeighborsWithin, AreVisitedByIdentityUntilTheVisitorEndsTheSearch) {
  expectIdentities<1>({30}, 100);
  expectIdentities<2>({5, 6}, 600);
  expectIdentities<3>({4, 4, 5}, 700);
}

TEST(NeighborsWithin, AreNearerThanTheRadius) {
  const World<1> world{{1.5F, {8}, {false}}, {{1.0F}, {1.75F}, {2.75F}}};
  Mass mass = makeMass(1);
  const auto cubes = mass.createPlaces<Cube<1>>({8}, mass::borders<Cube<1>>(Border::fixed));
  const auto dots = world.createIn(mass, cubes);
  dots.callAll<&Dot<1>::look>(dots, world.space, 1.0F);
  EXPECT_EQ(dots.download<&Dot<1>::seen>(), (std::vector<std::int32_t>{1, 1, 0}));
}

TEST(NeighborsWithin, AreVisitedByPlaces) {
  const World<1> world{{1.5F, {8}, {true}}, {{11.5F}, {0.5F}, {3.5F}, {6.1F}}};
  Mass mass = makeMass(3);
  const auto cubes = mass.createPlaces<Cube<1>>({8});
  const auto dots = world.createIn(mass, cubes);
  cubes.callAll<&Cube<1>::look>(dots, world.space, 1.1F);
  EXPECT_EQ(cubes.download<&Cube<1>::sum>(),
            (std::vector<std::int64_t>{1 + 2, 2, 3, 3, 4, 0, 0, 1}));
}

TEST(NeighborSums, AreEqualOnEachNumberOfDevices) {
  const auto world = World<2>::random({8, 6}, Border::periodic, 700);
  const auto hashOn = [&](int devices) {
    Mass mass = makeMass(devices);
    const auto dots = world.createIn(mass, mass.createPlaces<Cube<2>>({8, 6}));
    dots.callAll<&Dot<2>::sumUp>(dots, world.space, 2.0F);
    return mass.hash();
  };
  for (const int devices : {2, 3, 8}) EXPECT_EQ(hashOn(devices), hashOn(1)) << devices;
}

TEST(NeighborSums, CoverAllVisitedAgentsInALargePopulation) {
  const auto world = World<2>::random({300, 300}, Border::periodic, 260'000);
  Mass mass = makeMass(2);
  const auto dots = world.createIn(mass, mass.createPlaces<Cube<2>>({300, 300}));
  dots.callAll<&Dot<2>::look>(dots, world.space, 1.5F);
  const auto visited = dots.download<&Dot<2>::seen>();
  dots.callAll<&Dot<2>::sumUp>(dots, world.space, 1.5F);
  EXPECT_EQ(dots.download<&Dot<2>::seen>(), visited);
}

TEST(NeighborsWithin, MustBeWithinReach) {
  const auto world = World<2>::random({9, 9}, Border::periodic, 10);
  for (const int devices : {1, 3}) {
    Mass mass = makeMass(devices);
    const auto cubes = mass.createPlaces<Cube<2>>({9, 9});
    const auto dots = world.createIn(mass, cubes);
    const auto expectRefusal = [&](auto&& call) {
      const std::string message = messageOf<mass::UsageError>([&] {
        call();
        (void)dots.download<&Dot<2>::seen>();  // throws on GPUs
      });
      EXPECT_TRUE(contains(message, "Dot<")) << message;
      EXPECT_TRUE(contains(message, "reach is 2")) << message;
    };
    expectRefusal([&] { dots.callAll<&Dot<2>::look>(dots, world.space, 3.1F); });
    expectRefusal([&] { dots.callAll<&Dot<2>::sumUp>(dots, world.space, 3.1F); });
    expectRefusal([&] { cubes.callAll<&Cube<2>::look>(dots, world.space, 3.1F); });
    dots.callAll<&Dot<2>::look>(dots, world.space, 3.0F);
    EXPECT_EQ(dots.download<&Dot<2>::seen>().size(), 10U) << "the error is reported once";
  }
}

TEST(SpaceOf, HasTheShapeAndBordersOfThePlaces) {
  Mass mass = makeMass(1);
  mass::PlacesOptions<Cube<3>> options;
  options.borders = {Border::periodic, Border::fixed, Border::mirrored};
  const auto space = mass::spaceOf(mass.createPlaces<Cube<3>>({4, 5, 6}, options), 0.5F);
  EXPECT_EQ(space.edge, 0.5F);
  EXPECT_EQ(space.bins, (mass::Shape<3>{4, 5, 6}));
  EXPECT_TRUE(space.periodic[0]);
  EXPECT_FALSE(space.periodic[1]);
  EXPECT_FALSE(space.periodic[2]);
}

TEST(SpaceOf, RejectsAnInvalidEdge) {
  Mass mass = makeMass(1);
  const auto cubes = mass.createPlaces<Cube<2>>({4, 4});
  for (const float edge : {0.0F, -1.0F, NAN, INFINITY}) {
    EXPECT_TRUE(
        contains(messageOf<mass::UsageError>([&] { (void)mass::spaceOf(cubes, edge); }), "edge"))
        << edge;
  }
}

/// Agent that moves by its velocity.
class Drifter : public mass::Agent<Cube<2>> {
 public:
  static constexpr int travel = mass::anywhere, reach = 2;
  float position[2] = {0, 0};
  float velocity[2] = {0, 0};
  int seen = 0;
  using Attributes = mass::Attributes<&Drifter::position, &Drifter::velocity, &Drifter::seen>;

  MASS_FN void drift(mass::Intent<Drifter>& intent, const Space<2>& space) {
    for (int axis = 0; axis < 2; ++axis) position[axis] += velocity[axis];
    space.wrap(position);
    intent.moveTo(space.binOf(position));
  }
  MASS_FN void look(const Neighbors<Drifter>& others, const Space<2>& space) {
    seen = 0;
    others.within<&Drifter::position>(space, position, space.edge,
                                      [&](const Drifter&, const Way<2>&) { ++seen; });
  }
};

/// Five drifters in 10 x 10 periodic bins of edge 1; number 2 has the velocity given, the others 1.
struct DrifterWorld {
  Mass mass;
  mass::Places<Cube<2>> cubes;
  Space<2> space = mass::spaceOf(cubes, 1.0F);
  mass::Agents<Drifter> drifters =
      mass.createAgents<Drifter>(cubes, {{5, 1}, {5, 2}, {5, 3}, {9, 9}, {0, 0}});

  explicit DrifterWorld(int devices, std::array<float, 2> velocity)
      : mass(makeMass(devices)), cubes(mass.createPlaces<Cube<2>>({10, 10})) {
    const auto places = drifters.coordinates();
    const auto ids = drifters.ids();
    drifters.initialise<&Drifter::position>([&](std::uint64_t id) {
      const auto i = static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
      return std::array{static_cast<float>(places[i][0]) + 0.5F,
                        static_cast<float>(places[i][1]) + 0.5F};
    });
    drifters.initialise<&Drifter::velocity>([&](std::uint64_t id) {
      return id == 2 ? velocity : std::array{0.0F, 1.0F};
    });
  }
};

TEST(Positions, ThatAreInNoBinAreErrorsThatNameTheAgent) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const int devices : {1, 3}) {
    for (const std::array<float, 2> velocity :
         {std::array{nan, 0.0F}, {0.0F, -infinity}, {37, 0}, {0, -26}, {1e9F, 0}}) {
      DrifterWorld world(devices, velocity);
      const std::string message = messageOf<mass::UsageError>([&] {
        world.drifters.callAll<&Drifter::drift>(world.space);
        world.drifters.manageAll();
        (void)world.drifters.size();
      });
      if (mass::testing::testBackend() == "cuda") {
        EXPECT_TRUE(contains(message, "1 agents of class Drifter"));
      } else {
        EXPECT_TRUE(contains(message, "Drifter 2 has a position that is nowhere: "));
      }
    }
    DrifterWorld world(devices, {3, -9});
    world.drifters.callAll<&Drifter::drift>(world.space);
    world.drifters.manageAll();
    EXPECT_EQ(world.drifters.coordinates(),
              (std::vector<mass::Coordinates<2>>{{0, 1}, {5, 2}, {5, 3}, {8, 4}, {9, 0}}));
  }
}

TEST(Positions, OfAgentsThatHaveNotMigratedAreErrorsOfASearch) {
  if constexpr (!mass::checked) GTEST_SKIP() << "not a checked build";
  for (const int devices : {1, 3}) {
    DrifterWorld world(devices, {0, 1});
    world.drifters.callAll<&Drifter::look>(world.drifters, world.space);
    world.drifters.callAll<&Drifter::drift>(world.space);
    const std::string message = messageOf<mass::UsageError>(
        [&] { world.drifters.callAll<&Drifter::look>(world.drifters, world.space); });
    EXPECT_TRUE(contains(message, "Drifter"));
    EXPECT_TRUE(contains(message, "manageAll"));
    world.drifters.manageAll();
    world.drifters.callAll<&Drifter::look>(world.drifters, world.space);
  }
}

}  // namespace
