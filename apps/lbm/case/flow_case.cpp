#include <apps/lbm/case/flow_case.hpp>

#include <apps/lbm/case/obstacles.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace lbm {
namespace {

/// Largest energy rate at which a regularized collision is as stable as MRT.
constexpr double maxTraceRate = 1.5;
/// Returns the largest cell Reynolds number, speed times cell over viscosity, at which a collision
/// is stable, as measured in lid-driven cavities (apps/lbm/README.md).
double maxCellReynolds(const std::string& collision, double traceRate) {
  if (collision == "regularized") return traceRate <= maxTraceRate ? 30 : 7.5;
  return collision == "bgk" ? 10 : collision == "trt" ? 20 : 30;
}
double maxCellReynolds(const FlowCase& flow) {
  return maxCellReynolds(flow.collision, flow.lattice.rates.energy);
}
constexpr double maxCells = 0x1p40;
/// Largest relaxation time, and the magic number of BGK at that time: beyond either, errors at
/// walls and of higher orders are large.
constexpr double maxRelaxationTime = 5,
                 maxMagic = (maxRelaxationTime - 0.5) * (maxRelaxationTime - 0.5);

/// Returns a list of the settings, in the order x, y (, z), in the order of the axes; zeros for an
/// empty list.
std::array<double, 3> vectorOf(const mass::Settings& settings, const std::string& key,
                               int dimensions) {
  const auto list = settings.get<std::vector<double>>(key);
  std::array<double, 3> vector{};
  if (list.empty()) return vector;
  if (list.size() != static_cast<std::size_t>(dimensions)) {
    settings.reject(key, fmt::format("{} numbers were expected: along x, y{}", dimensions,
                                     dimensions == 3 ? " and z" : ""));
  }
  for (std::size_t i = 0; i < list.size(); ++i) vector[2 - i] = list[i];
  return vector;
}

double sizeOf(const std::array<double, 3>& vector) {
  return std::hypot(vector[0], vector[1], vector[2]);
}

void readCells(const mass::Settings& settings, LatticeCase& lattice) {
  const auto list = settings.get<std::vector<double>>("cells");
  if (list.size() != 2 && list.size() != 3)
    settings.reject("cells", "two or three numbers were expected: along x, y and perhaps z");
  lattice.dimensions = static_cast<int>(list.size());
  double all = 1;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!(list[i] >= 1) || list[i] != std::floor(list[i]) || (all *= list[i]) > maxCells)
      settings.reject(
          "cells",
          "must be whole numbers: at least one cell along each axis, at most 2^40 in total");
    lattice.cells[2 - i] = static_cast<std::int64_t>(list[i]);
  }
}

/// Face in SI units.
struct PhysicalFace {
  FaceKind kind = FaceKind::wall;
  std::array<double, 3> velocity{};  ///< m/s
  double pressure = 0;               ///< Pa, above that at rest
};

PhysicalFace faceOf(const mass::Settings& settings, std::size_t number, int dimensions) {
  const std::string name = faceNames[number], kindKey = "faces." + name,
                    velocityKey = "velocity." + name, pressureKey = "pressure." + name;
  const auto kind = settings.get<std::string>(kindKey);
  PhysicalFace face;
  face.kind = kind == "wall"     ? FaceKind::wall
              : kind == "lid"    ? FaceKind::lid
              : kind == "inlet"  ? FaceKind::inlet
              : kind == "outlet" ? FaceKind::outlet
                                 : FaceKind::periodic;
  const bool moves = face.kind == FaceKind::lid || face.kind == FaceKind::inlet;
  if (moves) face.velocity = vectorOf(settings, velocityKey, dimensions);
  if (!moves && settings.given(velocityKey))
    settings.reject(velocityKey, fmt::format("a face that is '{}' has no velocity", kind));
  if (face.kind == FaceKind::lid && face.velocity[number / 2] != 0)
    settings.reject(velocityKey,
                    "a lid moves along itself only: if fluid enters here, make the face an inlet");
  if (face.kind == FaceKind::outlet) face.pressure = settings.get<double>(pressureKey);
  if (face.kind != FaceKind::outlet && settings.given(pressureKey))
    settings.reject(pressureKey, fmt::format("a face that is '{}' has no pressure", kind));
  return face;
}

