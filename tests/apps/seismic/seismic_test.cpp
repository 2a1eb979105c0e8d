// Compares waves with solutions of the discrete and the continuous equations of motion.
#include "runs.hpp"

#include "../outputs.hpp"

#include <apps/seismic/differences.hpp>
#include <apps/seismic/wavefield.hpp>

#include <array>
#include <functional>
#include <utility>

namespace seismic {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;
using mass::testing::TemporaryFolder;
using G = Ground<double>;

/// Cells of a whole field in double precision, in row-major order.
struct Field {
  mass::Shape<3> shape{};
  std::vector<std::array<double, 3>> velocity;
  std::vector<std::array<double, 6>> stress;
  std::vector<double> density, lambda, mu;

  std::size_t size() const { return velocity.size(); }
  std::size_t at(std::int64_t z, std::int64_t y, std::int64_t x) const {
    const auto wrap = [](std::int64_t i, std::int64_t n) { return (i % n + n) % n; };
    return static_cast<std::size_t>((wrap(z, shape[0]) * shape[1] + wrap(y, shape[1])) * shape[2] +
                                    wrap(x, shape[2]));
  }
};

/// Periodic unless the settings say otherwise, in double precision, without source.
const std::string quiet =
    "precision: double\nsides: periodic\nsponge: {width: 0}\nsource: {moment_rate: 0}\n";

/// Ground with any state.
struct World {
  mass::Mass mass;
  Parameters parameters;
  Wavefield<double> waves;

  explicit World(const std::string& yaml, int devices = 1)
      : mass(settingsOf(yaml, {"devices=" + std::to_string(devices)})),
        parameters(mass.settings()),
        waves(mass, parameters) {}

  const mass::Places<G>& places() const { return waves.places(); }
  void advance(std::int64_t steps) const { waves.advance(mass::steps(steps)); }
  Field field() const {
    Field field{parameters.shape,
                places().download<&G::velocity>(),
                places().download<&G::stress>(),
                places().download<&G::density>(),
                places().download<&G::lambda>(),
                {}};
    for (const double compliance : places().download<&G::compliance>())
      field.mu.push_back(1 / compliance);
    return field;
  }
  void upload(const Field& field) const {
    places().upload<&G::velocity>(field.velocity);
    places().upload<&G::stress>(field.stress);
  }
};

/// Fills velocities and stresses with numbers of all magnitudes up to 1 m/s and 1e7 Pa.
void disturb(Field& field) {
  std::uint64_t state = 1;
  const auto next = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state >> 11) * 0x1p-52 - 1;
  };
  for (auto& v : field.velocity)
    for (double& component : v) component = next();
  for (auto& s : field.stress)
    for (double& component : s) component = 1e7 * next();
}

// --- plane waves: the discrete solution ---

struct PlaneWave {
  int along;  ///< axis of the wave vector: 0 is x, 1 is y, 2 is z
  int moves;  ///< axis of the motion; P if equal
};

class PlaneWaves : public testing::TestWithParam<PlaneWave> {};
INSTANTIATE_TEST_SUITE_P(AllAxes, PlaneWaves,
                         testing::Values(PlaneWave{0, 0}, PlaneWave{1, 1}, PlaneWave{2, 2},
                                         PlaneWave{0, 1}, PlaneWave{0, 2}, PlaneWave{1, 0},
                                         PlaneWave{1, 2}, PlaneWave{2, 0}, PlaneWave{2, 1}),
                         [](const auto& tested) {
                           return fmt::format("Along{}Moves{}", "XYZ"[tested.param.along],
                                              "XYZ"[tested.param.moves]);
                         });

TEST_P(PlaneWaves, FollowTheDiscreteSolution) {
  const int along = GetParam().along, moves = GetParam().moves;
  const bool isP = along == moves;
  const double h = 10, dt = 1.5e-3, vp = 3000, vs = 1700, density = 2500;
  const double speed = isP ? vp : vs, k = 2 * 2 * std::numbers::pi / (32 * h);
  // A wave exp(i (k x - w t)) makes differences in space i K and in time -i 2 sin(w dt / 2) / dt.
  const double K = 2 / h * (9.0 / 8 * std::sin(k * h / 2) - 1.0 / 24 * std::sin(3 * k * h / 2));
  const double w = 2 / dt * std::asin(speed * dt * K / 2);
  EXPECT_NEAR(w / k / speed, isP ? 1.0011948698914457 : 1.000307695475571, 1e-14);

  std::array<int, 3> cells{4, 3, 5};
  cells[static_cast<std::size_t>(along)] = 32;
  const World world(
      fmt::format("{}cells: [{}, {}, {}]\ntop: periodic\nspacing: {}\n"
                  "time_step: {}\nvp: {}\nvs: {}\ndensity: {}\n",
                  quiet, cells[0], cells[1], cells[2], h, dt, vp, vs, density));
  const double lambda = density * (vp * vp - 2 * vs * vs), impedance = density * speed;
  const auto fill = [&](Field& field, double time) {
    for (std::int64_t z = 0; z < field.shape[0]; ++z)
      for (std::int64_t y = 0; y < field.shape[1]; ++y)
        for (std::int64_t x = 0; x < field.shape[2]; ++x) {
          const std::size_t i = field.at(z, y, x);
          const auto number = static_cast<double>(along == 0 ? x : along == 1 ? y : z);
          const auto wave = [&](double at, double when) { return std::cos(k * at * h - w * when); };
          field.velocity[i] = {};
          field.stress[i] = {};
          // A P wave moves between the points of its stress, an S wave beside them.
          field.velocity[i][static_cast<std::size_t>(moves)] =
              wave(number + (isP ? 0.5 : 0), time - dt / 2);
          const double stress = -impedance * wave(number + (isP ? 0 : 0.5), time);
          if (isP) {
            for (std::size_t axis = 0; axis < 3; ++axis)
              field.stress[i][axis] =
                  stress * (static_cast<int>(axis) == along ? 1 : lambda / (density * vp * vp));
          } else {
            field.stress[i][static_cast<std::size_t>(2 + along + moves)] = stress;
          }
        }
  };
  Field start = world.field(), expected = start;
  fill(start, 0);
  fill(expected, 400 * dt);
  world.upload(start);
  world.advance(400);
  const Field found = world.field();
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      ASSERT_NEAR(found.velocity[i][axis], expected.velocity[i][axis], 1e-12) << i;
    for (std::size_t c = 0; c < 6; ++c)
      ASSERT_NEAR(found.stress[i][c], expected.stress[i][c], 1e-12 * impedance) << i;
  }
}

