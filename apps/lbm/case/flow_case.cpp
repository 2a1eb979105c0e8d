#include <apps/lbm/case/flow_case.hpp>

#include <apps/lbm/case/obstacles.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lbm {
namespace {

/// A regularized collision with the trace's rate up to there, far from that of shear, holds more.
constexpr double maxTraceRate = 1.5;
/// The largest cell Reynolds number, speed times cell over viscosity, that a collision held in a
/// cavity (apps/cavity/README.md).
double maxCellReynolds(const std::string& collision, double traceRate) {
  if (collision == "regularized") return traceRate <= maxTraceRate ? 30 : 7.5;
  return collision == "bgk" ? 10 : collision == "trt" ? 20 : 30;
}
double maxCellReynolds(const FlowCase& flow) {
  return maxCellReynolds(flow.collision, flow.lattice.rates.energy);
}
constexpr double maxCells = 0x1p40;
/// From this relaxation time on walls and higher orders are far off, and so they are with more than
/// the magic number that one rate has then.
constexpr double maxRelaxationTime = 5,
                 maxMagic = (maxRelaxationTime - 0.5) * (maxRelaxationTime - 0.5);

/// A list along x, y (and z) in the order of the axes.
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
      settings.reject("cells", "there is at least one cell along each axis, and 2^40 in all");
    lattice.cells[2 - i] = static_cast<std::int64_t>(list[i]);
  }
}

/// Velocities in m/s and pressures in Pa so far.
struct PhysicalFace {
  FaceKind kind = FaceKind::wall;
  std::array<double, 3> velocity{};
  double pressure = 0;
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
    settings.reject(velocityKey, "a lid moves along itself; what flows in is an inlet");
  if (face.kind == FaceKind::outlet) face.pressure = settings.get<double>(pressureKey);
  if (face.kind != FaceKind::outlet && settings.given(pressureKey))
    settings.reject(pressureKey, fmt::format("a face that is '{}' has no pressure", kind));
  return face;
}

/// Refuses what is said of faces that there are not.
void refuseFacesAlongZ(const mass::Settings& settings) {
  for (const char* const what : {"faces.", "velocity.", "pressure."}) {
    for (const std::size_t number : {0U, 1U}) {
      const std::string key = std::string(what) + faceNames[number];
      if (settings.given(key)) settings.reject(key, "is for three dimensions: cells has two");
    }
  }
}

/// Refuses a box that fills up for ever.
void requireOutlet(const mass::Settings& settings, const std::array<PhysicalFace, 6>& faces) {
  const auto find = [&](FaceKind kind) {
    return std::find_if(faces.begin(), faces.end(),
                        [&](const PhysicalFace& face) { return face.kind == kind; });
  };
  const auto inlet = find(FaceKind::inlet);
  if (inlet == faces.end() || find(FaceKind::outlet) != faces.end()) return;
  settings.reject(
      std::string("faces.") + faceNames[static_cast<std::size_t>(inlet - faces.begin())],
      "is an inlet, and there is no outlet, which alone keeps the mass of the fluid in "
      "bounds: make another face an outlet");
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
                      fmt::format("is to be periodic, as faces.{} is, or neither",
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
    settings.reject("reference_speed",
                    "no face moves: say how fast the fluid will be, which the time step and the "
                    "Reynolds number go by");
  }
  const bool byViscosity = settings.given("viscosity");
  if (byViscosity && settings.given("reynolds"))
    settings.reject("viscosity", "follows from reynolds: give one of them");
  flow.viscosity = byViscosity ? settings.get<double>("viscosity")
                               : flow.speed * flow.length / settings.get<double>("reynolds");
}

/// Refuses lengths and speeds so large, or small, that what follows from them is no number.
void requireNumbers(const mass::Settings& settings, const FlowCase& flow) {
  const auto isNumber = [](double value) { return std::isnormal(value) && value > 0; };
  const double pressure = flow.units.pressure();
  if (isNumber(flow.units.cell) && isNumber(flow.units.step) && isNumber(flow.units.speed()) &&
      isNumber(pressure) && isNumber(flow.latticeViscosity))
    return;
  settings.reject(
      "length",
      fmt::format("with a speed of {:.4g} m/s, a viscosity of {:.4g} m^2/s and a density of {:.4g} "
                  "kg/m^3 makes cells of {:.4g} m and steps of {:.4g} s, with which nothing can be "
                  "calculated: use quantities that are less large, or small",
                  flow.speed, flow.viscosity, flow.units.density, flow.units.cell,
                  flow.units.step));
}

/// What would hold a flow whose cell Reynolds number is so many times too high.
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

/// The largest number of three digits that is no larger, for a message: rounded up, it might be
/// refused again.
std::string roundedDown(double value) {
  const double digit = std::pow(10, std::floor(std::log10(value)) - 2);
  return fmt::format("{:.3g}", std::floor(value / digit) * digit);
}

