#include <apps/rdme/geometry/geometry.hpp>

#include <apps/rdme/geometry/neuron_setting.hpp>
#include <apps/rdme/geometry/placed_body.hpp>
#include <apps/rdme/geometry/shape_setting.hpp>
#include <apps/rdme/geometry/voxelize.hpp>
#include <apps/rdme/model/name_parsing.hpp>
#include <apps/rdme/model/quantity.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <new>

namespace rdme {
namespace {

/// Population index of the random numbers that draw obstacles. No population of the simulation has
/// it, so the obstacles are independent of the rules' random numbers.
constexpr std::uint32_t obstaclePopulation = 255;
/// Keys of all bodies besides those of their shapes.
const std::vector<std::string> bodyKeys{"type", "shell", "thickness", "neighbors"};

/// Assigns types to sites, by one item of `geometry` after the other.
class GeometryBuilder {
 public:
  GeometryBuilder(const mass::Settings& settings, const Grid& lattice,
                  const std::vector<std::string>& siteTypes)
      : settings_(settings), lattice_(lattice), siteTypes_(siteTypes) {
    geometry_.types.assign(static_cast<std::size_t>(lattice.count()), 0);
    geometry_.areas.assign(siteTypes.size(), 0);
    shellSites_.assign(siteTypes.size(), 0);
    bodySites_.assign(siteTypes.size(), 0);
  }

  /// Applies an item of `geometry`.
  void apply(const mass::ConfigNode& entry) {
    if (entry.entries().size() != 1)
      entry.reject("expected one shape in each item, such as '- sphere: {...}'");
    const mass::ConfigNode& item = entry.entries().front();
    entry.refuseOthers(
        {"everywhere", "box", "sphere", "cylinder", "capsule", "obstacles", "file", "swc"});
    ++ordinal_;
    if (item.key() == "everywhere") {
      std::fill(geometry_.types.begin(), geometry_.types.end(), typeOf(item));
    } else if (item.key() == "obstacles") {
      applyObstacles(item);
    } else if (item.key() == "file") {
      applyFile(item);
    } else if (item.key() == "swc") {
      applyNeuron(item);
    } else {
      applyShape(item);
    }
  }

  /// Returns the geometry. The area of a type is known if exactly the sites of shells have it;
  /// otherwise a warning is added, unless `areas` gives the area. Warns of types of bodies that
  /// have no site left.
  Geometry finish(const mass::ConfigNode* areas) {
    geometry_.siteCounts.assign(siteTypes_.size(), 0);
    for (const std::uint8_t type : geometry_.types) ++geometry_.siteCounts[type];
    for (std::size_t type = 1; type < siteTypes_.size(); ++type)
      if (bodySites_[type] > 0 && geometry_.siteCounts[type] == 0)
        geometry_.warnings.push_back(fmt::format(
            "no site is '{}': later items overwrite the {} sites that bodies give this type: put "
            "these bodies last",
            siteTypes_[type], bodySites_[type]));
    for (std::size_t type = 0; type < siteTypes_.size(); ++type) {
      if (shellSites_[type] == 0 || shellSites_[type] == geometry_.siteCounts[type]) continue;
      geometry_.areas[type] = 0;
      if (areas != nullptr && areas->find(siteTypes_[type]) != nullptr) continue;
      geometry_.warnings.push_back(fmt::format(
          "{} sites are '{}', but shells of this type have {}: shells overlap, or other items set "
          "sites of this type, so its area is unknown; give it by 'areas: {{{}: ... um2}}'",
          geometry_.siteCounts[type], siteTypes_[type], shellSites_[type], siteTypes_[type]));
    }
    return std::move(geometry_);
  }

 private:
  std::uint8_t typeOf(const mass::ConfigNode& name) const {
    return static_cast<std::uint8_t>(numberOf(name, name.text(), siteTypes_, "site type"));
  }

  int thicknessOf(const mass::ConfigNode& body) const {
    const mass::ConfigNode* const given = body.find("thickness");
    if (body.find("shell") == nullptr) {
      if (given != nullptr) given->reject("thickness requires the key 'shell'");
      return 0;
    }
    if (given == nullptr) return 1;
    const std::int64_t layers = given->integer();
    if (layers < 1 || layers > 100) given->reject("expected 1 to 100 layers of sites");
    return static_cast<int>(layers);
  }

  static Connectivity connectivityOf(const mass::ConfigNode& body) {
    const mass::ConfigNode* const given = body.find("neighbors");
    if (given == nullptr) return Connectivity::all;
    const std::int64_t count = given->integer();
    if (count != 6 && count != 26)
      given->reject("expected 6 (neighbours that share a face) or 26 (all around)");
    return count == 6 ? Connectivity::faces : Connectivity::all;
  }