/// Rejects keys of the faces along z, which do not exist in two dimensions.
void refuseFacesAlongZ(const mass::Settings& settings) {
  for (const char* const what : {"faces.", "velocity.", "pressure."}) {
    for (const std::size_t number : {0U, 1U}) {
      const std::string key = std::string(what) + faceNames[number];
      if (settings.given(key))
        settings.reject(key, "is for three dimensions: cells has two numbers");
    }
  }
}

/// Rejects inlets without an outlet.
void requireOutlet(const mass::Settings& settings, const std::array<PhysicalFace, 6>& faces) {
  const auto find = [&](FaceKind kind) {
    return std::find_if(faces.begin(), faces.end(),
                        [&](const PhysicalFace& face) { return face.kind == kind; });
  };
  const auto inlet = find(FaceKind::inlet);
  if (inlet == faces.end() || find(FaceKind::outlet) != faces.end()) return;
  settings.reject(
      std::string("faces.") + faceNames[static_cast<std::size_t>(inlet - faces.begin())],
      "is an inlet, but there is no outlet, so the mass of the fluid would grow without bound: "
      "make "
      "another face an outlet");
}

void readFaces(const mass::Settings& settings, std::array<PhysicalFace, 6>& faces, int dimensions) {
  const std::size_t first = dimensions == 2 ? 2 : 0;
  if (dimensions == 2) refuseFacesAlongZ(settings);
  for (std::size_t number = first; number < 6; ++number)
    faces[number] = faceOf(settings, number, dimensions);
  for (std::size_t axis = first / 2; axis < 3; ++axis) {
    const bool low = faces[2 * axis].kind == FaceKind::periodic;
    if (low != (faces[2 * axis + 1].kind == FaceKind::periodic)) {
      settings.reject(std::string("faces.") + faceNames[2 * axis + (low ? 1 : 0)],
                      fmt::format("must be periodic, as faces.{} is; or make neither periodic",
                                  faceNames[2 * axis + (low ? 0 : 1)]));
    }
  }
  requireOutlet(settings, faces);
}

void readReynolds(const mass::Settings& settings, const std::array<PhysicalFace, 6>& faces,
                  FlowCase& flow) {
  flow.length = settings.get<double>("reference_length");
  if (flow.length == 0) {
    flow.length = flow.units.cell * static_cast<double>(flow.lattice.cells[1]);
  }
  flow.speed = settings.get<double>("reference_speed");
  for (const PhysicalFace& face : faces) {
    if (!settings.given("reference_speed"))
      flow.speed = std::max(flow.speed, sizeOf(face.velocity));
  }
  if (flow.speed == 0) {
    settings.reject(
        "reference_speed",
        "no face moves: give the speed that the time step and the Reynolds number refer "
        "to");
  }
  const bool byViscosity = settings.given("viscosity");
  if (byViscosity && settings.given("reynolds"))
    settings.reject("viscosity", "and reynolds determine each other: give one of them");
  flow.viscosity = byViscosity ? settings.get<double>("viscosity")
                               : flow.speed * flow.length / settings.get<double>("reynolds");
}

/// Rejects quantities so large or small that derived ones overflow or underflow.
void requireNumbers(const mass::Settings& settings, const FlowCase& flow) {
  const auto isNumber = [](double value) { return std::isnormal(value) && value > 0; };
  const double pressure = flow.units.pressure();
  if (isNumber(flow.units.cell) && isNumber(flow.units.step) && isNumber(flow.units.speed()) &&
      isNumber(pressure) && isNumber(flow.latticeViscosity))
    return;
  settings.reject(
      "length",
      fmt::format(
          "with a speed of {:.4g} m/s, a viscosity of {:.4g} m^2/s and a density of {:.4g} "
          "kg/m^3 makes cells of {:.4g} m and steps of {:.4g} s: nothing can be computed with "
          "such numbers; use less extreme quantities",
          flow.speed, flow.viscosity, flow.units.density, flow.units.cell, flow.units.step));
}

