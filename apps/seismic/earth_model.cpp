#include <apps/seismic/earth_model.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>

namespace seismic {
namespace {

/// Returns the numbers of a list. @throws mass::SettingsError if there are not `count` of them
std::vector<double> numbersOf(const mass::ConfigNode& node, std::size_t count) {
  if (node.items().size() != count)
    node.reject(fmt::format("has {} numbers, not {}", node.items().size(), count));
  std::vector<double> numbers;
  for (const mass::ConfigNode& item : node.items()) numbers.push_back(item.number());
  return numbers;
}

/// Returns the material of the keys vp, vs and density of a map.
Material materialOf(const mass::ConfigNode& node) {
  const Material material{node.at("vp").number(), node.at("vs").number(),
                          node.at("density").number()};
  if (const std::string objection = material.objection(); !objection.empty())
    node.reject(objection);
  return material;
}

/// Returns a number above 0 of a map.
double lengthOf(const mass::ConfigNode& node) {
  const double length = node.number();
  if (!(length > 0)) node.reject(fmt::format("is {}; it must be above 0", length));
  return length;
}

/// Reads a number for each cell: of a dataset if the section names an HDF5 file, else of a raw file
/// of floats.
std::vector<float> readFloats(const mass::Settings& settings, const mass::ConfigNode& model,
                              const char* key, const mass::Shape<3>& shape) {
  const std::string& name = model.at(key).text();
  const mass::ConfigNode* const file = model.find("file");
  return mass::readFloatArray(settings.resolve(file == nullptr ? name : file->text()),
                              file == nullptr ? "" : name, shape.values);
}

}  // namespace

std::string Material::objection() const {
  if (!std::isfinite(vp) || !std::isfinite(vs) || !std::isfinite(density))
    return "vp, vs and density must be finite";
  if (!(vp > 0)) return fmt::format("vp is {} m/s; it must be above 0", vp);
  if (!(density > 0)) return fmt::format("density is {} kg/m^3; it must be above 0", density);
  if (!(vs >= 0)) return fmt::format("vs is {} m/s; it must be at least 0", vs);
  if (!(vs < vp / std::numbers::sqrt2))
    return fmt::format(
        "vs is {} m/s and vp {} m/s; vs must be below vp / sqrt(2) = {:.6g} m/s, else Lame's first "
        "parameter is not positive",
        vs, vp, vp / std::numbers::sqrt2);
  return {};
}

bool EarthModel::Basin::contains(double x, double y, double z) const {
  const double a = (x - center[0]) / radii[0], b = (y - center[1]) / radii[1], c = z / radii[2];
  return a * a + b * b + c * c < 1;
}

EarthModel::EarthModel(const mass::Settings& settings, const mass::Shape<3>& shape, double spacing)
    : shape_(shape), spacing_(spacing), softest_(std::numeric_limits<double>::infinity()) {
  readArrays(settings);
  if (!vp_.empty()) return;
  readLayers(settings);
  readBasin(settings);
}

void EarthModel::readLayers(const mass::Settings& settings) {
  double top = 0;
  for (const mass::ConfigNode& item : settings.tree("layers").entries()) {
    item.refuseOthers({"thickness", "vp", "vs", "density"});
    if (top > extent(0))
      item.reject(
          fmt::format("its top is {} m deep, below the world, which is {} m deep: leave it out",
                      top, extent(0)));
    layers_.push_back({item.key(), top, materialOf(item)});
    include(layers_.back().material);
    top += lengthOf(item.at("thickness"));
  }
  const Material below{settings.get<double>("vp"), settings.get<double>("vs"),
                       settings.get<double>("density")};
  if (const std::string objection = below.objection(); !objection.empty())
    settings.reject("vs", objection);
  if (top > extent(0)) return;
  layers_.push_back({"below", top, below});
  include(below);
}

void EarthModel::readBasin(const mass::Settings& settings) {
  const mass::ConfigNode& node = settings.tree("basin");
  if (node.entries().empty()) return;
  node.refuseOthers({"center", "radii", "depth", "vp", "vs", "density"});
  const auto center = numbersOf(node.at("center"), 2), radii = numbersOf(node.at("radii"), 2);
  for (const double radius : radii)
    if (!(radius > 0)) node.at("radii").reject("has a radius that is not above 0");
  const Basin basin{
      {center[0], center[1]}, {radii[0], radii[1], lengthOf(node.at("depth"))}, materialOf(node)};
  for (std::size_t i = 0; i < 2; ++i) {
    const double end = extent(2 - static_cast<int>(i));
    if (basin.center[i] + basin.radii[i] < 0 || basin.center[i] - basin.radii[i] > end)
      node.reject(fmt::format("it is outside of the world, which extends from 0 to {} m along {}",
                              end, "xy"[i]));
  }
  basins_.push_back(basin);
  include(basin.material);
}

void EarthModel::readArrays(const mass::Settings& settings) {
  const mass::ConfigNode& node = settings.tree("model");
  if (node.entries().empty()) return;
  node.refuseOthers({"file", "vp", "vs", "density"});
  for (const char* const other : {"layers", "basin"})
    if (const auto& tree = settings.tree(other); !tree.entries().empty())
      tree.reject("the section 'model' gives the material of all cells: leave one of them out");
  vp_ = readFloats(settings, node, "vp", shape_);
  vs_ = readFloats(settings, node, "vs", shape_);
  density_ = readFloats(settings, node, "density", shape_);
  for (std::size_t i = 0; i < vp_.size(); ++i) {
    const auto place = mass::coordinatesOf<3>(static_cast<std::int64_t>(i), shape_);
    const Material material = at(place);
    if (const std::string objection = material.objection(); !objection.empty())
      node.reject(fmt::format("in the cell at z {}, y {}, x {} of the arrays {}", place[0],
                              place[1], place[2], objection));
    include(material);
  }
}

void EarthModel::include(const Material& material) {
  const double slow = material.vs > 0 ? material.vs : material.vp;
  slowest_ = slowest_ == 0 ? slow : std::min(slowest_, slow);
  fastest_ = std::max(fastest_, material.vp);
  densest_ = std::max(densest_, material.density);
  softest_ = std::min(softest_, material.mu());
}

double EarthModel::extent(int axis) const {
  return static_cast<double>(shape_[axis] - 1) * spacing_;
}

Material EarthModel::at(const mass::Coordinates<3>& place) const {
  if (!vp_.empty()) {
    const auto i = static_cast<std::size_t>(mass::indexOf(place, shape_));
    return {vp_[i], vs_[i], density_[i]};
  }
  const auto z = static_cast<double>(place[0]) * spacing_;
  const auto y = static_cast<double>(place[1]) * spacing_;
  const auto x = static_cast<double>(place[2]) * spacing_;
  for (const Basin& basin : basins_)
    if (basin.contains(x, y, z)) return basin.material;
  std::size_t number = layers_.size() - 1;
  while (layers_[number].top > z) --number;
  return layers_[number].material;
}

std::string EarthModel::report() const {
  if (!vp_.empty())
    return fmt::format("  ground      arrays, vp up to {:.6g} m/s, slowest wave {:.6g} m/s\n",
                       fastest_, slowest_);
  std::string text;
  const auto add = [&](const std::string& where, const Material& material) {
    text += fmt::format("  {:<11} {}: vp {:.6g} m/s, vs {:.6g} m/s, {:.6g} kg/m^3\n",
                        text.empty() ? "ground" : "", where, material.vp, material.vs,
                        material.density);
  };
  for (const Layer& layer : layers_)
    add(fmt::format("{} from {:.6g} m", layer.name, layer.top), layer.material);
  for (const Basin& basin : basins_)
    add(fmt::format("basin, {:.6g} m deep", basin.radii[2]), basin.material);
  return text;
}

}  // namespace seismic
