#include <apps/life/world.hpp>

#include <apps/life/pattern.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace life {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("rows", 512, "cells", "height of the world").atLeast(1);
  schema.add("columns", 512, "cells", "width of the world").atLeast(1);
  schema.add(
      "rule", "", "",
      "when cells are born and survive, as B3/S23; empty = as the pattern says, else B3/S23");
  schema
      .add("border", "periodic", "", "what lies beyond the edge: the opposite edge, or dead cells")
      .oneOf({"periodic", "dead"});
  schema.add(
      "pattern", "", "",
      "an .rle or .cells file to put in the middle, relative to this file; empty = random cells");
  schema.add("density", 0.3, "", "share of living cells in a random world").between(0, 1);
  return schema;
}

namespace {

/// Runs `use`, and says which setting an error came from.
template <class Use>
auto readSetting(const mass::Settings& settings, std::string_view key, Use&& use) {
  try {
    return use();
  } catch (const mass::InputError& error) {
    settings.reject(key, error.what());
  }
}

}  // namespace

Rule ruleOf(const mass::Settings& settings) {
  const auto text = settings.get<std::string>("rule");
  if (!text.empty()) return readSetting(settings, "rule", [&] { return Rule::parse(text); });
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
    world.callAll<&Life::scatter>(settings.get<double>("density"));
    return world;
  }
  std::vector<bool> alive(static_cast<std::size_t>(world.size()));
  for (const Cell& cell : place(Pattern::load(file), shape[0], shape[1])) {
    alive[static_cast<std::size_t>(cell.row * shape[1] + cell.column)] = true;
  }
  world.upload<&Life::alive>(alive);
  return world;
}

}  // namespace life