/// Returns changes that stabilize a flow whose cell Reynolds number is `factor` times too high.
std::string remedyFor(const FlowCase& flow, double factor) {
  const auto cells = [&](std::size_t axis) {
    return std::ceil(factor * static_cast<double>(flow.lattice.cells[axis]));
  };
  const bool isFlat = flow.lattice.dimensions == 2;
  std::string remedy;
  if ((isFlat ? 1 : cells(0)) * cells(1) * cells(2) <= maxCells) {
    remedy = fmt::format("cells: [{}, {}{}] or ", cells(2), cells(1),
                         isFlat ? "" : fmt::format(", {}", cells(0)));
  }
  const bool isRegularized = flow.collision == "regularized";
  const std::string other = isRegularized ? "mrt_rates: [1.19]" : "collision: mrt";
  if (factor * maxCellReynolds(flow) <=
      maxCellReynolds(isRegularized ? "regularized" : "mrt", 1.19))
    remedy += other + " or ";
  return remedy + "a more viscous fluid would do";
}

/// Returns `value` rounded down to three digits, for a message: rounded up, it might be rejected
/// again.
std::string roundedDown(double value) {
  const double digit = std::pow(10, std::floor(std::log10(value)) - 2);
  return fmt::format("{:.3g}", std::floor(value / digit) * digit);
}

/// Rejects a flow that would be unstable or inaccurate; the message names changes that suffice.
void requireStable(const mass::Settings& settings, const FlowCase& flow) {
  const char* const key = settings.given("viscosity") ? "viscosity" : "reynolds";
  const double ofCell = flow.maxLatticeSpeed / flow.latticeViscosity;
  const double most = maxCellReynolds(flow);
  if (ofCell > most) {
    settings.reject(
        key,
        fmt::format("this grid cannot resolve a Reynolds number of {:.6g}: speed times cell over "
                    "viscosity is {:.4g}, and {} is stable up to {}; {}",
                    flow.reynolds(), ofCell, flow.collision, most, remedyFor(flow, ofCell / most)));
  }
  if (flow.relaxationTime() > maxRelaxationTime) {
    settings.reject("lattice_speed",
                    fmt::format("makes a relaxation time of {:.4g}, above {}, where the method is "
                                "inaccurate: {} would do, or fewer cells",
                                flow.relaxationTime(), maxRelaxationTime,
                                roundedDown(flow.latticeSpeed * (maxRelaxationTime - 0.5) /
                                            (flow.relaxationTime() - 0.5))));
  }
  if (flow.mach() > maxMach) {
    settings.reject(
        "lattice_speed",
        fmt::format("makes a Mach number of {:.3g}, above {}, where the flow is too "
                    "compressible: {} would do",
                    flow.mach(), maxMach, roundedDown(flow.latticeSpeed * maxMach / flow.mach())));
  }
}

/// Rejects single values that make the flow too fast or too dense in the first step.
void requireSlow(const mass::Settings& settings, const FlowCase& flow) {
  const auto refuseAbove = [&](const char* key, double mach) {
    if (mach <= maxMach) return;
    settings.reject(
        key, fmt::format("makes a Mach number of {:.3g} at once, above {}, where the flow is "
                         "too compressible: reduce it, or lattice_speed",
                         mach, maxMach));
  };
  const auto start = vectorOf(settings, "start_velocity", flow.lattice.dimensions);
  refuseAbove("start_velocity", sizeOf(start) / flow.units.speed() * std::numbers::sqrt3);
  const auto& [z, y, x] = flow.lattice.force;
  refuseAbove("acceleration", std::hypot(z, y, x) * std::numbers::sqrt3);
  for (std::size_t number = 0; number < 6; ++number) {
    const double density = flow.lattice.faces[number].density;
    if (std::abs(density - 1) <= maxExcess) continue;
    settings.reject(
        std::string("pressure.") + faceNames[number],
        fmt::format("makes the fluid {:.3g} times as dense as at rest, beyond {} to {}: "
                    "reduce it, or lattice_speed",
                    density, 1 - maxExcess, 1 + maxExcess));
  }
}

