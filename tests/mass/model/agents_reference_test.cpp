#include "../../support/make_mass.hpp"
#include "sequential_agents.hpp"

#include <mass/mass.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
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

template <int D, int Kind>
class Beast;

/// What an agent sees of a Mass, and can do.
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

template <int D>
class Land : public mass::Place<D> {
 public:
  static constexpr int reach = mass::testing::placeReach;
  std::uint64_t soil = 1;
  using Attributes = mass::Attributes<&Land::soil>;

  MASS_FN void feed(const mass::Residents<Beast<D, 1>>& here) {
    for (const auto& agent : here) soil = mix(soil ^ agent.soul);
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

/// `between` is done when agents have intents.
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

/// A world of any shape and borders on any devices. Whether the cuts between devices `move` all the
/// time, to anywhere.
template <int D>
void runTrial(std::uint64_t number, bool move) {
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
  std::vector<Coordinates<D>> where;  // at most one of each kind on a place
  for (std::size_t place = 0; place < places; ++place) {
    if (below(2) == 0) continue;
    const auto at = static_cast<std::int64_t>(place);
    for (Herd& herd : model.herds) herd[at][where.size()] = {};
    where.push_back(mass::coordinatesOf<D>(at, model.shape));
  }
  std::fill_n(model.next, 2, where.size());
  std::vector<double> weights(static_cast<std::size_t>(1 + below(8)));
  weights.resize(std::min(weights.size(), static_cast<std::size_t>(model.shape[0])));
  for (double& weight : weights) weight = static_cast<double>(1 + below(9));
  auto mass = mass::testing::makeMass(static_cast<int>(weights.size()), 8, weights,
                                      {fmt::format("seed={}", number)});
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
    SCOPED_TRACE(fmt::format("trial {}, step {}", number, step));
    advance(some, others, model, split);
    split();
    advance(others, some, model, split);
    land.template callAll<&Land<D>::feed>(others);
    model.feed();
    ASSERT_EQ(land.template download<&Land<D>::soil>(), model.soil);
  }
}

TEST(AgentsReference, TheyDoWhatASequentialModelDoes) {
  for (std::uint64_t number = 0; number < 60 && !HasFatalFailure(); ++number) {
    runTrial<1>(number, false);
    runTrial<2>(number, false);
    runTrial<3>(number, false);
  }
}

TEST(AgentsReference, TheyDoTheSameWhileTheirPlacesChangeDevices) {
  for (std::uint64_t number = 100; number < 160 && !HasFatalFailure(); ++number) {
    runTrial<1>(number, true);
    runTrial<2>(number, true);
    runTrial<3>(number, true);
  }
}

}  // namespace