// --- loops over arrays ---

/// Loops that apply the published scheme to arrays, with stress imaging at a free surface.
class Loops {
 public:
  Loops(Field field, double h, double dt, bool hasSurface)
      : f(std::move(field)), h_(h), dt_(dt), hasSurface_(hasSurface) {}

  void step() {
    move();
    strain();
  }

  Field f;

 private:
  using Value = std::function<double(int z, int y, int x)>;
  static constexpr double near = 9.0 / 8, far = 1.0 / 24;

  template <class Body>
  void forEach(Body body) const {
    for (int z = 0; z < f.shape[0]; ++z)
      for (int y = 0; y < f.shape[1]; ++y)
        for (int x = 0; x < f.shape[2]; ++x) body(z, y, x, f.at(z, y, x));
  }
  /// Derivative at the point half a cell beyond (side 1) or before (side 0) along an axis, 0 is x.
  double slope(const Value& of, int axis, int side, int z, int y, int x) const {
    const auto at = [&](int n) {
      n += side;
      return of(z + (axis == 2 ? n : 0), y + (axis == 1 ? n : 0), x + (axis == 0 ? n : 0));
    };
    return (near * (at(0) - at(-1)) - far * (at(1) - at(-2))) / h_;
  }
  double modulus(int axis, int other, int z, int y, int x) const {
    double sum = 0;
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b) {
        std::array<int, 3> to{x, y, z};
        to[static_cast<std::size_t>(axis)] += a;
        to[static_cast<std::size_t>(other)] += b;
        sum += 1 / f.mu[f.at(to[2], to[1], to[0])];
      }
    return 4 / sum;
  }

  void move() {
    const auto stress = [&](std::size_t c) {
      return [this, c](int z, int y, int x) -> double {
        if (!hasSurface_ || z >= 0) return f.stress[f.at(z, y, x)][c];
        // Odd about z = 0: of zz about its row 0, of xz and yz half a cell above theirs.
        return c == 2 ? -f.stress[f.at(-z, y, x)][c] : -f.stress[f.at(-z - 1, y, x)][c];
      };
    };
    const std::size_t of[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    forEach([&](int z, int y, int x, std::size_t i) {
      for (int v = 0; v < 3; ++v) {
        double force = 0;
        for (int axis = 0; axis < 3; ++axis)
          force += slope(stress(of[v][axis]), axis, axis == v ? 1 : 0, z, y, x);
        const std::size_t next =
            f.at(z + (v == 2 ? 1 : 0), y + (v == 1 ? 1 : 0), x + (v == 0 ? 1 : 0));
        const double density = (f.density[i] + f.density[next]) / 2;
        f.velocity[i][static_cast<std::size_t>(v)] += dt_ * force / density;
      }
    });
  }

  void strain() {
    const auto velocity = [&](int v) -> Value {
      return [this, v](int z, int y, int x) {
        return f.velocity[f.at(z, y, x)][static_cast<std::size_t>(v)];
      };
    };
    forEach([&](int z, int y, int x, std::size_t i) {
      const double l = f.lambda[i], m = f.mu[i];
      std::array<double, 3> e{};
      for (int axis = 0; axis < 3; ++axis)
        e[static_cast<std::size_t>(axis)] = slope(velocity(axis), axis, 0, z, y, x);
      if (hasSurface_ && z == 0) e[2] = -l / (l + 2 * m) * (e[0] + e[1]);
      if (hasSurface_ && z == 1) e[2] = (velocity(2)(1, y, x) - velocity(2)(0, y, x)) / h_;
      for (std::size_t c = 0; c < 3; ++c)
        f.stress[i][c] += dt_ * (l * (e[0] + e[1] + e[2]) + 2 * m * e[c]);
      if (hasSurface_ && z == 0) f.stress[i][2] = 0;
      const int axes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
      for (std::size_t c = 0; c < 3; ++c) {
        const auto [a, b] = axes[c];
        double shear = slope(velocity(b), a, 1, z, y, x);
        shear += hasSurface_ && z == 0 && b == 2
                     ? (velocity(a)(1, y, x) - velocity(a)(0, y, x)) / h_
                     : slope(velocity(a), b, 1, z, y, x);
        f.stress[i][3 + c] += dt_ * modulus(a, b, z, y, x) * shear;
      }
    });
  }

  double h_, dt_;
  bool hasSurface_;
};