/// Returns the first step at which a force has driven the flow to `speed`. @pre the flow has that
/// speed at the last step
std::int64_t stepOf(const FlowCase& flow, const std::array<double, 3>& start, double speed) {
  std::int64_t before = 0, by = flow.steps;
  while (by - before > 1) {
    const std::int64_t middle = before + (by - before) / 2;
    const ForceDrivenEstimate then(flow.lattice, flow.latticeViscosity, start, middle);
    (then.speed < speed ? before : by) = middle;
  }
  return by;
}

/// Estimates the flow that a force drives, and rejects it if it is certain to be too fast or dense.
void requireDrivenSlowly(const mass::Settings& settings, FlowCase& flow) {
  if (!settings.given("acceleration") || !settings.tree("obstacles").entries().empty()) return;
  const bool isUniform = settings.get<std::string>("start") == "uniform";
  auto start = vectorOf(settings, "start_velocity", flow.lattice.dimensions);
  for (double& along : start) along = isUniform ? along / flow.units.speed() : 0;
  const ForceDrivenEstimate& forceDriven = flow.forceDriven =
      ForceDrivenEstimate(flow.lattice, flow.latticeViscosity, start, flow.steps);
  const double mach = forceDriven.speed * std::numbers::sqrt3;
  if (forceDriven.isCertain && mach > maxMach) {
    settings.reject(
        "acceleration",
        fmt::format("drives the fluid past a Mach number of {} by step {}, and to {:.3g} by step "
                    "{}, where the flow is too compressible: reduce it, or lattice_speed",
                    maxMach, stepOf(flow, start, maxMach / std::numbers::sqrt3), mach, flow.steps));
  }
  if (forceDriven.density > 1 + maxExcess) {
    settings.reject("acceleration",
                    fmt::format("presses the fluid to {:.3g} times its density at rest, above {}: "
                                "reduce it, or lattice_speed",
                                forceDriven.density, 1 + maxExcess));
  }
  if (forceDriven.isCertain)
    flow.maxLatticeSpeed = std::max(flow.maxLatticeSpeed, forceDriven.speed);
}

/// Returns the number of steps of the run, as mass::Simulation::duration computes it.
std::int64_t stepsOf(const mass::Settings& settings, const Units& units) {
  constexpr double most = 0x1p53;
  const double steps = std::ceil(settings.get<double>("duration") / units.step * (1 - 1e-12));
  if (!(steps <= most))
    settings.reject("duration", fmt::format("is more than 2^53 steps of {} s", units.step));
  return steps == 0 || settings.given("steps") ? settings.get<std::int64_t>("steps")
                                               : static_cast<std::int64_t>(steps);
}

/// Rejects keys that have no effect with a regularized collision.
void rejectKeysOfPopulations(const mass::Settings& settings) {
  if (settings.given("magic")) settings.reject("magic", "is for collision: trt");
  if (settings.get<std::string>("streaming") == "in_place")
    settings.reject(
        "streaming",
        "in_place is for populations: collision: regularized stores moments, which need "
        "two buffers");
}

