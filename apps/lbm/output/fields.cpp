#include <apps/lbm/output/fields.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace lbm {
namespace {

/// Returns the difference between the numbers of neighbours along an axis.
std::size_t strideOf(const LatticeCase& lattice, std::size_t axis) {
  std::size_t stride = 1;
  for (std::size_t a = axis + 1; a < 3; ++a) stride *= static_cast<std::size_t>(lattice.cells[a]);
  return stride;
}

/// Returns the case of one layer of cells normal to axis `across`, as far as Fields need it: the
/// component of the curl normal to a layer depends only on that layer.
LatticeCase sliceOf(const LatticeCase& whole, std::size_t across, std::int64_t number) {
  LatticeCase layer;
  layer.dimensions = whole.dimensions;
  layer.cells = whole.cells;
  layer.cells[across] = 1;
  layer.faces = whole.faces;
  if (whole.solid.empty()) return layer;
  const std::size_t stride = strideOf(whole, across),
                    apart = stride * static_cast<std::size_t>(whole.cells[across]),
                    first = stride * static_cast<std::size_t>(number);
  for (std::size_t begin = first; begin < whole.solid.size(); begin += apart) {
    const auto at = whole.solid.begin() + static_cast<std::ptrdiff_t>(begin);
    layer.solid.insert(layer.solid.end(), at, at + static_cast<std::ptrdiff_t>(stride));
  }
  return layer;
}

/// Scale of a quantity in pictures.
struct Quantity {
  double span = 0;    ///< largest value of the colours in lattice units
  double factor = 1;  ///< from lattice units (of pressure: from the excess of density) to `unit`
  const char* unit = "";

  Quantity(const FlowCase& flow, std::string_view quantity) {
    const double speed = flow.latticeSpeed;
    if (quantity == "speed") {
      span = speed;
      factor = flow.inSi ? flow.units.speed() : 1;
      unit = flow.inSi ? "m/s" : "cells/step";
    } else if (quantity == "pressure") {
      span = 1.5 * speed * speed;
      factor = flow.inSi ? flow.units.pressure() : 1.0 / 3;
      unit = flow.inSi ? "Pa" : "lattice units";
    } else {  // vorticity: that of the reference speed over a tenth of the length
      span = 10 * speed / (flow.length / flow.units.cell);
      factor = flow.inSi ? 1 / flow.units.step : 1;
      unit = flow.inSi ? "1/s" : "1/step";
    }
  }
};

}  // namespace

double Fields::speed(std::size_t cell) const {
  const auto v = velocity(cell);
  return std::hypot(v[0], v[1], v[2]);
}

std::size_t Fields::neighborOf(std::size_t cell, std::size_t axis, std::int64_t way) const {
  const std::size_t stride = strideOf(*lattice_, axis);
  const std::int64_t length = lattice_->cells[axis];
  const auto here = static_cast<std::int64_t>(cell / stride % static_cast<std::size_t>(length));
  std::int64_t there = here + way;
  if (there < 0 || there >= length) {
    if (lattice_->faces[2 * axis].kind != FaceKind::periodic) return cell;
    there = (there + length) % length;
  }
  const auto neighbor = static_cast<std::size_t>(
      static_cast<std::int64_t>(cell) + (there - here) * static_cast<std::int64_t>(stride));
  const bool isSolid = !lattice_->solid.empty() && lattice_->solid[neighbor] != 0;
  return isSolid ? cell : neighbor;
}

double Fields::slope(std::size_t cell, std::size_t component, std::size_t axis) const {
  const std::size_t low = neighborOf(cell, axis, -1), high = neighborOf(cell, axis, 1);
  if (low == high) return 0;
  const double apart = low == cell || high == cell ? 1 : 2;
  return (cells_[high].velocity[component] - cells_[low].velocity[component]) / apart;
}

std::array<double, 3> Fields::vorticity(std::size_t cell) const {
  if (!lattice_->solid.empty() && lattice_->solid[cell] != 0) return {};
  constexpr std::size_t x = 2, y = 1, z = 0;
  return {slope(cell, z, y) - slope(cell, y, z), slope(cell, x, z) - slope(cell, z, x),
          slope(cell, y, x) - slope(cell, x, y)};
}

mass::Picture pictureOf(const FlowCase& flow, const mass::Settings& settings,
                        const SampleBox& observe) {
  const auto slice = settings.get<std::string>("output.slice");
  const auto& cells = flow.lattice.cells;
  const std::size_t across =
      flow.lattice.dimensions == 2 ? 0 : static_cast<std::size_t>('z' - slice[0]);
  const auto at = static_cast<std::int64_t>(settings.get<double>("output.slice_at") *
                                            static_cast<double>(cells[across]));
  return sliceOf(flow, settings, observe, across, std::min(cells[across] - 1, at));
}

mass::Picture sliceOf(const FlowCase& flow, const mass::Settings& settings,
                      const SampleBox& observe, std::size_t across, std::int64_t at) {
  const auto quantity = settings.get<std::string>("output.quantity");
  const auto& cells = flow.lattice.cells;
  const std::size_t up = across == 0 ? 1 : 0, right = across == 2 ? 1 : 2;
  std::array<std::int64_t, 3> low{}, high = cells;
  low[across] = at;
  high[across] = low[across] + 1;
  const LatticeCase shown = sliceOf(flow.lattice, across, low[across]);
  const Fields fields(shown, observe(low, high));
  const Quantity shownQuantity(flow, quantity);
  mass::Picture picture{{}, cells[up], cells[right]};
  picture.high = static_cast<float>(shownQuantity.span * shownQuantity.factor);
  picture.low = quantity == "speed" ? 0.0F : -picture.high;
  picture.name = quantity == "pressure" ? "pressure above that at rest" : quantity;
  picture.unit = shownQuantity.unit;
  for (std::int64_t row = cells[up] - 1; row >= 0; --row) {  // from the top
    for (std::int64_t column = 0; column < cells[right]; ++column) {
      const auto cell = static_cast<std::size_t>(row * cells[right] + column);
      const double value = quantity == "speed"      ? fields.speed(cell)
                           : quantity == "pressure" ? fields.excess(cell)
                                                    : fields.vorticity(cell)[2 - across];
      picture.values.push_back(static_cast<float>(value * shownQuantity.factor));
    }
  }
  return picture;
}

mass::DataFrame dataOf(const FlowCase& flow, const Fields& fields) {
  const double whole = flow.inSi ? flow.units.density : 1;
  const double excess = flow.inSi ? flow.units.pressure() : 1.0 / 3;
  const double speed = flow.inSi ? flow.units.speed() : 1;
  const double turns = flow.inSi ? 1 / flow.units.step : 1;
  std::vector<float> density, pressure, velocity, vorticity;
  for (std::size_t cell = 0; cell < fields.size(); ++cell) {
    density.push_back(static_cast<float>((1 + fields.excess(cell)) * whole));
    pressure.push_back(static_cast<float>(fields.excess(cell) * excess));
    for (const double along : fields.velocity(cell))
      velocity.push_back(static_cast<float>(along * speed));
    for (const double along : fields.vorticity(cell))
      vorticity.push_back(static_cast<float>(along * turns));
  }
  mass::DataFrame frame;
  frame.add("density", 1, std::move(density));
  frame.add("pressure", 1, std::move(pressure));
  frame.add("velocity", 3, std::move(velocity));
  frame.add("vorticity", 3, std::move(vorticity));
  return frame;
}

}  // namespace lbm