const std::string layered =
    "cells: [9, 8, 13]\nspacing: 20\nlayers:\n"
    "  soil: {thickness: 50, vp: 1500, vs: 600, density: 1800}\n"
    "  water: {thickness: 30, vp: 1480, vs: 0, density: 1000}\n"
    "  rock: {thickness: 100, vp: 4000, vs: 2300, density: 2600}\n"
    "basin: {center: [80, 70], radii: [50, 60], depth: 90, vp: 1300, vs: 500, density: 1700}\n";

TEST(Scheme, IsThatOfLoopsOverArraysInAPeriodicWorldAndBelowAFreeSurface) {
  for (const bool hasSurface : {false, true}) {
    const World world(quiet + layered + (hasSurface ? "top: free\n" : "top: periodic\n"));
    Field start = world.field();
    disturb(start);
    if (hasSurface) {  // the bottom, where the world ends, stays at rest
      for (std::size_t i = 0; i < start.size(); ++i) {
        const auto row = static_cast<std::int64_t>(i) / (start.shape[1] * start.shape[2]);
        if (row == 0) start.stress[i][2] = 0;
        if (row < 5) continue;
        start.velocity[i] = {};
        start.stress[i] = {};
      }
    }
    world.upload(start);
    Loops loops(start, world.parameters.spacing, world.parameters.timeStep, hasSurface);
    // The loops wrap around the bottom, from where waves come up by two rows in each rule.
    const int steps = hasSurface ? 1 : 10;
    const std::size_t compared = start.size() / 13 * (hasSurface ? 9 : 13);
    world.advance(steps);
    for (int step = 0; step < steps; ++step) loops.step();
    const Field found = world.field();
    for (std::size_t i = 0; i < compared; ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis)
        ASSERT_NEAR(found.velocity[i][axis], loops.f.velocity[i][axis], 1e-12) << i;
      for (std::size_t c = 0; c < 6; ++c)
        ASSERT_NEAR(found.stress[i][c], loops.f.stress[i][c], 1e-5) << i << ' ' << c;
    }
  }
}

// --- energy ---

/// Returns rho v^2 / 2 + s(t - dt) : S s(t) / 2 over all cells, in J.
double energyOf(const Field& before, const Field& after, double h) {
  double energy = 0;
  for (std::int64_t z = 0; z < after.shape[0]; ++z)
    for (std::int64_t y = 0; y < after.shape[1]; ++y)
      for (std::int64_t x = 0; x < after.shape[2]; ++x) {
        const std::size_t i = after.at(z, y, x);
        const std::size_t next[3] = {after.at(z, y, x + 1), after.at(z, y + 1, x),
                                     after.at(z + 1, y, x)};
        for (std::size_t axis = 0; axis < 3; ++axis)
          energy += (after.density[i] + after.density[next[axis]]) / 2 * after.velocity[i][axis] *
                    after.velocity[i][axis];
        // Hooke's law solved for the strain: s / (2 mu) - lambda tr(s) I / (2 mu (3 lambda + 2
        // mu)).
        const auto& s = before.stress[i];
        const double l = after.lambda[i], m = after.mu[i];
        const double trace = s[0] + s[1] + s[2];
        for (std::size_t c = 0; c < 3; ++c)
          energy += after.stress[i][c] * (s[c] / (2 * m) - l * trace / (2 * m * (3 * l + 2 * m)));
        const std::size_t corners[3][3] = {{next[0], next[1], after.at(z, y + 1, x + 1)},
                                           {next[0], next[2], after.at(z + 1, y, x + 1)},
                                           {next[1], next[2], after.at(z + 1, y + 1, x)}};
        for (std::size_t c = 0; c < 3; ++c) {
          double compliance = 1 / m;
          for (const std::size_t corner : corners[c]) compliance += 1 / after.mu[corner];
          energy += s[3 + c] * after.stress[i][3 + c] * compliance / 4;
        }
      }
  return energy / 2 * h * h * h;
}

const std::string solid =
    "cells: [11, 9, 13]\nspacing: 20\nlayers:\n"
    "  soil: {thickness: 90, vp: 1500, vs: 600, density: 1800}\n"
    "basin: {center: [80, 70], radii: [50, 60], depth: 130, vp: 1300, vs: 500, density: 1700}\n";

TEST(Energy, IsConstantToRoundingInAPeriodicWorld) {
  const World world(quiet + solid + "top: periodic\n");
  Field start = world.field();
  disturb(start);
  world.upload(start);
  Field before = world.field();
  world.advance(1);
  Field after = world.field();
  const double first = world.waves.energy();
  EXPECT_NEAR(first / energyOf(before, after, 20), 1, 1e-13);
  // The form matters: the plain sum of both energies at one time varies.
  EXPECT_GT(std::abs(first / energyOf(after, after, 20) - 1), 1e-3);
  for (int step = 2; step <= 1000; ++step) {
    world.advance(1);
    if (step % 100 == 0) {
      EXPECT_NEAR(world.waves.energy() / first, 1, 1e-13) << step;
    }
  }
  before = world.field();
  world.advance(1);
  EXPECT_NEAR(energyOf(before, world.field(), 20) / first, 1, 1e-13);
}

TEST(Energy, StaysFiniteAtTheLargestTimeStepAndBelowAFreeSurface) {
  const auto yaml = quiet + layered + "top: free\n";
  const double fastest = 4000;
  const World world(yaml + fmt::format("time_step: {}\n", largestCourant * 20 / fastest));
  Field start = world.field();
  disturb(start);
  for (auto& stress : start.stress) stress = {};
  world.upload(start);
  world.advance(1);
  const double first = world.waves.energy();
  double most = first;
  for (int step = 1; step < 3000; ++step) {
    world.advance(1);
    if (step % 50 == 0) most = std::max(most, world.waves.energy());
  }
  EXPECT_LT(most, 1.5 * first);
}

