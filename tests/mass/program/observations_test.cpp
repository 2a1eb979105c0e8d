// Compares columns of a table, and layers of pictures, that are made from members with loops over
// all places and agents.
#include <mass/program/observations.hpp>

#include "../../support/mass_on_ranks.hpp"

#include <mass/mass.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace {

using ::testing::ElementsAre;

enum class Cover : std::uint8_t { bare, grass, wood, rock };
constexpr double infinity = std::numeric_limits<double>::infinity();

template <int D>
class Plot : public mass::Place<D> {
 public:
  Cover cover = Cover::bare;
  float height = 0;
  int depth = 0;
  using Attributes = mass::Attributes<&Plot::cover, &Plot::height, &Plot::depth>;

  MASS_FN void grow(const mass::Here<D>& here) {
    auto random = here.random();
    cover = static_cast<Cover>(random.below(4));
    height = random.template uniform<float>() * 10 - 5;
    depth = static_cast<int>(random.below(1000)) - 500;
  }
  MASS_FN double doubled() const { return 2 * height; }
  MASS_FN int level() const { return depth / 200; }
};

template <int D>
class Hare : public mass::Agent<Plot<D>> {
 public:
  Cover likes = Cover::bare;
  float weight = 0;
  bool isOld = false;
  using Attributes = mass::Attributes<&Hare::likes, &Hare::weight, &Hare::isOld>;

  MASS_FN void begin(mass::Intent<Hare>& intent) {
    auto random = intent.random();
    likes = static_cast<Cover>(random.below(4));
    weight = random.template uniform<float>();
    isOld = random.bernoulli(0.3);
  }
};

/// Returns the number of values in each bin [edges[i], edges[i + 1]).
template <class T>
std::vector<double> binned(const std::vector<T>& values, const std::vector<double>& edges) {
  std::vector<double> counts(edges.size() - 1);
  for (const T value : values) {
    for (std::size_t i = 0; i + 1 < edges.size(); ++i)
      counts[i] +=
          edges[i] <= static_cast<double>(value) && static_cast<double>(value) < edges[i + 1];
  }
  return counts;
}
template <class T>
std::vector<double> counted(const std::vector<T>& values, int categories) {
  std::vector<double> counts(static_cast<std::size_t>(categories));
  for (const T value : values)
    if (static_cast<int>(value) >= 0 && static_cast<int>(value) < categories)
      ++counts[static_cast<std::size_t>(value)];
  return counts;
}

/// Places and agents, and a run that observes them.
template <int D>
struct World {
  mass::Places<Plot<D>> plots;
  mass::Agents<Hare<D>> hares;

  World(mass::Mass& mass, const mass::Shape<D>& shape)
      : plots(mass.createPlaces<Plot<D>>(shape)), hares(mass.createAgents<Hare<D>>(plots, 300)) {
    plots.template callAll<&Plot<D>::grow>();
    hares.template callAll<&Hare<D>::begin>();
  }
  void observe(mass::Simulation& run) const {
    run.observe<&Plot<D>::cover>(plots, {"bare", "grass", "wood"});  // rock is not counted
    run.observe<&Plot<D>::level>(plots, {"0", "1", "2"});            // some are below 0
    run.observe<&Hare<D>::likes>(hares, {"likes bare", "likes grass", "likes wood", "likes rock"});
    run.observe<&Hare<D>::isOld>(hares, {"young", "old"});
    run.observe<&Plot<D>::height>(plots, {-4.0, 0.0, 0.5, infinity});
    run.observe<&Hare<D>::weight>(hares, {-infinity, 0.25, 0.75});
    run.observe<&Plot<D>::level>(plots, {-1.0, 1.0, 2.0});  // many are equal to an edge
  }
  /// Returns the columns of observe().
  std::vector<double> expected() const {
    const auto levels = plots.template map<&Plot<D>::level>();
    std::vector<double> all;
    for (const std::vector<double>& columns :
         {counted(plots.template download<&Plot<D>::cover>(), 3), counted(levels, 3),
          counted(hares.template download<&Hare<D>::likes>(), 4),
          counted(hares.template map<&Hare<D>::isOld>(), 2),
          binned(plots.template download<&Plot<D>::height>(), {-4.0, 0.0, 0.5, infinity}),
          binned(hares.template download<&Hare<D>::weight>(), {-infinity, 0.25, 0.75}),
          binned(levels, {-1.0, 1.0, 2.0})})
      all.insert(all.end(), columns.begin(), columns.end());
    return all;
  }
};

/// Returns the row of the table of a run that declares columns.
template <class Declare>
mass::Run::Row rowOf(mass::Mass& mass, Declare declare) {
  mass::Schema schema = mass::Schema::library();
  mass::Run run({"observed", "", schema,
                 [&](mass::Mass&, mass::Simulation& simulation) {
                   simulation.step([] {});
                   declare(simulation);
                 }},
                mass);
  return run.row();
}

template <int D>
void expectCounts(mass::Mass& mass, const mass::Shape<D>& shape) {
  const World<D> world(mass, shape);
  const auto row = rowOf(mass, [&](mass::Simulation& run) { world.observe(run); });
  EXPECT_EQ(row.values, world.expected());
}

TEST(Observe, CountsCategoriesAndBinsOnAnyDevices) {
  for (const int devices : {1, 2, 3, 4, 8}) {
    mass::Mass lines = mass::testing::makeMass(devices), plane = mass::testing::makeMass(devices),
               volume = mass::testing::makeMass(devices);
    expectCounts<1>(lines, {97});
    expectCounts<2>(plane, {19, 37});
    expectCounts<3>(volume, {11, 4, 21});
  }
}

