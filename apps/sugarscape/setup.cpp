#include <apps/sugarscape/setup.hpp>

#include <apps/sugarscape/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sugarscape {
namespace {

mass::Places<Cell> makeLand(mass::Mass& mass, std::int64_t size) {
  auto land = mass.createPlaces<Cell>({size, size}, {.name = "land"});
  const auto maximum = [size](const mass::Coordinates<2>& at) { return maximumAt(at, size); };
  land.initialise<&Cell::maximum>(maximum);
  land.initialise<&Cell::sugar>(maximum);
  return land;
}

}  // namespace

int maximumAt(const mass::Coordinates<2>& place, std::int64_t size) {
  const std::int64_t near = size / 3;
  const std::int64_t far = 2 * size / 3 - 1;
  const double radius = static_cast<double>(size) / 2;
  const auto hill = [&](std::int64_t row, std::int64_t column) {
    const auto dy = static_cast<double>(place[0] - row);
    const auto dx = static_cast<double>(place[1] - column);
    const double level = hillHeight * (1 - std::sqrt(dy * dy + dx * dx) / radius);
    return static_cast<int>(std::ceil(std::max(level, 0.0)));
  };
  return std::max(hill(near, far), hill(far, near));
}

template <class A>
World<A>::World(mass::Mass& mass, std::int64_t size, std::int64_t agents,
                const Parameters& parameters)
    : land_(makeLand(mass, size)),
      agents_(mass.createAgents<A>(land_, agents, "agents")),
      parameters_(parameters) {
  agents_.template callAll<&A::beginLife>();
}

template <>
void World<Ant>::grow() const {
  land_.callAll<&Cell::growAndSpread>();
}
template <>
void World<Forager>::grow() const {
  land_.callAll<&Cell::grow>(mass::writes<&Cell::sugar>, parameters_.growth);
}

template <>
mass::Census World<Ant>::move() const {
  agents_.callAll<&Ant::seek>(mass::writes<>, agents_);
  agents_.manageAll();
  return agents_.census();
}
/// Agents of Epstein & Axtell move one after the other, and none finds its place taken. Here all
/// move at once, and agents that are not admitted try again.
template <>
mass::Census World<Forager>::move() const {
  constexpr auto written = mass::writes<&Forager::leaves>;
  agents_.callAll<&Forager::seek>(written, agents_);
  agents_.manageAll();
  mass::Census all = agents_.census();
  for (int tries = 1; tries < parameters_.tries && all.blocked > 0; ++tries) {
    agents_.callAll<&Forager::seekAgain>(written, agents_);
    agents_.manageAll();
    const mass::Census retry = agents_.census();
    all.moved += retry.moved;
    all.blocked = retry.blocked;
  }
  return all;
}

template <>
void World<Ant>::eat() const {
  agents_.callAll<&Ant::eat>(mass::writes<&Ant::wealth>);
  agents_.deposit<&Ant::metabolism, &Cell::pollution>();
}
template <>
void World<Forager>::eat() const {
  agents_.callAll<&Forager::eat>(mass::writes<&Forager::wealth, &Forager::age, &Forager::isNew>,
                                 parameters_.replacement);
}

template <class A>
StepCounts World<A>::step() const {
  grow();
  const mass::Census moves = move();
  eat();
  agents_.manageAll();
  const mass::Census deaths = agents_.census();
  return {moves.moved, moves.blocked, deaths.died, deaths.born};
}

template <class A>
mass::Picture World<A>::picture() const {
  constexpr float agent = hillHeight + 1;
  const std::int64_t columns = land_.shape()[1];
  mass::Picture picture{{}, land_.shape()[0], columns};
  picture.name = "sugar of a place";
  picture.categories = {"0", "1", "2", "3", "4", "agent"};
  picture.colors = {{70, 50, 35},   {125, 95, 50},   {175, 140, 60},
                    {220, 190, 90}, {255, 235, 150}, {0, 114, 178}};
  for (const int sugar : land_.template download<&Cell::sugar>()) {
    picture.values.push_back(static_cast<float>(sugar));
  }
  for (const auto& at : agents_.coordinates()) {
    picture.values[static_cast<std::size_t>(at[0] * columns + at[1])] = agent;
  }
  return picture;
}

template class World<Ant>;
template class World<Forager>;

namespace {

/// Declares the table columns of the distribution of wealth.
template <class A>
void observeWealth(mass::Simulation& run, const World<A>& world, int width) {
  constexpr int bins = 10;
  std::vector<std::string> columns{"median_wealth", "gini"};
  for (int bin = 0; bin < bins; ++bin) columns.push_back("wealth_" + std::to_string(bin * width));
  run.observe(std::move(columns), [=] {
    const auto wealths = world.agents().template download<&A::wealth>();
    std::vector<double> values{static_cast<double>(median(wealths)), gini(wealths)};
    for (const std::int64_t count : histogram(wealths, width, bins)) {
      values.push_back(static_cast<double>(count));
    }
    return values;
  });
}

Parameters parametersOf(const mass::Settings& settings) {
  return {settings.get<int>("growth"), settings.get<bool>("replacement"),
          settings.get<int>("tries")};
}

template <class A>
void setUpWith(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const auto size = settings.get<std::int64_t>("size");
  const auto requested = settings.get<std::int64_t>("agents");
  if (requested > size * size) {
    settings.reject(
        "agents",
        fmt::format(
            "{} x {} places hold {} agents at most, one each: take fewer agents or a larger size",
            size, size, size * size));
  }
  const auto world = std::make_shared<World<A>>(
      mass, size, requested == 0 ? size * size / 5 : requested, parametersOf(settings));
  run.onChange([=, &settings] { world->set(parametersOf(settings)); });

  // Counts of the last step only: then a restarted run writes the same table.
  const auto last = std::make_shared<StepCounts>();
  run.advance([=](mass::Steps steps) {
    for (std::int64_t step = 0; step < steps.count; ++step) *last = world->step();
  });
  run.observe("agents", [=] { return world->agents().size(); });
  run.observe("moved", [=] { return last->moved; });
  run.observe("blocked", [=] { return last->blocked; });
  run.observe("died", [=] { return last->died; });
  run.observe("born", [=] { return last->born; });
  run.observe("sugar", [=] { return world->land().template reduce<&Cell::sugar>(mass::sum); });
  run.observe("mean_wealth", [=] {
    const auto agents = static_cast<double>(std::max<std::int64_t>(world->agents().size(), 1));
    return static_cast<double>(world->agents().template reduce<&A::wealth>(mass::sum)) / agents;
  });
  observeWealth(run, *world, settings.get<int>("wealth_bin"));
  run.picture([=] { return world->picture(); });
  run.data<&Cell::sugar, &Cell::pollution>(world->land());
  run.data<&A::wealth, &A::metabolism>(world->agents());
  run.agentTable<&A::wealth, &A::metabolism>(world->agents());
}

}  // namespace

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const bool isClassic = mass.settings().get<std::string>("rules") == "classic";
  (isClassic ? setUpWith<Forager> : setUpWith<Ant>)(mass, run);
}

}  // namespace sugarscape
