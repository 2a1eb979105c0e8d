#include <apps/life/setup.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace life {
namespace {

/// Returns the outcomes of a rule, with a copy on each device.
mass::SharedSource<std::uint8_t> outcomesOf(const mass::Mass& mass, const RuleTable& rule) {
  const auto outcomes = rule.outcomes();
  return mass.share(std::vector<std::uint8_t>(outcomes.begin(), outcomes.end()));
}

/// Colours of cells in pictures.
constexpr mass::Rgb dead{12, 10, 48}, alive{255, 226, 130};

/// Makes a run use the rule of its settings, also after a change.
/// @param argumentOf returns the argument of Cell::nextGeneration for a rule
/// @return the present argument
template <class ArgumentOf>
auto followRule(const mass::Mass& mass, mass::Simulation& run, const RuleTable& first,
                const ArgumentOf& argumentOf) {
  const mass::Settings& settings = mass.settings();
  const auto argument = std::make_shared<decltype(argumentOf(first))>(argumentOf(first));
  const auto given = settings.get<std::string>("rule");
  run.onChange([=, &settings] { *argument = argumentOf(changedRule(settings, given, first)); });
  return argument;
}

/// Declares a run of cells that are dead or alive.
/// @param argumentOf see followRule()
template <class Cell, class ArgumentOf>
void setUpCells(mass::Mass& mass, mass::Simulation& run, const Start& start,
                const ArgumentOf& argumentOf) {
  auto world = createWorld<Cell>(mass, start);
  const auto argument = followRule(mass, run, start.rule, argumentOf);
  run.advance(
      [=](mass::Steps steps) { world.template callAll<&Cell::nextGeneration>(steps, *argument); });
  run.observe("population", [=] { return world.template reduce<&Cell::alive>(mass::sum); });
  run.picture<&Cell::alive>(world, {"dead", "alive"}, {dead, alive});
  run.data<&Cell::alive>(world);
}

/// Declares a run of a rule of two states.
/// @tparam Counting, Arranged cells of rules by numbers and by arrangements of living neighbours
template <class Counting, class Arranged>
void setUpTwoStates(mass::Mass& mass, mass::Simulation& run, const Start& start) {
  if (start.rule.totalistic()) {
    setUpCells<Counting>(mass, run, start, [&mass](const RuleTable& rule) {
      if (const auto counts = rule.totalistic()) return *counts;
      mass.settings().reject("rule",
                             "depends on the arrangement of neighbours, and the rule with "
                             "which the run began on their number only");
    });
  } else {
    setUpCells<Arranged>(mass, run, start,
                         [&mass](const RuleTable& rule) { return outcomesOf(mass, rule); });
  }
}

/// Adds the names of the states, and their shades of the palette "heat" as colours.
void nameStates(mass::Picture& picture, const std::vector<float>& shades) {
  const auto map = mass::ColorMap::named("heat");
  for (std::size_t state = 0; state < shades.size(); ++state) {
    picture.categories.push_back(state == 0   ? "dead"
                                 : state == 1 ? "alive"
                                              : fmt::format("dying {}", state));
    picture.colors.push_back(map[static_cast<std::uint8_t>(shades[state] * 255)]);
  }
}

/// Largest number of states that are categories of a picture, with a name for each.
constexpr int mostNamedStates = 12;

/// Returns a picture of few states as categories, and of many as the shades of shadesOf().
mass::Picture pictureOf(const mass::Places<Generations>& world, int states) {
  const std::vector<float> shades = shadesOf(states);
  mass::Picture picture{{}, world.shape()[0], world.shape()[1], 0, 1};
  const bool isNamed = states <= mostNamedStates;
  for (const std::uint8_t state : world.download<&Generations::state>()) {
    picture.values.push_back(isNamed ? static_cast<float>(state) : shades[state]);
  }
  picture.name = isNamed ? "" : "0 dead, to 0.7 dying, 1 alive";
  if (isNamed) nameStates(picture, shades);
  return picture;
}

void setUpGenerations(mass::Mass& mass, mass::Simulation& run, const Start& start) {
  const int states = start.rule.states;
  mass.requireOnRestart("number of states", fmt::format("{}", states));
  auto world = createWorld<Generations>(mass, start);
  const auto outcomes = followRule(
      mass, run, start.rule, [&mass](const RuleTable& rule) { return outcomesOf(mass, rule); });
  run.advance([=](mass::Steps steps) {
    world.callAll<&Generations::nextGeneration>(steps, *outcomes, states);
  });
  run.observe("population", [=] { return world.reduce<&Generations::isAlive>(mass::sum); });
  run.observe("dying", [=] { return world.reduce<&Generations::isDying>(mass::sum); });
  run.picture([=] { return pictureOf(world, states); }, "heat");
  run.data<&Generations::state>(world);
}

template <class Cell>
constexpr auto stateOf = &Cell::alive;
template <>
constexpr auto stateOf<Generations> = &Generations::state;

}  // namespace

std::vector<float> shadesOf(int states) {
  constexpr float brightest = 0.7F;
  std::vector<float> shades{0, 1};
  for (int state = 2; state < states; ++state) {
    shades.push_back(brightest * static_cast<float>(states - state) /
                     static_cast<float>(states - 2));
  }
  return shades;
}

template <class Cell>
mass::Places<Cell> createWorld(mass::Mass& mass, const Start& start) {
  auto options = mass::borders<Cell>(start.border);
  options.name = "life";
  auto world = mass.createPlaces<Cell>(start.shape, options);
  if (start.pattern) {
    world.template upload<stateOf<Cell>>(centred(*start.pattern, start.shape[0], start.shape[1]));
  } else {
    world.template callAll<&Cell::randomise>(mass.settings().get<double>("density"));
  }
  return world;
}

template mass::Places<Life> createWorld(mass::Mass& mass, const Start& start);
template mass::Places<NonTotalistic> createWorld(mass::Mass& mass, const Start& start);
template mass::Places<BitLife> createWorld(mass::Mass& mass, const Start& start);
template mass::Places<BitNonTotalistic> createWorld(mass::Mass& mass, const Start& start);
template mass::Places<Generations> createWorld(mass::Mass& mass, const Start& start);

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const Start start = startOf(mass.settings());
  if (!start.note.empty()) run.describe(fmt::format("  note        {}\n", start.note));
  const bool areBits = mass.settings().get<std::string>("storage") == "bits";
  if (start.rule.states > 2) {
    if (areBits)
      mass.settings().reject("storage", fmt::format("must be bytes: cells of {} have {} states",
                                                    start.rule.text(), start.rule.states));
    setUpGenerations(mass, run, start);
  } else if (areBits) {
    setUpTwoStates<BitLife, BitNonTotalistic>(mass, run, start);
  } else {
    setUpTwoStates<Life, NonTotalistic>(mass, run, start);
  }
}

}  // namespace life
