#include <apps/life3d/setup.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace life3d {
namespace {

/// Colours of cells in pictures.
constexpr mass::Rgb dead{12, 10, 48}, alive{255, 226, 130};

/// Returns a position from an item of the section `cells`.
mass::Coordinates<3> positionOf(const mass::ConfigNode& item, const mass::Shape<3>& shape) {
  if (!item.isList() || item.items().size() != 3)
    item.reject("expected the position of a cell, [x, y, z]");
  mass::Coordinates<3> cell{};
  for (int axis = 0; axis < 3; ++axis) {
    const mass::ConfigNode& along = item.items()[static_cast<std::size_t>(2 - axis)];
    cell[axis] = along.integer();
    if (cell[axis] < 0 || cell[axis] >= shape[axis])
      along.reject(fmt::format("outside the world: expected 0 to {}", shape[axis] - 1));
  }
  return cell;
}

/// Makes the cells of the section `cells` alive.
void placeCells(const mass::ConfigNode& lists, const mass::Places<Cell>& world) {
  std::vector<std::uint8_t> states(static_cast<std::size_t>(world.size()));
  for (const mass::ConfigNode& list : lists.entries()) {
    for (const mass::ConfigNode& item : list.items()) {
      const auto cell = positionOf(item, world.shape());
      states[static_cast<std::size_t>(mass::indexOf(cell, world.shape()))] = 1;
    }
  }
  world.upload<&Cell::alive>(states);
}

mass::Picture sliceOf(const mass::Places<Cell>& world, int axis) {
  mass::Coordinates<3> low{}, high = world.shape();
  low[axis] = world.shape()[axis] / 2;
  high[axis] = low[axis] + 1;
  mass::Picture picture{{}, high[axis == 0 ? 1 : 0], high[axis == 2 ? 1 : 2]};
  for (const Cell& cell : world.download(low, high)) picture.values.push_back(cell.alive ? 1 : 0);
  picture.categories = {"dead", "alive"};
  picture.colors = {dead, alive};
  return picture;
}

mass::Picture heightsOf(const mass::Places<Cell>& world, int axis) {
  const mass::Shape<3> shape = world.shape();
  const int up = axis == 0 ? 1 : 0, right = axis == 2 ? 1 : 2;
  mass::Picture picture{{}, shape[up], shape[right]};
  picture.values.resize(static_cast<std::size_t>(shape[up] * shape[right]));
  std::int64_t index = 0;
  for (const bool isAlive : world.download<&Cell::alive>()) {
    const auto at = mass::coordinatesOf(index++, shape);
    float& shown = picture.values[static_cast<std::size_t>(at[up] * shape[right] + at[right])];
    if (isAlive) shown = std::max(shown, static_cast<float>(shape[axis] - at[axis]));
  }
  picture.high = static_cast<float>(shape[axis]);
  picture.name = fmt::format("height along {}", "zyx"[axis]);
  picture.unit = "cells";
  return picture;
}

}  // namespace

Rule ruleOf(const mass::Settings& settings) {
  try {
    return parseRule(settings.get<std::string>("rule"));
  } catch (const mass::InputError& error) {
    settings.reject("rule", error.what());
  }
}

mass::Places<Cell> createWorld(mass::Mass& mass) {
  const mass::Settings& settings = mass.settings();
  const bool isPeriodic = settings.get<std::string>("border") == "periodic";
  auto options = mass::borders<Cell>(isPeriodic ? mass::Border::periodic : mass::Border::fixed);
  options.name = "life3d";
  auto world = mass.createPlaces<Cell>(
      {settings.get<std::int64_t>("planes"), settings.get<std::int64_t>("rows"),
       settings.get<std::int64_t>("columns")},
      options);
  if (const mass::ConfigNode& lists = settings.tree("cells"); !lists.entries().empty()) {
    placeCells(lists, world);
  } else {
    const auto radius = settings.get<double>("radius");
    world.callAll<&Cell::randomise>(settings.get<double>("density"),
                                    radius > 0 ? radius : std::numeric_limits<double>::infinity());
  }
  return world;
}

mass::Picture pictureOf(const mass::Places<Cell>& world, const mass::Settings& settings) {
  const int axis = 'z' - settings.get<std::string>("output.axis")[0];
  return (settings.get<std::string>("output.view") == "slice" ? sliceOf : heightsOf)(world, axis);
}

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const auto rule = std::make_shared<Rule>(ruleOf(mass.settings()));
  const auto world = createWorld(mass);
  run.onChange([=, &mass] { *rule = ruleOf(mass.settings()); });
  run.advance([=](mass::Steps steps) { world.callAll<&Cell::nextGeneration>(steps, *rule); });
  run.observe("population", [=] { return world.reduce<&Cell::alive>(mass::sum); });
  run.picture([=, settings = mass.settings()] { return pictureOf(world, settings); }, "heat");
  run.slices<&Cell::alive>(world, {"dead", "alive"}, {dead, alive});
  run.data<&Cell::alive>(world);
}

}  // namespace life3d