RelaxationRates ratesOf(const mass::Settings& settings, const FlowCase& flow) {
  RelaxationRates rates;
  const auto isRate = [](double rate) { return rate > 0 && rate < 2; };
  rates.shear = 1 / flow.relaxationTime();
  rates.energy = rates.energySquare = rates.pi = rates.flux = rates.third = rates.shear;
  if (flow.collision == "trt") {
    const double magic = settings.get<double>("magic");
    rates.flux = rates.third = 1 / (magic / (3 * flow.latticeViscosity) + 0.5);
    // Rounded as in single precision.
    if (magic > maxMagic || !isRate(static_cast<double>(static_cast<float>(rates.flux)))) {
      settings.reject("magic", fmt::format("makes a rate of {:.8g} for moments of odd order; use "
                                           "3/16, 1/4 or a number near them: at most {}, and "
                                           "large enough for a rate below 2",
                                           rates.flux, maxMagic));
    }
  } else if (flow.collision == "mrt") {
    const auto list = settings.get<std::vector<double>>("mrt_rates");
    if (list.size() != 5 || !std::all_of(list.begin(), list.end(), isRate))
      settings.reject("mrt_rates",
                      "five numbers between 0 and 2 were expected, for e, epsilon, q, pi "
                      "and m");
    rates = {rates.shear, list[0], list[1], list[2], list[3], list[4]};
  } else if (flow.collision == "regularized" && settings.given("mrt_rates")) {
    const auto list = settings.get<std::vector<double>>("mrt_rates");
    if (list.size() != 1 || !isRate(list[0])) {
      settings.reject(
          "mrt_rates",
          "with collision: regularized, one number between 0 and 2 was expected, for e: "
          "the other moments with rates are not stored");
    }
    rates.energy = list[0];
  }
  return rates;
}

std::function<Macroscopic<3>(const std::array<std::int64_t, 3>&)> startOf(
    const mass::Settings& settings, const FlowCase& flow) {
  const auto kind = settings.get<std::string>("start");
  const auto velocity = vectorOf(settings, "start_velocity", flow.lattice.dimensions);
  Macroscopic<3> uniform;
  for (std::size_t axis = 0; axis < 3; ++axis)
    uniform.velocity[axis] = velocity[axis] / flow.units.speed();
  if (kind == "uniform") return [uniform](const auto&) { return uniform; };
  if (settings.given("start_velocity")) settings.reject("start_velocity", "is for start: uniform");
  if (kind == "rest") return [](const auto&) { return Macroscopic<3>{}; };
  for (const std::size_t axis : {0U, 1U, 2U}) {
    if (flow.lattice.faces[2 * axis].kind == FaceKind::periodic) continue;
    settings.reject("start", fmt::format("taylor_green is a flow in a periodic box: make "
                                         "faces.{} and faces.{} periodic",
                                         faceNames[2 * axis], faceNames[2 * axis + 1]));
  }
  const auto cells = flow.lattice.cells;
  // Ratio of the wave numbers along x and y. The larger velocity component has the reference speed.
  const double ratio = static_cast<double>(cells[1]) / static_cast<double>(cells[2]);
  const double speed = flow.latticeSpeed / std::max(1.0, ratio);
  return [=](const std::array<std::int64_t, 3>& cell) {
    const auto angle = [&](std::size_t axis) {
      return 2 * std::numbers::pi * static_cast<double>(cell[axis]) /
             static_cast<double>(cells[axis]);
    };
    // Taylor & Green, Proc. R. Soc. Lond. A 158 (1937) 499: their flow in planes, constant along z.
    const double x = angle(2), y = angle(1);
    Macroscopic<3> at;
    at.density = 1 - 0.75 * speed * speed * (std::cos(2 * x) + ratio * ratio * std::cos(2 * y));
    at.velocity[2] = -speed * std::cos(x) * std::sin(y);
    at.velocity[1] = speed * ratio * std::sin(x) * std::cos(y);
    return at;
  };
}

}  // namespace