TEST(Energy, LeavesThroughSponges) {
  const ProgramRun run(
      "cells: [50, 50, 50]\nspacing: 10\ntop: absorbing\nsteps: 450\nprecision: float\n"
      "sponge: {width: 15}\nsource: {frequency: 20, moment_rate: 1e12}\n"
      "output: {table_every: 10}\n");
  const auto energy = run.column("energy");
  const double most = *std::max_element(energy.begin(), energy.end());
  EXPECT_GT(most, 0);
  EXPECT_LT(energy.back(), 2e-3 * most);
}

// --- explosion and reciprocity ---

TEST(Explosion, FollowsTheAnalyticVelocity) {
  const double found = misfitOfExplosion(2, 0.4, 28, 37);
  EXPECT_LE(found, 0.03);
  RecordProperty("misfit", fmt::format("{:.3g}", found));
}

/// Returns the divergence of the velocity at a place after each step, 1/s.
std::vector<double> divergence(const std::string& yaml, double frequency,
                               const std::array<int, 3>& source, const std::array<int, 3>& receiver,
                               int steps) {
  const World world(
      fmt::format("{}source: {{moment_rate: 1e12, frequency: {}, position: [{}, {}, "
                  "{}]}}\n",
                  yaml, frequency, source[0] * 20, source[1] * 20, source[2] * 20));
  std::vector<double> series;
  for (int step = 0; step < steps; ++step) {
    world.advance(1);
    const auto [x, y, z] = receiver;
    const auto box = world.places().download({z - 2, y - 2, x - 2}, {z + 2, y + 2, x + 2});
    const auto at = [&](int axis, int n) {  // 4 x 4 x 4 cells; the receiver is the third along each
      const int i = 2 + (axis == 0 ? n : 0), j = 2 + (axis == 1 ? n : 0),
                k = 2 + (axis == 2 ? n : 0);
      return box[static_cast<std::size_t>((k * 4 + j) * 4 + i)].velocity[axis];
    };
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis)
      sum += 9.0 / 8 * (at(axis, 0) - at(axis, -1)) - 1.0 / 24 * (at(axis, 1) - at(axis, -2));
    series.push_back(sum / 20);
  }
  return series;
}

TEST(Reciprocity, OfExplosionAndDivergenceInALayeredModel) {
  const std::string yaml =
      "precision: double\nspacing: 20\ncells: [40, 32, 32]\nsponge: {width: 6, damping: 0.9}\n"
      "layers:\n"
      "  soil: {thickness: 120, vp: 1800, vs: 900, density: 1900}\n"
      "  shale: {thickness: 130, vp: 2400, vs: 1300, density: 2200}\n"
      "basin: {center: [480, 360], radii: [190, 170], depth: 150, vp: 1500, vs: 700, density: "
      "1800}\n";
  const std::array<int, 3> shallow{25, 17, 8}, deep{12, 13, 20};
  const auto difference = [&](const std::string& more, double frequency, int steps) {
    const auto up = divergence(yaml + more, frequency, deep, shallow, steps);
    EXPECT_GT(*std::max_element(up.begin(), up.end()), 0);
    return misfit(divergence(yaml + more, frequency, shallow, deep, steps), up);
  };
  EXPECT_LE(difference("top: absorbing\n", 2.8, 400), 1e-11);  // 5 cells a shortest wavelength
  // Strains at a free surface are no transpose of the forces there: an error that falls with the
  // spacing. 10 cells a shortest wavelength.
  const double free = difference("top: free\n", 1.4, 800);
  EXPECT_LE(free, 1e-3);
  RecordProperty("difference", fmt::format("{:.3g}", free));
}

/// Returns the largest magnitude.
double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

TEST(Source, OfAShearMomentRadiatesNoWavesAlongItsNodesAndMostAcross) {
  const ProgramRun run(
      "cells: [61, 61, 61]\nspacing: 20\ntop: absorbing\nsteps: 130\nprecision: double\n"
      "source: {position: [600, 600, 600], tensor: [0, 0, 0, 1, 0, 0], frequency: 6}\n"
      "receivers: {alongX: [860, 600, 600], alongY: [600, 860, 600], alongZ: [600, 600, 860]}\n"
      "output: {energy: false}\n");
  // Motion of a moment Mxy: S waves move along y on the x axis and along x on the y axis.
  const double s = largest(run.column("alongX.vy"));
  EXPECT_GT(s, 0);
  EXPECT_NEAR(largest(run.column("alongY.vx")) / s, 1, 1e-4);
  // The faces, where waves hardly come, are half a cell nearer on one side.
  EXPECT_LT(largest(run.column("alongX.vz")), 1e-4 * s);
  EXPECT_LT(largest(run.column("alongZ.vz")), 1e-4 * s);
  EXPECT_LT(largest(run.column("alongX.vx")), 0.1 * s);
}

// --- free surface ---