/// Refuses what becomes unstable, and names a grid that would hold it.
void requireStable(const mass::Settings& settings, const FlowCase& flow) {
  const char* const key = settings.given("viscosity") ? "viscosity" : "reynolds";
  const double ofCell = flow.maxLatticeSpeed / flow.latticeViscosity;
  const double most = maxCellReynolds(flow);
  if (ofCell > most) {
    settings.reject(
        key,
        fmt::format("this grid cannot hold a Reynolds number of {:.6g}: speed times cell over "
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

/// Refuses what alone would make a flow too fast, or too dense, at once.
void requireSlow(const mass::Settings& settings, const FlowCase& flow) {
  const auto refuseAbove = [&](const char* key, double mach) {
    if (mach <= maxMach) return;
    settings.reject(
        key, fmt::format("makes a Mach number of {:.3g} at once, above {}, where the flow is "
                         "too compressible: less of it would do, or a smaller lattice_speed",
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
                    "less of it would do, or a smaller lattice_speed",
                    density, 1 - maxExcess, 1 + maxExcess));
  }
}

/// The step by which a force drives a flow to a speed that it has at the end.
std::int64_t stepOf(const FlowCase& flow, const std::array<double, 3>& start, double speed) {
  std::int64_t before = 0, by = flow.steps;
  while (by - before > 1) {
    const std::int64_t middle = before + (by - before) / 2;
    const ForceDrivenEstimate then(flow.lattice, flow.latticeViscosity, start, middle);
    (then.speed < speed ? before : by) = middle;
  }
  return by;
}

/// Finds what a force makes of the flow, and refuses what is certain to be too fast, or too dense.
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
                    "{}, where the flow is too compressible: less of it would do, or a smaller "
                    "lattice_speed",
                    maxMach, stepOf(flow, start, maxMach / std::numbers::sqrt3), mach, flow.steps));
  }
  if (forceDriven.density > 1 + maxExcess) {
    settings.reject("acceleration",
                    fmt::format("presses the fluid to {:.3g} times its density at rest, above {}: "
                                "less of it would do, or a smaller lattice_speed",
                                forceDriven.density, 1 + maxExcess));
  }
  if (forceDriven.isCertain)
    flow.maxLatticeSpeed = std::max(flow.maxLatticeSpeed, forceDriven.speed);
}

/// How many a run goes, as mass::Simulation::duration counts them.
std::int64_t stepsOf(const mass::Settings& settings, const Units& units) {
  constexpr double most = 0x1p53;
  const double steps = std::ceil(settings.get<double>("duration") / units.step * (1 - 1e-12));
  if (!(steps <= most))
    settings.reject("duration",
                    fmt::format("is more steps of {} s than can be counted", units.step));
  return steps == 0 || settings.given("steps") ? settings.get<std::int64_t>("steps")
                                               : static_cast<std::int64_t>(steps);
}

/// Refuses keys that say nothing of a regularized collision.
void requireOfMoments(const mass::Settings& settings) {
  if (settings.given("magic")) settings.reject("magic", "is for collision: trt");
  if (settings.get<std::string>("streaming") == "in_place")
    settings.reject("streaming",
                    "in_place is for populations: collision: regularized stores their moments, of "
                    "which a step needs two sets");
}

RelaxationRates ratesOf(const mass::Settings& settings, const FlowCase& flow) {
  RelaxationRates rates;
  const auto isRate = [](double rate) { return rate > 0 && rate < 2; };
  rates.shear = 1 / flow.relaxationTime();
  rates.energy = rates.energySquare = rates.pi = rates.flux = rates.third = rates.shear;
  if (flow.collision == "trt") {
    const double magic = settings.get<double>("magic");
    rates.flux = rates.third = 1 / (magic / (3 * flow.latticeViscosity) + 0.5);
    // As it is where numbers have 32 bits.
    if (magic > maxMagic || !isRate(static_cast<double>(static_cast<float>(rates.flux)))) {
      settings.reject("magic", fmt::format("makes a rate of {:.8g} for moments of odd order; use "
                                           "3/16, 1/4, or what is near them: at most {}, and "
                                           "enough for a rate below 2",
                                           rates.flux, maxMagic));
    }
  } else if (flow.collision == "mrt") {
    const auto list = settings.get<std::vector<double>>("mrt_rates");
    if (list.size() != 5 || !std::all_of(list.begin(), list.end(), isRate))
      settings.reject("mrt_rates",
                      "five numbers between 0 and 2 were expected, of e, epsilon, q, pi "
                      "and m");
    rates = {rates.shear, list[0], list[1], list[2], list[3], list[4]};
  } else if (flow.collision == "regularized" && settings.given("mrt_rates")) {
    const auto list = settings.get<std::vector<double>>("mrt_rates");
    if (list.size() != 1 || !isRate(list[0])) {
      settings.reject("mrt_rates",
                      "with collision: regularized, one number between 0 and 2 was expected, of e: "
                      "other moments that have rates are not stored");
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
  // Of the wave numbers; the faster of the two components has the reference speed.
  const double ratio = static_cast<double>(cells[1]) / static_cast<double>(cells[2]);
  const double speed = flow.latticeSpeed / std::max(1.0, ratio);
  return [=](const std::array<std::int64_t, 3>& cell) {
    const auto angle = [&](std::size_t axis) {
      return 2 * std::numbers::pi * static_cast<double>(cell[axis]) /
             static_cast<double>(cells[axis]);
    };
    // Taylor & Green, Proc. R. Soc. Lond. A 158 (1937) 499: the flow in planes, alike along z.
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
  if (lattice.storesMoments) requireOfMoments(settings);
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
  lattice.solid = solidCells(settings.tree("obstacles"), settings, lattice, units.cell);
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
        "  force       drives a flow that is laminar to {:.4g} m/s, a Mach number of {:.3g}{}\n",
        forceDriven.speed * units.speed(), forceDriven.speed * std::numbers::sqrt3,
        forceDriven.speed * std::numbers::sqrt3 > maxMach ? fmt::format(", above {}", maxMach)
                                                          : "");
  }
  if (!lattice.solid.empty()) {
    text += fmt::format("  obstacles   {} cells\n",
                        std::count(lattice.solid.begin(), lattice.solid.end(), 1));
  }
  return text;
}

}  // namespace lbm
