#include "../../support/long_test.hpp"
#include "../../support/mass_on_ranks.hpp"
#include "sequential_agents.hpp"

#include <mass/mass.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

using mass::Border;
using mass::Census;
using mass::Coordinates;
using mass::Offset;
using mass::detail::mix;
using mass::testing::act;
using mass::testing::Herd;
using mass::testing::Model;
using mass::testing::RankSetup;

template <int D, int Kind>
class Beast;

/// Surroundings and intent of an agent of a Mass; see Model::World.
template <int D, int Own>
struct MassWorld {
  mass::Intent<Beast<D, Own>>& intent;
  const mass::Neighborhood<typename Beast<D, Own>::Home>& near;
  const mass::Neighbors<Beast<D, Own>>& own;
  const mass::Neighbors<Beast<D, 1 - Own>>& others;

  MASS_FN mass::Random random() { return intent.random(); }
  MASS_FN std::uint64_t soil(Offset<D> offset) { return near(offset).soil; }
  template <int Kind, class F>
  MASS_FN void forEach(Offset<D> offset, F&& f) {
    const auto each = [&](const auto& agents) {
      for (std::int64_t i = 0; i < agents.size(); ++i) f(agents.id(i), agents[i].soul);
    };
    if constexpr (Kind == Own) each(own(offset));
    if constexpr (Kind != Own) each(others(offset));
  }
  MASS_FN bool move(Offset<D> offset) { return intent.move(offset); }
  MASS_FN bool spawn(std::uint64_t soul, Offset<D> offset) {
    Beast<D, Own> child;
    child.soul = soul;
    return intent.spawn(child, offset);
  }
  MASS_FN void kill() { intent.kill(); }
};

/// Creation of agents of a Mass.
template <int D, int Kind, class Births>
struct AddSoul {
  const Births& births;
  MASS_FN void operator()(std::uint64_t soul) const {
    Beast<D, Kind> beast;
    beast.soul = soul;
    births.add(beast);
  }
};

template <int D>
class Land : public mass::Place<D> {
 public:
  static constexpr int reach = mass::testing::placeReach;
  std::uint64_t soil = 1;
  using Attributes = mass::Attributes<&Land::soil>;

  MASS_FN void feed(const mass::Residents<Beast<D, 1>>& here) {
    for (const auto& agent : here) soil = mix(soil ^ agent.soul);
  }
  template <int Kind>
  MASS_FN void bleed(const mass::Here<D>& here, const mass::Births<Beast<D, Kind>, 2>& births) {
    const AddSoul<D, Kind, mass::Births<Beast<D, Kind>, 2>> add{births};
    soil = mass::testing::bleed(soil, here.random(), add);
  }
};

template <int D, int Kind>
class Beast : public mass::Agent<Land<D>> {
 public:
  using Other = Beast<D, 1 - Kind>;
  static constexpr std::int64_t capacity = mass::testing::capacityOf[Kind];
  static constexpr int travel = mass::testing::travelOf[Kind], reach = mass::testing::reachOf[Kind];
  static constexpr int offspring = mass::testing::offspringOf[Kind];
  std::uint64_t soul = 1;
  using Attributes = mass::Attributes<&Beast::soul>;

  MASS_FN void change(const mass::Neighborhood<Land<D>>& near, const mass::Neighbors<Beast>& own,
                      const mass::Neighbors<Other>& others, mass::Intent<Beast>& intent) {
    MassWorld<D, Kind> world{intent, near, own, others};
    soul = act<D, Kind>(soul, world);
  }
  MASS_FN void breed(const mass::Intent<Beast>& intent, const mass::Births<Other>& births) {
    const AddSoul<D, 1 - Kind, mass::Births<Other>> add{births};
    soul = mass::testing::breed(soul, intent.random(), add);
  }
};

template <int D, int Kind>
void compare(const mass::Agents<Beast<D, Kind>>& agents, const Model<D>& model) {
  std::vector<std::uint64_t> ids, souls;
  std::vector<Coordinates<D>> places;
  for (const auto& [place, creatures] : model.herds[Kind]) {
    for (const auto& [id, creature] : creatures) {
      ids.push_back(id);
      souls.push_back(creature.soul);
      places.push_back(mass::coordinatesOf<D>(place, model.shape));
    }
  }
  ASSERT_EQ(agents.ids(), ids);
  ASSERT_EQ((agents.template download<&Beast<D, Kind>::soul>()), souls);
  ASSERT_EQ(agents.coordinates(), places);
}

/// Advances the agents of one kind, in both models, and compares them.
/// @param between called between the rule and manageAll
template <int D, int Kind, class F>
void advance(mass::Agents<Beast<D, Kind>>& agents, mass::Agents<Beast<D, 1 - Kind>>& others,
             Model<D>& model, F&& between) {
  agents.template callAll<&Beast<D, Kind>::change>(agents, others);
  between();
  agents.manageAll();
  const Census census = agents.census();
  model.template changeAgents<Kind>();
  ASSERT_EQ(census, model.manage(Kind));
  compare(agents, model);
}