/// Returns the largest velocity at the surface above a column over that of the wave that comes up.
double amplification(int component, double speed) {
  const double h = 10;
  const World world(quiet + "cells: [1, 1, 200]\nspacing: 10\ntop: free\ntime_step: 1e-3\n");
  Field start = world.field();
  const double density = 2500, lambda = density * (3000.0 * 3000 - 2 * 1700.0 * 1700);
  for (std::size_t i = 0; i < start.size(); ++i) {
    // A pulse half-way down that moves up: velocity f(z), stress +impedance f(z).
    const auto pulse = [&](double z) { return std::exp(-std::pow((z - 1000) / 100, 2)); };
    const double z = static_cast<double>(i) * h;
    const bool isP = component == 2;
    start.velocity[i][static_cast<std::size_t>(component)] =
        pulse(z + (isP ? h / 2 : 0) - speed * 0.5e-3);
    const double stress = density * speed * pulse(z + (isP ? 0 : h / 2));
    if (isP) {
      for (std::size_t c = 0; c < 3; ++c)
        start.stress[i][c] = stress * (c == 2 ? 1 : lambda / (density * 9e6));
    } else {
      start.stress[i][static_cast<std::size_t>(4 + component)] = stress;
    }
  }
  world.upload(start);
  double most = 0;
  for (int step = 0; step < static_cast<int>(1400 / speed * 1e3); ++step) {
    world.advance(1);
    const auto top = world.places().download({0, 0, 0}, {1, 1, 1});
    most = std::max(most, std::abs(top.front().velocity[component]));
  }
  return most;
}

TEST(FreeSurface, DoublesWavesThatComeUp) {
  EXPECT_NEAR(amplification(2, 3000), 2, 0.01);
  EXPECT_NEAR(amplification(0, 1700), 2, 0.01);
  EXPECT_NEAR(amplification(1, 1700), 2, 0.01);
}

TEST(FreeSurface, CarriesARayleighWaveOfItsSpeed) {
  // Wavelength of 40 cells; Rayleigh's equation by bisection.
  const double h = 10, vp = 3000, vs = 1700, density = 2500, k = 2 * std::numbers::pi / (40 * h);
  const auto rayleigh = [&](double c) {
    const double x = c * c / (vs * vs), y = c * c / (vp * vp);
    return std::pow(2 - x, 2) - 4 * std::sqrt(1 - y) * std::sqrt(1 - x);
  };
  double low = 0.7 * vs, high = 0.999 * vs;
  for (int i = 0; i < 100; ++i) (rayleigh((low + high) / 2) < 0 ? low : high) = (low + high) / 2;
  const double c = low, q = k * std::sqrt(1 - c * c / (vp * vp)),
               s = k * std::sqrt(1 - c * c / (vs * vs)), w = k * c, dt = 1e-3;
  const double mu = density * vs * vs, lambda = density * vp * vp - 2 * mu, n = k * k + s * s;
  // With the phase k x - w t the velocity is a(z) cos(phase) along x and b(z) sin(phase) along z,
  // whose stresses xz and zz vanish at the surface (Aki & Richards 2002, section 7.1).
  const auto a = [&](double z) { return std::exp(-q * z) - 2 * q * s / n * std::exp(-s * z); };
  const auto b = [&](double z) {
    return -q / k * (std::exp(-q * z) - 2 * k * k / n * std::exp(-s * z));
  };
  const auto slopeOf = [](const auto& f, double z) { return (f(z + 0.01) - f(z - 0.01)) / 0.02; };
  const World world(quiet + "cells: [40, 1, 100]\nspacing: 10\ntop: free\ntime_step: 1e-3\n");
  Field start = world.field();
  for (std::int64_t row = 0; row < 100; ++row)
    for (std::int64_t column = 0; column < 40; ++column) {
      const std::size_t i = start.at(row, 0, column);
      const double x = static_cast<double>(column) * h, z = static_cast<double>(row) * h;
      const auto phase = [&](double at, double time) { return k * at - w * time; };
      // The velocity of the full cell is half a step earlier than its stress.
      start.velocity[i][0] = a(z) * std::cos(phase(x + h / 2, -dt / 2));
      start.velocity[i][2] = b(z + h / 2) * std::sin(phase(x, -dt / 2));
      // Integrals over time of the strain rates.
      const double exx = -k * a(z) / w * std::cos(phase(x, 0));
      const double ezz = slopeOf(b, z) / w * std::cos(phase(x, 0));
      const double exz =
          -(slopeOf(a, z + h / 2) + k * b(z + h / 2)) / w * std::sin(phase(x + h / 2, 0));
      start.stress[i][0] = (lambda + 2 * mu) * exx + lambda * ezz;
      start.stress[i][1] = lambda * (exx + ezz);
      start.stress[i][2] = lambda * exx + (lambda + 2 * mu) * ezz;
      start.stress[i][4] = mu * exz;
    }
  // The stress of the surface vanishes: the start is a Rayleigh wave.
  EXPECT_LT(std::abs(start.stress[start.at(0, 0, 0)][2]), 1e-3 * density * vs * std::abs(a(0)));
  start.stress[start.at(0, 0, 0)][2] = 0;
  world.upload(start);
  const auto phaseAtSurface = [&](const Field& field) {
    double cosine = 0, sine = 0;
    for (std::int64_t column = 0; column < 40; ++column) {
      const double v = field.velocity[field.at(0, 0, column)][0];
      cosine += v * std::cos(k * static_cast<double>(column) * h);
      sine += v * std::sin(k * static_cast<double>(column) * h);
    }
    return std::pair{std::atan2(sine, cosine), std::hypot(sine, cosine)};
  };
  const auto [phase0, size0] = phaseAtSurface(start);
  const int steps = static_cast<int>(0.9 * 2 * std::numbers::pi / w / dt);  // below a period
  world.advance(steps);
  const auto [phase1, size1] = phaseAtSurface(world.field());
  double turned = phase1 - phase0;
  while (turned < 0) turned += 2 * std::numbers::pi;
  EXPECT_NEAR(turned / (w * steps * dt), 1, 0.01);
  EXPECT_NEAR(size1 / size0, 1, 0.02);
}

