#include <apps/lbm/case/force_driven_estimate.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace lbm {
namespace {

/// Reynolds number, by width and largest speed, up to which flows between walls stay laminar under
/// any disturbance.
constexpr double maxLaminarReynolds = 2000;
constexpr double infinity = std::numeric_limits<double>::infinity();

bool isSolid(const BoundaryFace<3, double>& face) {
  return face.kind == FaceKind::wall || face.kind == FaceKind::lid;
}
bool isPeriodic(const LatticeCase& lattice, std::size_t axis) {
  return lattice.faces[2 * axis].kind == FaceKind::periodic;
}

/// Distances between the walls around an axis, in cells; infinite without walls.
struct Widths {
  double narrow = infinity, wide = infinity;
};
Widths across(const LatticeCase& lattice, std::size_t axis) {
  Widths widths;
  for (std::size_t other = 0; other < 3; ++other) {
    if (other == axis || isPeriodic(lattice, other)) continue;
    widths.wide = std::exchange(widths.narrow, static_cast<double>(lattice.cells[other]));
  }
  if (widths.wide < widths.narrow) std::swap(widths.narrow, widths.wide);
  return widths;
}

/// Returns the steady speed in the middle of a duct: Poiseuille flow between two walls; between
/// four, the series for a rectangular duct (White, Viscous Fluid Flow) up to its first term, exact
/// to 1 %.
double steadySpeed(double force, double viscosity, const Widths& widths) {
  const double pi = std::numbers::pi;
  const double others = 32 / (pi * pi * pi) / std::cosh(pi / 2 * widths.wide / widths.narrow);
  return force * widths.narrow * widths.narrow / (8 * viscosity) * (1 - others);
}

}  // namespace

ForceDrivenEstimate::ForceDrivenEstimate(const LatticeCase& lattice, double viscosity,
                                         const std::array<double, 3>& start, std::int64_t steps) {
  const auto isOpening = [](const auto& face) {
    return !isSolid(face) && face.kind != FaceKind::periodic;
  };
  if (std::any_of(lattice.faces.begin(), lattice.faces.end(), isOpening)) return;
  const auto time = static_cast<double>(steps);
  double squares = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double force = std::abs(lattice.force[axis]);
    if (force == 0) continue;
    if (!isPeriodic(lattice, axis)) {  // density profile of an ideal gas of mean 1
      const double drop = 3 * force * static_cast<double>(lattice.cells[axis]);
      density = std::max(density, drop / -std::expm1(-drop));
      continue;
    }
    const Widths widths = across(lattice, axis);
    double along = std::abs(start[axis] + lattice.force[axis] * time);
    if (std::isfinite(widths.narrow)) {
      const double steady = steadySpeed(force, viscosity, widths);
      along = steady * -std::expm1(-force * time / steady);
      isCertain = isCertain && along * widths.narrow <= maxLaminarReynolds * viscosity;
    }
    squares += along * along;
  }
  speed = std::sqrt(squares);
}

}  // namespace lbm