  void applyShape(const mass::ConfigNode& entry) {
    PlacedBody body{.name = entry.where(),
                    .shape = readShape(entry, lattice_, bodyKeys),
                    .spacing = lattice_.spacing};
    requireRoom(entry, body.shape, lattice_);
    const std::uint8_t inside = typeOf(entry.at("type"));
    const mass::ConfigNode* const shell = entry.find("shell");
    const std::uint8_t outer = shell == nullptr ? inside : typeOf(*shell);
    body.thickness = thicknessOf(entry);
    body.connectivity = connectivityOf(entry);
    body.insideType = siteTypes_[inside];
    body.shellType = siteTypes_[outer];
    const VoxelizedShape voxels = voxelize(body.shape, lattice_, body.thickness, body.connectivity);
    applyVoxels(voxels, inside, outer, body);
    if (body.sites == 0)
      entry.reject(fmt::format(
          "it contains the center of no site: it lies between centers, which are {:.6g} nm apart: "
          "enlarge it, move it or reduce the spacing",
          lattice_.spacing * 1e9));
    for (std::size_t i = 0; i < 3; ++i)
      body.spans[i] =
          voxels.ranges[i].wraps && body.shape.half[i] * 2 >= lattice_.extent(i) * (1 - 1e-9);
    bodySites_[inside] += body.sites - body.shellSites;
    geometry_.bodies.push_back(describe(body));
    for (std::string& warning : warningsOf(body)) geometry_.warnings.push_back(std::move(warning));
    if (shell == nullptr) return;
    geometry_.areas[outer] += body.shape.area(body.spans);
    shellSites_[outer] += body.shellSites;
    bodySites_[outer] += body.shellSites;
  }

  /// Sets the types of the sites of a body, and counts them in `body`.
  void applyVoxels(const VoxelizedShape& voxels, std::uint8_t inside, std::uint8_t outer,
                   PlacedBody& body) {
    const auto& [z, y, x] = voxels.ranges;
    for (std::int64_t k = 0; k < z.count; ++k) {
      for (std::int64_t j = 0; j < y.count; ++j) {
        for (std::int64_t i = 0; i < x.count; ++i) {
          const std::uint8_t layer = voxels.layers[voxels.at(k, j, i)];
          if (layer == 0) continue;
          ++body.sites;
          if (layer > 1) ++body.shellSites;
          at({z.first + k, y.first + j, x.first + i}) = layer > 1 ? outer : inside;
        }
      }
    }
  }

  /// Returns the type of a site, whose indices along periodic axes may be beyond their ends.
  std::uint8_t& at(const SiteIndex& site) {
    std::int64_t index = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t sites = lattice_.sites[i];
      index = index * sites + (site[i] % sites + sites) % sites;
    }
    return geometry_.types[static_cast<std::size_t>(index)];
  }

  /// Turns a fraction of the sites of some types into obstacles. All subsets of that size are
  /// equally likely: each site is selected with probability (sites to select) / (sites left)
  /// (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S).
  void applyObstacles(const mass::ConfigNode& entry) {
    entry.refuseOthers({"type", "in", "crowding"});
    const std::uint8_t obstacle = typeOf(entry.at("type"));
    const auto in = parseSiteTypes(entry.at("in"), siteTypes_);
    const double crowding = entry.at("crowding").number();
    if (crowding < 0 || crowding > 1)
      entry.at("crowding").reject("expected the fraction of sites that become obstacles, 0 to 1");
    const auto isFree = [&](std::uint8_t type) {
      return std::find(in.begin(), in.end(), type) != in.end();
    };
    auto& types = geometry_.types;
    auto left = std::count_if(types.begin(), types.end(), isFree);
    if (left == 0) entry.at("in").reject("no site has this type so far");
    const double fraction = crowding * static_cast<double>(left);
    auto wanted = std::llround(fraction);
    reportObstacles(entry, fraction, wanted);
    const auto seed = settings_.get<std::uint64_t>("seed");
    constexpr std::uint32_t calls = 256;
    for (std::size_t i = 0; i < types.size() && wanted > 0; ++i) {
      if (!isFree(types[i])) continue;
      mass::Random random({.seed = seed,
                           .index = i,
                           .step = ordinal_ / calls,
                           .call = ordinal_ % calls,
                           .population = obstaclePopulation});
      if (random.uniform() * static_cast<double>(left--) >= static_cast<double>(wanted)) continue;
      types[i] = obstacle;
      --wanted;
    }
  }