// --- devices, restarts, outputs ---

const std::string program =
    layered +
    "source: {position: [100, 80, 140], frequency: 20, moment_rate: 1e12, tensor: [1, 2, -1, 0.5, "
    "0.3, -0.7]}\nsponge: {width: 2}\nmotion: true\nsteps: 30\n"
    "receivers: {A: [40, 60, 0], B: [160, 20, 200]}\n";

class Precision : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Both, Precision, testing::Values("float", "double"),
                         [](const auto& tested) { return tested.param; });

TEST_P(Precision, IsTheSameOnEveryNumberOfDevicesAndThreads) {
  for (const std::string faces :
       {"top: free\n", "top: absorbing\nsides: periodic\n", "top: periodic\nsides: periodic\n"}) {
    const std::string yaml = program + faces + "precision: " + GetParam() + "\n";
    const ProgramRun one(yaml, {"steps=15"});
    EXPECT_GT(largest(one.column("A.vz")), 0);
    for (const int devices : {2, 3, 6}) {
      const ProgramRun run(yaml, {"steps=15", "devices=" + std::to_string(devices)});
      EXPECT_EQ(run.hash, one.hash) << devices << " devices, " << faces;
      EXPECT_EQ(run.rows, one.rows) << devices << " devices, " << faces;
    }
    EXPECT_EQ(ProgramRun(yaml, {"steps=15", "threads=3"}).hash, one.hash);
    EXPECT_EQ(ProgramRun(yaml, {"steps=15", "devices=3", "weights=[2, 2, 1]"}).hash, one.hash);
  }
}

TEST_P(Precision, IsTheSameOnEightDevicesAndInAWorldOfOneRow) {
  const std::string yaml = "precision: " + GetParam() +
                           "\nspacing: 20\ntop: periodic\nsides: periodic\nsteps: 20\n"
                           "source: {frequency: 20}\noutput: {table_every: 5}\n";
  const ProgramRun one(yaml, {"cells=[5, 7, 17]"});
  EXPECT_EQ(ProgramRun(yaml, {"cells=[5, 7, 17]", "devices=8"}).hash, one.hash);
  const ProgramRun row(yaml, {"cells=[15, 1, 1]"});
  EXPECT_GT(row.column("energy").back(), 0);
  EXPECT_EQ(ProgramRun(yaml, {"cells=[15, 1, 1]", "threads=2"}).hash, row.hash);
}

TEST(Program, DoesNotDependOnHowOftenItWrites) {
  const ProgramRun often(program), seldom(program, {"output.table_every=10"});
  EXPECT_EQ(often.hash, seldom.hash);
  EXPECT_EQ(often.rows.back(), seldom.rows.back());
  EXPECT_EQ(seldom.rows.size(), 4U);
}

TEST(Program, ContinuesFromACheckpointAsWithoutInterruption) {
  const ProgramRun whole(program);
  const mass::testing::TemporaryFolder folder;
  const auto run = [&](int steps, bool restarts, int devices) {
    const auto settings =
        settingsOf(program, {"steps=" + std::to_string(steps), "checkpoint.every=13",
                             "devices=" + std::to_string(devices)});
    return mass::testing::runIn(folder, settings, "seismic", setUp, restarts).hash;
  };
  run(17, false, 1);
  EXPECT_EQ(run(30, true, 3), whole.hash);
}

TEST(Program, ContinuesASourceOfThousandsOfSteps) {
  const TemporaryFolder folder;
  const auto run = [&](const std::vector<std::string>& assignments, bool restarts) {
    const auto settings = settingsOf(
        "cells: [5, 4, 6]\nspacing: 10\nsides: periodic\ntop: periodic\n"
        "source: {frequency: 0.4}\noutput: {table_every: 0}\n",
        assignments);
    return mass::testing::runIn(folder, settings, "seismic", setUp, restarts).hash;
  };
  const std::uint64_t whole = run({"steps=2600"}, false);
  run({"steps=1000", "checkpoint.every=1000"}, false);
  EXPECT_EQ(run({"steps=2600"}, true), whole);
  EXPECT_EQ(run({"steps=2600", "output.table_every=700"}, false), whole);
}

TEST(Program, StoresNoStepsThatARunDoesNotMake) {
  const std::string yaml =
      "cells: [5, 4, 6]\nspacing: 10\nsides: periodic\ntop: periodic\nsteps: 3\n";
  for (const char* const source :
       {"source.delay=1e6", "source.frequency=1e-5", "source.delay=1e300"}) {
    const ProgramRun run(yaml, {source, "time_step=1e-9"});
    EXPECT_EQ(run.rows.size(), 4U) << source;
  }
  const ProgramRun fast(yaml, {"vp=1e12"});
  EXPECT_EQ(fast.rows.size(), 4U);
}

TEST(Program, RefusesToContinueWithAnotherMeaningOfAStep) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& assignment, bool restarts) {
    mass::testing::runIn(folder,
                         settingsOf(program, {"steps=13", "checkpoint.every=13", assignment}),
                         "seismic", setUp, restarts);
  };
  run("motion=true", false);
  run("motion=true", true);
  const auto messageWith = [&](const std::string& assignment) {
    return messageOf<mass::CheckpointError>([&] { run(assignment, true); });
  };
  EXPECT_TRUE(contains(messageWith("motion=false"),
                       "was written with another motion: 'true', not 'false'; restart with the "
                       "settings of the run that wrote it"))
      << messageWith("motion=false");
  EXPECT_TRUE(contains(messageWith("time_step=1e-3"), "was written with another time_step: '"))
      << messageWith("time_step=1e-3");
}

