#include <apps/rdme/geometry/shape_setting.hpp>

#include <apps/rdme/model/quantity.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace rdme {
namespace {

constexpr std::array<std::string_view, 3> axisNames{"z", "y", "x"};

std::size_t axisOf(const mass::ConfigNode& body) {
  const mass::ConfigNode* const given = body.find("axis");
  if (given == nullptr) return 0;
  const auto found = std::find(axisNames.begin(), axisNames.end(), given->text());
  if (found == axisNames.end()) given->reject("expected x, y or z");
  return static_cast<std::size_t>(found - axisNames.begin());
}

Point centerOf(const mass::ConfigNode& body, const Grid& lattice) {
  if (const mass::ConfigNode* const given = body.find("center")) return readPoint(*given);
  return {lattice.extent(0) / 2, lattice.extent(1) / 2, lattice.extent(2) / 2};
}

[[noreturn]] void rejectExtent(const mass::ConfigNode& body, const SolidShape& shape,
                               std::size_t axis, std::string_view place, const Grid& lattice) {
  body.reject(fmt::format(
      "it extends from {:.6g} to {:.6g} um along {}, {} the lattice, which extends from 0 to "
      "{:.6g} um: move it, reduce it or enlarge the lattice",
      shape.low(axis) * 1e6, shape.high(axis) * 1e6, axisNames[axis], place,
      lattice.extent(axis) * 1e6));
}

void requireOneImage(const mass::ConfigNode& body, const SolidShape& shape, std::size_t axis,
                     const Grid& lattice) {
  const double extent = lattice.extent(axis), length = 2 * shape.half[axis];
  if (length > extent + 1e-6 * lattice.spacing)
    body.reject(fmt::format(
        "it extends over {:.6g} um along {}, more than the periodic lattice, {:.6g} um, so it "
        "would overlap itself: reduce it or enlarge the lattice",
        length * 1e6, axisNames[axis], extent * 1e6));
  if (shape.center[axis] < -extent || shape.center[axis] > 2 * extent)
    body.reject(fmt::format(
        "its center, {:.6g} um along {}, is more than one period outside the periodic lattice, "
        "which extends from 0 to {:.6g} um: move it",
        shape.center[axis] * 1e6, axisNames[axis], extent * 1e6));
}

}  // namespace

Point readPoint(const mass::ConfigNode& list) {
  if (!list.isList() || list.items().size() != 3)
    list.reject("expected three lengths, along x, y and z, such as [0 um, 0 um, 1 um]");
  Point point{};
  for (std::size_t i = 0; i < 3; ++i) point[2 - i] = read(list.items()[i], kinds::length);
  return point;
}

SolidShape readShape(const mass::ConfigNode& body, const Grid& lattice,
                     const std::vector<std::string>& more) {
  const auto refuseOthers = [&](std::vector<std::string> own) {
    own.insert(own.end(), more.begin(), more.end());
    body.refuseOthers(own);
  };
  if (body.key() == "box") {
    refuseOthers({"from", "to"});
    const Point from = readPoint(body.at("from")), to = readPoint(body.at("to"));
    for (std::size_t i = 0; i < 3; ++i)
      if (!(from[i] < to[i]))
        body.reject(fmt::format(
            "'from' must be below 'to' along {}{}", axisNames[i],
            lattice.periodic[i] ? "; across the periodic end, 'to' is beyond the lattice" : ""));
    return SolidShape::box(from, to);
  }
  const double diameter = readPositive(body.at("diameter"), kinds::length);
  if (body.key() == "sphere") {
    refuseOthers({"center", "diameter"});
    return SolidShape::sphere(centerOf(body, lattice), diameter);
  }
  refuseOthers({"center", "length", "diameter", "axis"});
  const double length = readPositive(body.at("length"), kinds::length);
  if (body.key() == "cylinder")
    return SolidShape::cylinder(centerOf(body, lattice), length, diameter, axisOf(body));
  if (length < diameter * (1 - 1e-9))
    body.at("length").reject(
        "expected at least the diameter: the length includes the two half-spheres");
  return SolidShape::capsule(centerOf(body, lattice), length, diameter, axisOf(body));
}

void requireRoom(const mass::ConfigNode& body, const SolidShape& shape, const Grid& lattice) {
  const double tolerance = 1e-6 * lattice.spacing;
  for (std::size_t i = 0; i < 3; ++i) {
    if (lattice.periodic[i]) {
      requireOneImage(body, shape, i, lattice);
    } else if (shape.high(i) <= tolerance || shape.low(i) >= lattice.extent(i) - tolerance) {
      rejectExtent(body, shape, i, "outside", lattice);
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const bool isInside =
        shape.low(i) >= -tolerance && shape.high(i) <= lattice.extent(i) + tolerance;
    if (!lattice.periodic[i] && !isInside) rejectExtent(body, shape, i, "beyond", lattice);
  }
}

}  // namespace rdme
