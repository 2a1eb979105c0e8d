#include <apps/rdme/geometry.hpp>

#include <apps/rdme/body.hpp>
#include <apps/rdme/names.hpp>
#include <apps/rdme/quantity.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <new>

namespace rdme {
namespace {

/// No rule of the simulation has this population, so obstacles are independent of all that it
/// draws.
constexpr std::uint32_t obstaclePopulation = 255;
constexpr std::array<std::string_view, 3> axisNames{"z", "y", "x"};

/// Makes sites into types, one entry of the settings after the other.
class Painter {
 public:
  Painter(const mass::Settings& settings, const Grid& lattice,
          const std::vector<std::string>& siteTypes)
      : settings_(settings), lattice_(lattice), siteTypes_(siteTypes) {
    geometry_.types.assign(static_cast<std::size_t>(lattice.count()), 0);
    geometry_.areas.assign(siteTypes.size(), 0);
    shellSites_.assign(siteTypes.size(), 0);
  }

  void paint(const mass::ConfigNode& entry) {
    if (entry.entries().size() != 1)
      entry.reject("one shape was expected in each item, as '- sphere: {...}'");
    const mass::ConfigNode& what = entry.entries().front();
    entry.refuseOthers({"everywhere", "box", "sphere", "cylinder", "capsule", "obstacles", "file"});
    ++ordinal_;
    if (what.key() == "everywhere") {
      std::fill(geometry_.types.begin(), geometry_.types.end(), typeOf(what));
    } else if (what.key() == "obstacles") {
      paintObstacles(what);
    } else if (what.key() == "file") {
      paintFile(what);
    } else {
      paintShape(what);
    }
  }

  /// The areas are of use where a type has just the sites that shells gave it; it is said where one
  /// has not, and `areas` does not say its area.
  Geometry take(const mass::ConfigNode* areas) {
    geometry_.sitesOf.assign(siteTypes_.size(), 0);
    for (const std::uint8_t type : geometry_.types) ++geometry_.sitesOf[type];
    for (std::size_t type = 0; type < siteTypes_.size(); ++type) {
      if (shellSites_[type] == 0 || shellSites_[type] == geometry_.sitesOf[type]) continue;
      geometry_.areas[type] = 0;
      if (areas != nullptr && areas->find(siteTypes_[type]) != nullptr) continue;
      geometry_.warnings.push_back(fmt::format(
          "{} sites are '{}', but shells of that type have {}: they overlap others or not all are "
          "of shells, so its area is not known; 'areas: {{{}: ... um2}}' says it",
          geometry_.sitesOf[type], siteTypes_[type], shellSites_[type], siteTypes_[type]));
    }
    return std::move(geometry_);
  }

 private:
  std::uint8_t typeOf(const mass::ConfigNode& name) const {
    return static_cast<std::uint8_t>(numberOf(name, name.text(), siteTypes_, "site type"));
  }

  std::size_t axisOf(const mass::ConfigNode& body) const {
    const mass::ConfigNode* const given = body.find("axis");
    if (given == nullptr) return 0;
    const auto found = std::find(axisNames.begin(), axisNames.end(), given->text());
    if (found == axisNames.end()) given->reject("an axis is x, y or z");
    return static_cast<std::size_t>(found - axisNames.begin());
  }

  /// Three lengths along x, y, z.
  static Point pointOf(const mass::ConfigNode& list) {
    if (!list.isList() || list.items().size() != 3)
      list.reject("three lengths were expected, along x, y and z, as [0 um, 0 um, 1 um]");
    Point point{};
    for (std::size_t i = 0; i < 3; ++i) point[2 - i] = read(list.items()[i], kinds::length);
    return point;
  }

  Point centerOf(const mass::ConfigNode& body) const {
    if (const mass::ConfigNode* const given = body.find("center")) return pointOf(*given);
    return {lattice_.extent(0) / 2, lattice_.extent(1) / 2, lattice_.extent(2) / 2};
  }

  static void refuseOthers(const mass::ConfigNode& body, std::vector<std::string> own) {
    for (const auto* common : {"type", "shell", "thickness", "neighbors"}) own.emplace_back(common);
    body.refuseOthers(own);
  }