TEST(Program, MakesTheSameStepsFromPrintedSettings) {
  const std::string yaml =
      "cells: [5, 4, 6]\nspacing: 10\nsides: periodic\ntop: periodic\nduration: 0.02\n"
      "time_step: 1e-3\n";
  const auto printed = settingsOf(yaml).printFile();
  EXPECT_TRUE(contains(printed, "duration: 0.02"));
  const ProgramRun run(yaml), again(printed);
  EXPECT_EQ(run.rows.size(), 21U);
  EXPECT_EQ(again.rows, run.rows);
  EXPECT_EQ(ProgramRun(printed, {"steps=3"}).rows.size(), 4U);
}

TEST(Program, KeepsDisplacementAndPeakOnlyIfAsked) {
  const auto yaml = [](const char* motion) {
    return "cells: [12, 12, 12]\nspacing: 20\nsponge: {width: 2}\nsource: {frequency: "
           "20}\nprecision: double\nmotion: " +
           std::string(motion) + "\n";
  };
  const World kept(yaml("true")), plain(yaml("false"));
  std::vector<std::array<double, 3>> displacement(kept.field().size());
  std::vector<double> peak(displacement.size());
  for (int step = 0; step < 25; ++step) {
    kept.advance(1);
    const Field now = kept.field();
    for (std::size_t i = 0; i < now.size(); ++i) {
      double squares = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        displacement[i][axis] += kept.parameters.timeStep * now.velocity[i][axis];
        squares += now.velocity[i][axis] * now.velocity[i][axis];
      }
      peak[i] = std::max(peak[i], std::sqrt(squares));
    }
  }
  plain.advance(25);
  EXPECT_EQ(kept.places().download<&G::displacement>(), displacement);
  EXPECT_EQ(kept.places().download<&G::peak>(), peak);
  EXPECT_EQ(kept.field().velocity, plain.field().velocity);
  EXPECT_EQ(largest(plain.places().download<&G::peak>()), 0);
  EXPECT_GT(largest(peak), 0);
}

TEST(Program, WritesItsOutputs) {
  for (const std::string quantity : {"vertical", "speed", "peak", "displacement"})
    for (const std::string slice : {"surface", "x", "y"}) {
      const mass::testing::TemporaryFolder folder;
      const auto names = mass::testing::outputsOf(
          settingsOf(program, {"output.quantity=" + quantity, "output.slice=" + slice,
                               "output.plot=[A.vz, B.vx]", "output.agents_every=0"}),
          "seismic", setUp, folder);
      EXPECT_TRUE(mass::testing::hasAll(
          names, {"seismic.csv", "seismic.vtkhdf", "seismic.plot.svg", "seismic.plot.png"}));
    }
}

TEST(Model, IsReadFromArrays) {
  // The arrays of the layers yield the same waves.
  const World layers(quiet + layered + "top: free\n");
  const mass::testing::TemporaryFolder folder;
  std::array<std::vector<float>, 3> arrays;
  for (std::int64_t i = 0; i < mass::count(layers.parameters.shape); ++i) {
    const auto material =
        layers.parameters.ground.at(mass::coordinatesOf<3>(i, layers.parameters.shape));
    arrays[0].push_back(static_cast<float>(material.vp));
    arrays[1].push_back(static_cast<float>(material.vs));
    arrays[2].push_back(static_cast<float>(material.density));
  }
  const char* const names[] = {"vp", "vs", "density"};
  std::string yaml = quiet + "cells: [9, 8, 13]\nspacing: 20\ntop: free\nmodel:\n";
  for (std::size_t i = 0; i < 3; ++i) {
    const auto file = folder / names[i];
    mass::testing::writeBytes(
        file, {reinterpret_cast<const char*>(arrays[i].data()), 4 * arrays[i].size()});
    yaml += fmt::format("  {}: {}\n", names[i], file.string());
  }
  EXPECT_EQ(World(yaml).mass.hash(), layers.mass.hash());
  arrays[1][17] = 2000;
  mass::testing::writeBytes(folder / "vs",
                            {reinterpret_cast<const char*>(arrays[1].data()), 4 * 936});
  const auto message = messageOf<mass::SettingsError>([&] { World{yaml}; });
  EXPECT_TRUE(contains(message, "in the cell at z 0, y 1, x 8 of the arrays vs is 2000"))
      << message;
  mass::testing::writeBytes(folder / "vp", "short");
  EXPECT_TRUE(contains(messageOf<mass::InputError>([&] { World{yaml}; }), "5 bytes"));
}

// --- bad input ---

std::string rejection(const std::string& yaml) {
  return messageOf<mass::SettingsError>([&] { Parameters{settingsOf(yaml)}; });
}

TEST(TimeStep, AboveTheLimitIsAnErrorThatNamesTheLargestStableOne) {
  const std::string yaml = "spacing: 10\nvp: 3000\nvs: 1700\n", name = "time_step is ";
  const std::string message = rejection(yaml + "time_step: 1.65e-3\n");
  EXPECT_TRUE(contains(message, "test.yaml:4: 'time_step'")) << message;
  EXPECT_TRUE(contains(message, "0.494872")) << message;
  const std::string stable = message.substr(message.find(name) + name.size());
  EXPECT_NEAR(std::stod(stable), 6 / (7 * std::sqrt(3.0)) * 10 / 3000, 1e-15);
  EXPECT_NO_THROW(Parameters{settingsOf(yaml + "time_step: " + stable)});
  EXPECT_TRUE(contains(
      rejection(yaml + fmt::format("time_step: {}\n", std::stod(stable) * 1.000001)), "unstable"));
  EXPECT_NEAR(Parameters{settingsOf(yaml)}.courant(), 0.9 * 6 / (7 * std::sqrt(3.0)), 1e-14);
}