FlowCase::FlowCase(const mass::Settings& settings)
    : collision(settings.get<std::string>("collision")) {
  readCells(settings, lattice);
  units.cell = settings.get<double>("length") / static_cast<double>(lattice.cells[2]);
  units.density = settings.get<double>("density");
  std::array<PhysicalFace, 6> faces;
  readFaces(settings, faces, lattice.dimensions);
  readReynolds(settings, faces, *this);
  latticeSpeed = settings.get<double>("lattice_speed");
  units.step = latticeSpeed * units.cell / speed;
  latticeViscosity = viscosity * units.step / (units.cell * units.cell);
  requireNumbers(settings, *this);
  for (std::size_t number = 0; number < 6; ++number) {
    BoundaryFace<3, double>& face = lattice.faces[number];
    face.kind = faces[number].kind;
    if (lattice.dimensions == 2 && number < 2) face.kind = FaceKind::periodic;
    for (std::size_t axis = 0; axis < 3; ++axis)
      face.velocity[axis] = faces[number].velocity[axis] / units.speed();
    face.density = 1 + faces[number].pressure / units.pressure();
  }
  maxLatticeSpeed =
      std::max(latticeSpeed,
               sizeOf(vectorOf(settings, "start_velocity", lattice.dimensions)) / units.speed());
  for (const auto& face : lattice.faces)
    maxLatticeSpeed =
        std::max(maxLatticeSpeed, std::hypot(face.velocity[0], face.velocity[1], face.velocity[2]));
  const auto acceleration = vectorOf(settings, "acceleration", lattice.dimensions);
  for (std::size_t axis = 0; axis < 3; ++axis)
    lattice.force[axis] = acceleration[axis] * units.step * units.step / units.cell;
  lattice.storesMoments = collision == "regularized";
  if (lattice.storesMoments) rejectKeysOfPopulations(settings);
  lattice.rates = ratesOf(settings, *this);
  steps = stepsOf(settings, units);
  requireSlow(settings, *this);
  requireDrivenSlowly(settings, *this);
  requireStable(settings, *this);
  if (settings.get<std::string>("equilibrium") == "optimal") {
    if (lattice.dimensions == 2 || collision != "mrt")
      settings.reject("equilibrium", "optimal is for collision: mrt in three dimensions");
    lattice.free = {0, -475.0 / 63, 0};
  }
  const auto precision = settings.get<std::string>("precision");
  lattice.isDouble = precision == "double";
  lattice.isHalf = precision == "half";
  if (lattice.isHalf && lattice.dimensions == 2)
    settings.reject("precision", "half is for three dimensions");
  lattice.start = startOf(settings, *this);
  inSi = settings.get<std::string>("output.units") == "si";
  Obstacles bodies = obstaclesOf(settings.tree("obstacles"), settings, lattice, units.cell);
  lattice.solid = std::move(bodies.solid);
  obstacles = std::move(bodies.report);
  probes = probesOf(settings.tree("probes"), lattice, units.cell);
}

std::string FlowCase::report() const {
  const auto& [z, y, x] = lattice.cells;
  std::string text = fmt::format(
      "  grid        {}{} cells of {:.6g} m, steps of {:.6g} s\n", fmt::format("{} x {}", x, y),
      lattice.dimensions == 3 ? fmt::format(" x {}", z) : "", units.cell, units.step);
  text +=
      fmt::format("  flow        Re {:.6g} = {:.6g} m/s * {:.6g} m / {:.6g} m^2/s, {:.6g} kg/m^3\n",
                  reynolds(), speed, length, viscosity, units.density);
  text += fmt::format(
      "  lattice     {}, relaxation time {:.6g}, Mach number {:.3g}, viscosity {:.6g}\n", collision,
      relaxationTime(), mach(), latticeViscosity);
  if (forceDriven.speed > 0) {
    text += fmt::format(
        "  force       would drive a laminar flow to {:.4g} m/s, a Mach number of {:.3g}{}\n",
        forceDriven.speed * units.speed(), forceDriven.speed * std::numbers::sqrt3,
        forceDriven.speed * std::numbers::sqrt3 > maxMach ? fmt::format(", above {}", maxMach)
                                                          : "");
  }
  if (!lattice.solid.empty()) {
    text += fmt::format("  obstacles   {} cells\n",
                        std::count(lattice.solid.begin(), lattice.solid.end(), 1));
  }
  for (const std::string& body : obstacles.bodies) text += fmt::format("              {}\n", body);
  for (const std::string& note : obstacles.notes) text += fmt::format("  note        {}\n", note);
  for (const std::string& warning : obstacles.warnings)
    text += fmt::format("  WARNING: {}\n", warning);
  return text;
}

}  // namespace lbm