  Shape shapeOf(const mass::ConfigNode& body) const {
    if (body.key() == "box") {
      refuseOthers(body, {"from", "to"});
      const Point from = pointOf(body.at("from")), to = pointOf(body.at("to"));
      for (std::size_t i = 0; i < 3; ++i)
        if (!(from[i] < to[i]))
          body.reject(fmt::format("'from' must be below 'to' along {}", axisNames[i]));
      return Shape::box(from, to);
    }
    const double diameter = readPositive(body.at("diameter"), kinds::length);
    if (body.key() == "sphere") {
      refuseOthers(body, {"center", "diameter"});
      return Shape::sphere(centerOf(body), diameter);
    }
    refuseOthers(body, {"center", "length", "diameter", "axis"});
    const double length = readPositive(body.at("length"), kinds::length);
    if (body.key() == "cylinder")
      return Shape::cylinder(centerOf(body), length, diameter, axisOf(body));
    if (length < diameter * (1 - 1e-9))
      body.at("length").reject(
          "a capsule is as long as its diameter or longer, with its two half-spheres");
    return Shape::capsule(centerOf(body), length, diameter, axisOf(body));
  }

  void requireInside(const mass::ConfigNode& body, const Shape& shape) const {
    const double tolerance = 1e-6 * lattice_.spacing;
    for (std::size_t i = 0; i < 3; ++i) {
      if (shape.low(i) >= -tolerance && shape.high(i) <= lattice_.extent(i) + tolerance) continue;
      body.reject(fmt::format(
          "it reaches from {:.6g} to {:.6g} um along {}, out of the lattice, which is from 0 to "
          "{:.6g} um; move it, make it smaller or the lattice larger",
          shape.low(i) * 1e6, shape.high(i) * 1e6, axisNames[i], lattice_.extent(i) * 1e6));
    }
  }

  int thicknessOf(const mass::ConfigNode& body) const {
    const mass::ConfigNode* const given = body.find("thickness");
    if (body.find("shell") == nullptr) {
      if (given != nullptr) given->reject("only a body with a 'shell' has it");
      return 0;
    }
    if (given == nullptr) return 1;
    const std::int64_t layers = given->integer();
    if (layers < 1 || layers > 100) given->reject("a shell has 1 to 100 layers of sites");
    return static_cast<int>(layers);
  }

  static Neighbors neighborsOf(const mass::ConfigNode& body) {
    const mass::ConfigNode* const given = body.find("neighbors");
    if (given == nullptr) return Neighbors::all;
    const std::int64_t count = given->integer();
    if (count != 6 && count != 26)
      given->reject("a shell is made by 6 neighbours (of a face) or 26 (all around)");
    return count == 6 ? Neighbors::faces : Neighbors::all;
  }

  void paintShape(const mass::ConfigNode& entry) {
    const Shape shape = shapeOf(entry);
    requireInside(entry, shape);
    const std::uint8_t inside = typeOf(entry.at("type"));
    const mass::ConfigNode* const shell = entry.find("shell");
    const std::uint8_t outer = shell == nullptr ? inside : typeOf(*shell);
    const Body body = bodyOf(shape, lattice_, thicknessOf(entry), neighborsOf(entry));
    const Counts counts = paintBody(body, inside, outer);
    if (counts.all == 0)
      entry.reject("it holds the middle of no site; make it larger or the spacing smaller");
    if (shell == nullptr) return;
    std::array<bool, 3> endless{};
    for (std::size_t i = 0; i < 3; ++i)
      endless[i] = body.spans[i].endless && shape.half[i] * 2 >= lattice_.extent(i) * (1 - 1e-9);
    geometry_.areas[outer] += shape.area(endless);
    shellSites_[outer] += counts.shell;
  }

  struct Counts {
    std::int64_t all = 0;
    std::int64_t shell = 0;
  };