  void reportObstacles(const mass::ConfigNode& entry, double fraction, long long obstacles) {
    const double site = lattice_.spacing * lattice_.spacing * lattice_.spacing * 1e18;
    const auto line =
        fmt::format("{}: {} sites, {:.4g} um3; its own volume is {:.4g} um3", entry.where(),
                    obstacles, static_cast<double>(obstacles) * site, fraction * site);
    geometry_.bodies.push_back(line);
    if (!differByAFifth(static_cast<double>(obstacles), fraction)) return;
    geometry_.warnings.push_back(
        fmt::format("{}, because {:.3g} sites are rounded to {}: reduce the spacing", line,
                    fraction, obstacles));
  }

  void applyNeuron(const mass::ConfigNode& entry) {
    const std::uint8_t type = typeOf(entry.at("type"));
    const PlacedNeuron neuron = readNeuron(settings_, entry, lattice_);
    for (const std::int64_t site : neuron.sites)
      geometry_.types[static_cast<std::size_t>(site)] = type;
    bodySites_[type] += static_cast<std::int64_t>(neuron.sites.size());
    geometry_.bodies.insert(geometry_.bodies.end(), neuron.lines.begin(), neuron.lines.end());
  }

  void applyFile(const mass::ConfigNode& entry) {
    entry.refuseOthers({"path", "dataset"});
    const std::string& path = entry.at("path").text();
    const mass::ConfigNode* const dataset = entry.find("dataset");
    try {
      geometry_.types =
          mass::readByteArray(settings_.resolve(path),
                              dataset == nullptr ? std::string{} : dataset->text(), lattice_.sites);
    } catch (const mass::InputError& error) {
      entry.reject(fmt::format("{} (z slowest, x fastest)", error.what()));
    }
    const auto largest = *std::max_element(geometry_.types.begin(), geometry_.types.end());
    if (largest >= siteTypes_.size())
      entry.reject(fmt::format("'{}' contains {}, but the site types are 0 (outside) to {}", path,
                               largest, siteTypes_.size() - 1));
  }

  const mass::Settings& settings_;
  const Grid& lattice_;
  const std::vector<std::string>& siteTypes_;
  Geometry geometry_;
  std::vector<std::int64_t> shellSites_;  ///< sites of shells, by type
  std::vector<std::int64_t> bodySites_;   ///< sites of bodies and their shells, by type
  std::uint32_t ordinal_ = 0;             ///< number of the current item, from 1
};

void readAreas(const mass::ConfigNode& areas, const std::vector<std::string>& siteTypes,
               Geometry& geometry) {
  for (const mass::ConfigNode& area : areas.entries()) {
    const int type = numberOf(area, area.key(), siteTypes, "site type");
    if (type == 0) area.reject("no particle enters the type 'outside'");
    geometry.areas[static_cast<std::size_t>(type)] = readPositive(area, kinds::area);
  }
}

Geometry buildGeometry(const mass::ConfigNode& shapes, const mass::ConfigNode* areas,
                       const mass::Settings& settings, const Grid& lattice,
                       const std::vector<std::string>& siteTypes) {
  constexpr std::int64_t maxSites = std::int64_t{1} << 34;
  const auto refuse = [&] {
    shapes.reject(fmt::format("not enough memory for the types of {} sites", lattice.count()));
  };
  if (lattice.count() > maxSites) refuse();
  Geometry geometry;
  try {
    GeometryBuilder builder(settings, lattice, siteTypes);
    for (const mass::ConfigNode& entry : shapes.items()) builder.apply(entry);
    geometry = builder.finish(areas);
  } catch (const std::bad_alloc&) {
    refuse();
  }
  if (geometry.siteCounts[0] == lattice.count())
    shapes.reject("every site is outside: give some of them another type");
  return geometry;
}

}  // namespace

Geometry readGeometry(const mass::Settings& settings, const mass::ConfigNode& model,
                      const Grid& lattice, const std::vector<std::string>& siteTypes) {
  Geometry geometry;
  const mass::ConfigNode* const areas = model.find("areas");
  if (const mass::ConfigNode* const shapes = model.find("geometry")) {
    geometry = buildGeometry(*shapes, areas, settings, lattice, siteTypes);
  } else {
    geometry.siteCounts.assign(siteTypes.size(), 0);
    geometry.siteCounts[1] = lattice.count();
    geometry.areas.assign(siteTypes.size(), 0);
  }
  if (areas != nullptr) readAreas(*areas, siteTypes, geometry);
  return geometry;
}

}  // namespace rdme