/// Creates agents by places, by agents of the other kind, and by the host.
template <int D>
void create(mass::Places<Land<D>>& land, mass::Agents<Beast<D, 0>>& some,
            mass::Agents<Beast<D, 1>>& others, Model<D>& model) {
  using Soil = Land<D>;
  land.template callAll<&Soil::template bleed<0>>(mass::steps(2), some);
  others.template callAll<&Beast<D, 1>::breed>(some);
  Beast<D, 1> immigrant;
  immigrant.soul = 7;
  const std::uint64_t first = others.add({{}, {}}, immigrant);
  ASSERT_EQ(first, model.next[1]);
  land.template callAll<&Soil::template bleed<1>>(others);
  model.bleedAll(0);
  model.bleedAll(0);
  model.breedAll(1);
  for (int k = 0; k < 2; ++k) model.add(1, 0, immigrant.soul);
  model.bleedAll(1);
}

/// Runs the calls of a trial in both models and compares them.
/// @param where places of the agents
/// @param move true if the rows of the devices change all the time
/// @param random for the rows of the devices
template <int D>
void compareRuns(mass::Mass& mass, Model<D> model, const std::vector<Coordinates<D>>& where,
                 bool move, std::mt19937_64 random) {
  mass::PlacesOptions<Land<D>> options;
  options.borders = model.borders;
  auto land = mass.createPlaces<Land<D>>(model.shape, options);
  auto some = mass.createAgents<Beast<D, 0>>(land, where, "some");
  auto others = mass.createAgents<Beast<D, 1>>(land, where, "others");
  const auto split = [&] {
    if (!move) return;
    std::vector<std::int64_t> rows(static_cast<std::size_t>(mass.devices().size()), 1);
    const auto spare = model.shape[0] - mass.devices().size();
    for (std::int64_t row = 0; row < spare; ++row) ++rows[random() % rows.size()];
    mass.repartition(land, rows);
  };
  for (int step = 0; step < 6 && !::testing::Test::HasFatalFailure(); ++step) {
    SCOPED_TRACE(fmt::format("trial {}, step {}", model.seed, step));
    create(land, some, others, model);
    advance(some, others, model, split);
    split();
    advance(others, some, model, split);
    land.template callAll<&Land<D>::feed>(others);
    model.feed();
    ASSERT_EQ(land.template download<&Land<D>::soil>(), model.soil);
  }
}

/// Returns `ranks` ranks that share at most 8 devices at random, at most one for each row.
RankSetup randomSetup(std::mt19937_64& random, int ranks, std::int64_t rows) {
  RankSetup setup;
  setup.weights.resize(static_cast<std::size_t>(1 + random() % 8));
  setup.weights.resize(std::min(setup.weights.size(), static_cast<std::size_t>(rows)));
  for (double& weight : setup.weights) weight = static_cast<double>(1 + random() % 9);
  setup.devices.assign(std::min(static_cast<std::size_t>(ranks), setup.weights.size()), 1);
  while (setup.deviceCount() < static_cast<int>(setup.weights.size()))
    ++setup.devices[random() % setup.devices.size()];
  setup.threads = setup.devices.size() == 1 ? 8 : 0;
  return setup;
}

/// Compares a run with the reference, on a random shape, borders and devices.
/// @param number seed of the trial
/// @param ranks number of ranks, unless there are fewer rows
/// @param move true if the rows of the devices change all the time, at random
template <int D>
void runTrial(std::uint64_t number, int ranks, bool move) {
  std::mt19937_64 random(number);
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::int64_t>(random() % bound);
  };
  Model<D> model;
  for (int axis = 0; axis < D; ++axis) model.shape[axis] = 1 + below(D == 1 ? 40 : 9);
  for (Border& border : model.borders) border = static_cast<Border>(below(3));
  model.seed = number;
  const auto places = static_cast<std::size_t>(mass::count<D>(model.shape));
  model.soil.assign(places, 1);
  std::vector<Coordinates<D>> where;  // one agent of each kind on a place, or none
  for (std::size_t place = 0; place < places; ++place) {
    if (below(2) == 0) continue;
    const auto at = static_cast<std::int64_t>(place);
    for (Herd& herd : model.herds) herd[at][where.size()] = {};
    where.push_back(mass::coordinatesOf<D>(at, model.shape));
  }
  std::fill_n(model.next, 2, where.size());
  RankSetup setup = randomSetup(random, ranks, model.shape[0]);
  setup.more = {fmt::format("seed={}", number)};
  mass::testing::onRanks(setup,
                         [&](mass::Mass& mass) { compareRuns(mass, model, where, move, random); });
}

/// Runs the trials [first, end) in one, two and three dimensions.
void runTrials(std::uint64_t first, std::uint64_t end, int ranks, bool move) {
  for (std::uint64_t number = first; number < end && !::testing::Test::HasFatalFailure();
       ++number) {
    runTrial<1>(number, ranks, move);
    runTrial<2>(number, ranks, move);
    runTrial<3>(number, ranks, move);
  }
}

TEST(AgentsReference, TheyDoWhatASequentialModelDoes) {
  runTrials(0, mass::testing::fullOr(60U, 24U), 1, false);
}

TEST(AgentsReference, TheyDoTheSameWhileTheirPlacesChangeDevices) {
  runTrials(100, 100 + mass::testing::fullOr(60U, 24U), 1, true);
}

TEST(AgentsReference, TheyDoTheSameOnRanks) {
  for (const int ranks : {2, 3, 4}) {
    const auto first = static_cast<std::uint64_t>(100 * ranks);
    runTrials(first, first + 4, ranks, false);
    runTrials(first + 50, first + 54, ranks, true);
  }
}

}  // namespace