TEST(Observe, CountsOnRanks) {
  for (const auto& setup : mass::testing::usualRanks()) {
    if (!mass::testing::haveDevices(setup.deviceCount())) continue;
    mass::testing::onRanks(setup, [](mass::Mass& mass) { expectCounts<2>(mass, {19, 37}); });
  }
}

TEST(Observe, NamesBinsByTheirLowerEdges) {
  mass::Mass mass = mass::testing::makeMass(1);
  const World<2> world(mass, {4, 5});
  const auto row = rowOf(mass, [&](mass::Simulation& run) {
    run.observe<&Plot<2>::height>(world.plots, {-4.5, 0.0, 20.0, infinity});
  });
  EXPECT_THAT(row.names, ElementsAre("height.from_-4.5", "height.from_0", "height.from_20"));
}

TEST(Observe, RefusesEdgesThatDoNotAscend) {
  mass::Mass mass = mass::testing::makeMass(1);
  const World<2> world(mass, {4, 5});
  const auto declare = [&](mass::Simulation& run) {
    run.observe<&Plot<2>::height>(world.plots, {0.0, 0.0, 1.0});
  };
  EXPECT_THROW(rowOf(mass, declare), mass::UsageError);
}

TEST(Observe, ReducesSeveralMembersInOnePassAsEachByItself) {
  for (const int devices : {1, 3}) {
    mass::Mass mass = mass::testing::makeMass(devices);
    const World<2> world(mass, {19, 37});
    const auto& [plots, hares] = world;
    const auto row = rowOf(mass, [&](mass::Simulation& run) {
      run.observe<&Plot<2>::height, &Plot<2>::doubled, &Plot<2>::depth>(world.plots, mass::sum);
      run.observe<&Plot<2>::depth>(world.plots, mass::minimum, {"deepest"});
      run.observe<&Hare<2>::weight>(world.hares, mass::mean, {"mean weight"});
    });
    EXPECT_THAT(row.names, ElementsAre("height", "doubled", "depth", "deepest", "mean weight"));
    const double sumOfDepths = static_cast<double>(plots.reduce<&Plot<2>::depth>(mass::sum));
    EXPECT_THAT(row.values, ElementsAre(plots.reduce<&Plot<2>::height>(mass::sum),
                                        plots.reduce<&Plot<2>::doubled>(mass::sum), sumOfDepths,
                                        plots.reduce<&Plot<2>::depth>(mass::minimum),
                                        hares.reduce<&Hare<2>::weight>(mass::sum) / 300));
  }
}

TEST(Observe, ReducesRows) {
  mass::Mass mass = mass::testing::makeMass(3);
  const World<2> world(mass, {19, 37});
  const auto row = rowOf(mass, [&](mass::Simulation& run) {
    run.observeRows<&Plot<2>::depth, &Plot<2>::height>(world.plots, mass::mean);
  });
  ASSERT_EQ(row.names.size(), 38U);
  EXPECT_EQ(row.names[18], "depth.18");
  EXPECT_EQ(row.names[19], "height.0");
  const auto depths = world.plots.download<&Plot<2>::depth>();
  const double first = std::accumulate(depths.begin(), depths.begin() + 37, 0);
  EXPECT_EQ(row.values[0], first / 37);
}

TEST(Observe, RefusesAnotherNumberOfColumnsThanMembers) {
  mass::Mass mass = mass::testing::makeMass(1);
  const World<2> world(mass, {4, 5});
  const auto declare = [&](mass::Simulation& run) {
    run.observe<&Plot<2>::height>(world.plots, mass::sum, {"a", "b"});
  };
  EXPECT_THROW(rowOf(mass, declare), mass::UsageError);
}

TEST(Observe, RefusesTwoColumnsOfOneName) {
  mass::Mass mass = mass::testing::makeMass(1);
  const auto declare = [](mass::Simulation& run) {
    run.observe("height", [] { return 1.0; });
    run.state<double>("height", 0);
  };
  EXPECT_THROW(rowOf(mass, declare), mass::UsageError);
}

TEST(Layer, ShowsAgentsOfEachCategoryOverThePicture) {
  mass::Mass mass = mass::testing::makeMass(3);
  const World<2> world(mass, {19, 37});
  mass::Run run(
      {"layers", "", mass::Schema::library(),
       [&](mass::Mass&, mass::Simulation& simulation) {
         simulation.step([] {});
         simulation.picture<&Plot<2>::height>(world.plots, -5, 5);
         simulation.layer<&Hare<2>::isOld>(world.hares, {"young", "old"}, {{1, 2, 3}, {4, 5, 6}});
       }},
      mass);
  const auto marks = run.pictures().front().marks;
  ASSERT_EQ(marks.size(), 2U);
  EXPECT_EQ(marks[1].name, "old");
  EXPECT_EQ(marks[1].color, (mass::Rgb{4, 5, 6}));
  const auto places = world.hares.coordinates();
  const auto old = world.hares.map<&Hare<2>::isOld>();
  std::vector<std::array<float, 2>> expected;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (old[i])
      expected.push_back({(static_cast<float>(places[i][0]) + 0.5F) / 19,
                          (static_cast<float>(places[i][1]) + 0.5F) / 37});
  }
  EXPECT_EQ(marks[1].at, expected);
  EXPECT_EQ(marks[0].at.size() + expected.size(), 300U);
}

TEST(Layer, RefusesAnotherNumberOfColoursThanCategories) {
  mass::Mass mass = mass::testing::makeMass(1);
  const World<2> world(mass, {4, 5});
  const auto declare = [&](mass::Simulation& run) {
    run.layer<&Hare<2>::isOld>(world.hares, {"young", "old"}, {{1, 2, 3}});
  };
  EXPECT_THROW(rowOf(mass, declare), mass::UsageError);
}

}  // namespace
