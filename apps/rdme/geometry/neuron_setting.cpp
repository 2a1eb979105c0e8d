#include <apps/rdme/geometry/neuron_setting.hpp>

#include <apps/rdme/geometry/shape_setting.hpp>
#include <apps/rdme/model/quantity.hpp>

#include <array>
#include <cmath>
#include <cstddef>

namespace rdme {
namespace {

std::vector<std::uint8_t> typesOf(const mass::ConfigNode& list) {
  std::vector<std::uint8_t> types;
  for (const mass::ConfigNode& item : list.itemOrItems()) {
    const auto type = mass::Morphology::typeOf(item.number());
    if (!type) item.reject("expected types of an SWC file, whole numbers from 0 to 255");
    types.push_back(*type);
  }
  return types;
}

mass::Morphology::Within withinOf(const mass::ConfigNode& setting) {
  setting.refuseOthers({"center", "radius"});
  mass::Morphology::Within within;
  within.radius = readPositive(setting.at("radius"), kinds::length);
  const mass::ConfigNode* const center = setting.find("center");
  if (center == nullptr || (center->isText() && center->text() == "soma")) return within;
  if (!center->isList())
    center->reject(
        "expected soma, or three lengths along x, y and z in the coordinates of the file");
  const Point point = readPoint(*center);
  within.center = {{point[2], point[1], point[0]}};
  return within;
}

mass::Morphology::Grid gridOf(const mass::ConfigNode& item, const Grid& lattice) {
  mass::Morphology::Grid grid;
  grid.edge = lattice.spacing;
  const mass::ConfigNode* const scale = item.find("scale");
  grid.scale = scale == nullptr ? 1e-6 : readPositive(*scale, kinds::length);
  if (const mass::ConfigNode* const types = item.find("types")) grid.types = typesOf(*types);
  if (const mass::ConfigNode* const within = item.find("within")) grid.within = withinOf(*within);
  if (const mass::ConfigNode* const rule = item.find("rule")) {
    const auto known = mass::Morphology::ruleOf(rule->text());
    if (!known)
      rule->reject(
          "expected touched (sites that the neuron touches) or middle (sites whose middle it "
          "contains)");
    grid.rule = *known;
  }
  return grid;
}

/// Returns the cubes of a neuron. @throws mass::SettingsError that names the item
mass::Morphology::Cubes cubesOf(const mass::Settings& settings, const mass::ConfigNode& item,
                                const Grid& lattice) {
  const mass::Morphology::Grid grid = gridOf(item, lattice);
  try {
    return mass::Morphology(settings.resolve(item.at("path").text())).cubes(grid);
  } catch (const mass::Error& error) {
    item.reject(error.what());
  }
}

}  // namespace

PlacedNeuron readNeuron(const mass::Settings& settings, const mass::ConfigNode& item,
                        const Grid& lattice) {
  item.refuseOthers({"path", "type", "types", "scale", "within", "rule"});
  const auto cubes = cubesOf(settings, item, lattice);
  const auto& box = cubes.shape;
  if (box[0] > lattice.sites[0] || box[1] > lattice.sites[1] || box[2] > lattice.sites[2])
    item.reject(fmt::format(
        "the box around the neuron has {} x {} x {} sites along x, y, z, the lattice {} x {} x {}: "
        "enlarge 'lattice.sites', or give a smaller region by 'within'",
        box[2], box[1], box[0], lattice.sites[2], lattice.sites[1], lattice.sites[0]));
  std::array<std::int64_t, 3> first{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    first[axis] = (lattice.sites[axis] - box[static_cast<int>(axis)]) / 2;
  PlacedNeuron neuron;
  for (const std::int64_t index : cubes.indices) {
    const auto at = mass::coordinatesOf(index, box);
    neuron.sites.push_back(((first[0] + at[0]) * lattice.sites[1] + first[1] + at[1]) *
                               lattice.sites[2] +
                           first[2] + at[2]);
  }
  const auto shift = [&](std::size_t axis) {  // from the file to the lattice, um
    return (static_cast<double>(first[2 - axis]) * lattice.spacing - cubes.origin[axis]) * 1e6;
  };
  neuron.lines.push_back(fmt::format(
      "{}: {} sites in a box of {} x {} x {} along x, y, z; the origin of the file is at [{:.6g}, "
      "{:.6g}, {:.6g}] um",
      item.where(), cubes.indices.size(), box[2], box[1], box[0], shift(0), shift(1), shift(2)));
  for (const std::string& note : cubes.notes)
    neuron.lines.push_back(fmt::format("{}: {}", item.where(), note));
  return neuron;
}

}  // namespace rdme
