#include <apps/sugarscape/world.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sugarscape {
namespace {

constexpr int height = 4;  // of the hills

mass::Places<Cell> makeLand(mass::Mass& mass, std::int64_t size) {
  auto land = mass.createPlaces<Cell>({size, size}, {.name = "land"});
  const auto maximum = [size](const mass::Coordinates<2>& at) { return maximumAt(at, size); };
  land.initialise<&Cell::maximum>(maximum);
  land.initialise<&Cell::sugar>(maximum);
  return land;
}

}  // namespace

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.setDefault("MAX_PLACE_EXCHANGE", 6).setDefault("MAX_AGENT_TRAVEL", 3);
  schema.add("rules", "classic", "", "classic: Epstein & Axtell's; mass: those of MASS's program")
      .oneOf({"classic", "mass"});
  schema.add("size", 50, "places", "height and width of the world").between(1, 1 << 20);
  schema.add("agents", 0, "", "agents at the start; auto (0) = one for every five places")
      .atLeast(0)
      .orAuto();
  schema.add("growth", 1, "1/step", "classic: sugar that grows on a place").between(0, height);
  schema.add("replacement", true, "",
             "classic: whether agents die of age too, and a new one comes for each that dies");
  schema
      .add("tries", 8, "1/step",
           "classic: how often an agent looks for a place that no other gets first")
      .between(1, 1000);
  schema
      .add("wealth_bin", 20, "",
           "width of the bins in which the table counts agents by their wealth")
      .between(1, 1 << 20);
  return schema;
}

int maximumAt(const mass::Coordinates<2>& place, std::int64_t size) {
  const std::int64_t near = size / 3;
  const std::int64_t far = 2 * size / 3 - 1;
  const double radius = static_cast<double>(size) / 2;
  const auto hill = [&](std::int64_t row, std::int64_t column) {
    const auto dy = static_cast<double>(place[0] - row);
    const auto dx = static_cast<double>(place[1] - column);
    const double level = height * (1 - std::sqrt(dy * dy + dx * dx) / radius);
    return static_cast<int>(std::ceil(std::max(level, 0.0)));
  };
  return std::max(hill(near, far), hill(far, near));
}

double gini(std::vector<int> values) {
  // Half the mean difference of two of the values, over their mean; from the sorted values.
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  double weighted = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    weighted += (2 * static_cast<double>(i) + 1 - n) * values[i];
  }
  return sum == 0 ? 0 : weighted / (n * sum);
}

int median(std::vector<int> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<std::int64_t> histogram(const std::vector<int>& values, int width, int bins) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins));
  for (const int value : values) {
    ++counts[static_cast<std::size_t>(std::min(value / width, bins - 1))];
  }
  return counts;
}

template <class A>
World<A>::World(mass::Mass& mass, std::int64_t size, std::int64_t agents, const Rules& rules)
    : land_(makeLand(mass, size)),
      agents_(mass.createAgents<A>(land_, agents, "agents")),
      rules_(rules) {
  agents_.template callAll<&A::beginLife>();
}

template <>
void World<Ant>::grow() const {
  land_.callAll<&Cell::growAndSpread>();
}
template <>
void World<Forager>::grow() const {
  land_.callAll<&Cell::grow>(mass::writes<&Cell::sugar>, rules_.growth);
}

template <>
mass::Census World<Ant>::move() const {
  agents_.callAll<&Ant::seek>(mass::writes<>, agents_);
  agents_.manageAll();
  return agents_.census();
}
/// Epstein & Axtell's agents move one after the other, so that none finds its place taken. Here all
/// move at once, and those that come too late look again.
template <>
mass::Census World<Forager>::move() const {
  constexpr auto written = mass::writes<&Forager::leaves>;
  agents_.callAll<&Forager::seek>(written, agents_);
  agents_.manageAll();
  mass::Census all = agents_.census();
  for (int tries = 1; tries < rules_.tries && all.blocked > 0; ++tries) {
    agents_.callAll<&Forager::seekAgain>(written, agents_);
    agents_.manageAll();
    const mass::Census more = agents_.census();
    all.moved += more.moved;
    all.blocked = more.blocked;
  }
  return all;
}

template <>
void World<Ant>::eat() const {
  agents_.callAll<&Ant::eat>(mass::writes<&Ant::wealth>);
  land_.callAll<&Cell::beEatenAndPollutedBy<Ant>>(agents_);
}
template <>
void World<Forager>::eat() const {
  agents_.callAll<&Forager::eat>(mass::writes<&Forager::wealth, &Forager::age, &Forager::isNew>,
                                 rules_.replacement);
  land_.callAll<&Cell::beEatenBy<Forager>>(mass::writes<&Cell::sugar>, agents_);
}

template <class A>
Events World<A>::step() const {
  grow();
  const mass::Census moves = move();
  eat();
  agents_.manageAll();
  const mass::Census deaths = agents_.census();
  return {moves.moved, moves.blocked, deaths.died, deaths.born};
}

template <class A>
mass::Picture World<A>::picture() const {
  constexpr float agent = 2 * height;  // far from the sugar's colours
  const std::int64_t columns = land_.shape()[1];
  mass::Picture picture{{}, land_.shape()[0], columns, 0, agent};
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

/// The columns of the table that come from the wealth of every agent.
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

template <class A>
void setUpWith(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const auto size = settings.get<std::int64_t>("size");
  const auto asked = settings.get<std::int64_t>("agents");
  if (asked > size * size) {
    settings.reject("agents", fmt::format("{} x {} places hold {} agents at most, one each", size,
                                          size, size * size));
  }
  const World<A> world(
      mass, size, asked == 0 ? size * size / 5 : asked,
      {settings.get<int>("growth"), settings.get<bool>("replacement"), settings.get<int>("tries")});

  // Of the last step, so that a run that goes on from a checkpoint writes the same table.
  const auto last = std::make_shared<Events>();
  run.advance([=](mass::Steps steps) {
    for (std::int64_t step = 0; step < steps.count; ++step) *last = world.step();
  });
  run.observe("agents", [=] { return world.agents().size(); });
  run.observe("moved", [=] { return last->moved; });
  run.observe("blocked", [=] { return last->blocked; });
  run.observe("died", [=] { return last->died; });
  run.observe("born", [=] { return last->born; });
  run.observe("sugar", [=] { return world.land().template reduce<&Cell::sugar>(mass::sum); });
  run.observe("mean_wealth", [=] {
    const auto agents = static_cast<double>(std::max<std::int64_t>(world.agents().size(), 1));
    return static_cast<double>(world.agents().template reduce<&A::wealth>(mass::sum)) / agents;
  });
  observeWealth(run, world, settings.get<int>("wealth_bin"));
  run.picture([=] { return world.picture(); });
  run.data<&Cell::sugar, &Cell::pollution>(world.land());
  run.data<&A::wealth, &A::metabolism>(world.agents());
  run.agentTable<&A::wealth, &A::metabolism>(world.agents());
}

}  // namespace

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const bool isClassic = mass.settings().get<std::string>("rules") == "classic";
  (isClassic ? setUpWith<Forager> : setUpWith<Ant>)(mass, run);
}

}  // namespace sugarscape