  Counts paintBody(const Body& body, std::uint8_t inside, std::uint8_t outer) {
    Counts counts;
    const auto& [z, y, x] = body.spans;
    for (std::int64_t k = 0; k < z.count; ++k) {
      for (std::int64_t j = 0; j < y.count; ++j) {
        for (std::int64_t i = 0; i < x.count; ++i) {
          const std::uint8_t layer = body.layers[body.at(k, j, i)];
          if (layer == 0) continue;
          ++counts.all;
          if (layer > 1) ++counts.shell;
          at(z.first + k, y.first + j, x.first + i) = layer > 1 ? outer : inside;
        }
      }
    }
    return counts;
  }

  std::uint8_t& at(std::int64_t z, std::int64_t y, std::int64_t x) {
    return geometry_
        .types[static_cast<std::size_t>((z * lattice_.sites[1] + y) * lattice_.sites[2] + x)];
  }

  /// So many of the sites as the crowding says, every choice of them equally likely: each is taken
  /// with the probability (still to take) / (still to come) (Knuth, The Art of Computer
  /// Programming 2, 3.4.2, algorithm S).
  void paintObstacles(const mass::ConfigNode& entry) {
    entry.refuseOthers({"type", "in", "crowding"});
    const std::uint8_t obstacle = typeOf(entry.at("type"));
    const auto in = siteTypesIn(entry.at("in"), siteTypes_);
    const double crowding = entry.at("crowding").number();
    if (crowding < 0 || crowding > 1)
      entry.at("crowding").reject("it is the share of sites that become obstacles, 0 to 1");
    const auto isFree = [&](std::uint8_t type) {
      return std::find(in.begin(), in.end(), type) != in.end();
    };
    auto& types = geometry_.types;
    auto left = std::count_if(types.begin(), types.end(), isFree);
    if (left == 0) entry.at("in").reject("there is no site of that type so far");
    auto wanted = std::llround(crowding * static_cast<double>(left));
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

  void paintFile(const mass::ConfigNode& entry) {
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
      entry.reject(fmt::format("'{}' holds the number {}, but site types are 0 (outside) to {}",
                               path, largest, siteTypes_.size() - 1));
  }

  const mass::Settings& settings_;
  const Grid& lattice_;
  const std::vector<std::string>& siteTypes_;
  Geometry geometry_;
  std::vector<std::int64_t> shellSites_;  ///< that shells of each type were given
  std::uint32_t ordinal_ = 0;
};

void readAreas(const mass::ConfigNode& areas, const std::vector<std::string>& siteTypes,
               Geometry& geometry) {
  for (const mass::ConfigNode& area : areas.entries()) {
    const int type = numberOf(area, area.key(), siteTypes, "site type");
    if (type == 0) area.reject("nothing is ever outside");
    geometry.areas[static_cast<std::size_t>(type)] = readPositive(area, kinds::area);
  }
}

Geometry painted(const mass::ConfigNode& shapes, const mass::ConfigNode* areas, const mass::Settings& settings,
                 const Grid& lattice, const std::vector<std::string>& siteTypes) {
  constexpr std::int64_t mostSites = std::int64_t{1} << 34;
  const auto refuse = [&] {
    shapes.reject(fmt::format("the types of {} sites do not fit into memory", lattice.count()));
  };
  if (lattice.count() > mostSites) refuse();
  Geometry geometry;
  try {
    Painter painter(settings, lattice, siteTypes);
    for (const mass::ConfigNode& entry : shapes.items()) painter.paint(entry);
    geometry = painter.take(areas);
  } catch (const std::bad_alloc&) {
    refuse();
  }
  if (geometry.sitesOf[0] == lattice.count())
    shapes.reject("every site is outside; make some of them another type");
  return geometry;
}

}  // namespace

Geometry readGeometry(const mass::Settings& settings, const mass::ConfigNode& model, const Grid& lattice,
                      const std::vector<std::string>& siteTypes) {
  Geometry geometry;
  const mass::ConfigNode* const areas = model.find("areas");
  if (const mass::ConfigNode* const shapes = model.find("geometry")) {
    geometry = painted(*shapes, areas, settings, lattice, siteTypes);
  } else {
    geometry.sitesOf.assign(siteTypes.size(), 0);
    geometry.sitesOf[1] = lattice.count();
    geometry.areas.assign(siteTypes.size(), 0);
  }
  if (areas != nullptr) readAreas(*areas, siteTypes, geometry);
  return geometry;
}

}  // namespace rdme
