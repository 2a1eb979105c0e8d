#include <apps/life/setup.hpp>

#include <apps/life/pattern.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace life {

Rule ruleOf(const mass::Settings& settings) {
  const auto text = settings.get<std::string>("rule");
  if (!text.empty()) {
    try {
      return Rule::parse(text);
    } catch (const mass::InputError& error) {
      settings.reject("rule", error.what());
    }
  }
  const auto file = settings.path("pattern");
  return file.empty() ? Rule{} : Pattern::load(file).rule.value_or(Rule{});
}

mass::Places<Life> createWorld(mass::Mass& mass) {
  const mass::Settings& settings = mass.settings();
  const mass::Shape<2> shape{settings.get<std::int64_t>("rows"),
                             settings.get<std::int64_t>("columns")};
  const bool periodic = settings.get<std::string>("border") == "periodic";
  auto options = mass::borders<Life>(periodic ? mass::Border::periodic : mass::Border::fixed);
  options.name = "life";
  auto world = mass.createPlaces<Life>(shape, options);

  const auto file = settings.path("pattern");
  if (file.empty()) {
    world.callAll<&Life::randomise>(settings.get<double>("density"));
    return world;
  }
  std::vector<bool> alive(static_cast<std::size_t>(world.size()));
  for (const CellPosition& cell : place(Pattern::load(file), shape[0], shape[1])) {
    alive[static_cast<std::size_t>(cell.row * shape[1] + cell.column)] = true;
  }
  world.upload<&Life::alive>(alive);
  return world;
}

void setUp(mass::Mass& mass, mass::Simulation& run) {
  auto world = createWorld(mass);
  const auto rule = ruleOf(mass.settings());
  run.advance([=](mass::Steps steps) { world.callAll<&Life::nextGeneration>(steps, rule); });
  run.observe("population", [=] { return world.reduce<&Life::alive>(mass::sum); });
  run.picture<&Life::alive>(world, 0, 1, "life");
  run.data<&Life::alive>(world);
}

}  // namespace life