TEST(TimeStep, AboveTheLimitGrowsWithoutBound) {
  // The shortest wave along the diagonal; the largest stable step keeps it.
  const auto growth = [](double courant) {
    mass::Mass mass(settingsOf(quiet + "cells: [8, 8, 8]\nspacing: 10\ntop: periodic\n"));
    Parameters parameters(mass.settings());
    parameters.timeStep = courant * 10 / 3000;
    const Wavefield<double> waves(mass, parameters);
    waves.places().initialise<&G::velocity>([](const auto& at) {
      const double sign = (at[0] + at[1] + at[2]) % 2 == 0 ? 1 : -1;
      return std::array<double, 3>{sign, sign, sign};
    });
    waves.advance(mass::steps(400));
    return waves.places().reduce<&G::speed>(mass::maximum);
  };
  EXPECT_LT(growth(largestCourant * 0.999), 100);
  EXPECT_GT(growth(largestCourant * 1.01), 1e20);
}

TEST(BadInput, IsNamedWithTheRemedy) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"vs: 2200", "vs must be below vp / sqrt(2) = 2121.32 m/s"},
      {"vs: 2121.3203435596424", "vs must be below vp / sqrt(2)"},
      {"vs: -1", "test.yaml:1: 'vs'"},
      {"layers: {a: {thickness: 100, vp: 2000, vs: 1500, density: 2000}}", "below vp / sqrt(2)"},
      {"layers: {a: {thickness: 100, vp: 2000, vs: -3, density: 2000}}", "vs is -3"},
      {"layers: {a: {thickness: 0, vp: 2000, vs: 900, density: 2000}}", "'layers.a.thickness'"},
      {"layers: {a: {thickness: 100, vp: 2000, vs: 900}}", "'density' is missing"},
      {"layers: {a: {thickness: 9e3, vp: 2000, vs: 900, density: 2000}, b: {thickness: 10, vp: "
       "2000, vs: 900, density: 2000}}",
       "'layers.b': its top is 9000 m deep"},
      {"basin: {center: [-500, 0], radii: [100, 100], depth: 50, vp: 900, vs: 300, density: 1700}",
       "outside of the world"},
      {"basin: {center: [500], radii: [100, 100], depth: 50, vp: 900, vs: 300, density: 1700}",
       "has 1 numbers, not 2"},
      {"model: {vp: a.bin, vs: b.bin, density: c.bin}\nlayers: {a: {}}", "leave one of them out"},
      {"source: {position: [0, 0, -30]}",
       "it is outside of the world: z is -30 m, not 0 to 1975 m"},
      {"source: {position: [0, 3000, 0]}", "y is 3000 m, not 0 to 2975 m"},
      {"source: {position: [0, 0, -0.1]}", "z is -0.1 m, not 0 to 1975 m"},
      {"receivers: {R: [2975.1, 0, 0]}", "x is 2975.1 m, not 0 to 2975 m"},
      {"source: {position: [0, 0]}", "has 2 numbers, not x, y and z"},
      {"layers: {sea: {thickness: 100, vp: 1500, vs: 0, density: 1000}}\nsource: {position: [1500, "
       "1500, 50], tensor: [1, 1, 1, 0.1, 0, 0]}",
       "has components that a fluid does not bear"},
      {"source: {tensor: [1, 1, 1]}", "give xx, yy, zz, xy, xz and yz"},
      {"source: {frequency: 0}", "source.frequency"},
      {"receivers: {far: [1e9, 0, 0]}", "'receivers.far': it is outside of the world: x is"},
      {"receivers: {far: [0, 0]}", "'receivers.far': has 2 numbers"},
      {"cells: [40, 120, 80]", "the sponges fill the 40 cells along x"},
      {"cells: [120, 120, 20]", "a width of at most 19"},
      {"cells: [120, 120]", "give those of cells along x, y and z"},
      {"cells: [120, 120, 80.5]", "must be integers"},
      {"top: open", "'top'"},
  };
  for (const auto& [yaml, message] : wrong)
    EXPECT_TRUE(contains(rejection(yaml), message)) << yaml << ": " << rejection(yaml);
}

TEST(BadInput, PicturesOfMotionNeedIt) {
  mass::Mass mass(settingsOf("output: {quantity: peak}"));
  mass::Simulation run(mass, "seismic");
  testing::internal::CaptureStdout();
  const auto message = messageOf<mass::SettingsError>([&] { setUp(mass, run); });
  testing::internal::GetCapturedStdout();
  EXPECT_TRUE(contains(message, "needs motion: true")) << message;
}

TEST(Wavelength, BelowFiveCellsIsAWarning) {
  const auto report = [](const char* frequency) {
    return Parameters{
        settingsOf(std::string("spacing: 10\nvs: 1500\nsource: {frequency: ") + frequency + "}")}
        .report();
  };
  EXPECT_FALSE(contains(report("12"), "WARNING"));  // 1500 / 30 / 10
  EXPECT_TRUE(contains(report("12.1"), "WARNING: the shortest wavelength, 49.59 m"));
  EXPECT_TRUE(contains(report("24"), "use a spacing of at most 5 m"));
}

}  // namespace
}  // namespace seismic
