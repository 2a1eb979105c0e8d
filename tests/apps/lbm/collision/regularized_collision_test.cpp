// MomentFluid against a reference that streams and collides populations in plain loops.

#include "../trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

namespace {

using namespace lbm;
using namespace lbm::testing;

using Cell = std::array<std::int64_t, 3>;
using Three = std::array<double, 3>;

/// Reference: populations of D2Q9 or D3Q19 with the regularized collision of Latt & Chopard 2006
/// and the force of Guo et al. 2002.
class Plain {
 public:
  explicit Plain(const LatticeCase& lattice) : lattice_(lattice) {
    for (int z = lattice.dimensions == 3 ? -1 : 0; z <= (lattice.dimensions == 3 ? 1 : 0); ++z) {
      for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
          if (x * x + y * y + z * z <= 2) velocities_.push_back({z, y, x});
        }
      }
    }
    forEachCell([&](const Cell& cell) {
      const Macroscopic<3> at = lattice.start(cell);
      auto& f = f_.emplace_back();
      for (const auto& c : velocities_) {
        const double cu = dot(c, at.velocity), uu = dot(at.velocity, at.velocity);
        f.push_back(weight(c) * at.density * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * uu));
      }
    });
  }

  void step() {
    const auto before = f_;
    forEachCell([&](const Cell& cell) {
      if (isSolid(cell)) return;
      const Macroscopic<3> own = macroscopic(before[number(cell)], -0.5);
      std::vector<double> f;
      for (std::size_t k = 0; k < velocities_.size(); ++k)
        f.push_back(arriving(before, cell, k, own));
      f_[number(cell)] = collided(f);
    });
  }

  Macroscopic<3> macroscopic(const Cell& cell) const {
    return isSolid(cell) ? Macroscopic<3>{} : macroscopic(f_[number(cell)], -0.5);
  }
  /// Returns the momentum that solid cells receive in a step.
  Three obstacleForce() const {
    Three push{};
    forEachCell([&](const Cell& cell) {
      if (isSolid(cell)) return;
      for (std::size_t k = 0; k < velocities_.size(); ++k) {
        Cell to = cell;
        int beyond[6] = {};
        move(to, velocities_[k], 1, beyond);
        if (std::count(beyond, beyond + 6, 1) != 0 || !isSolid(to)) continue;
        for (std::size_t axis = 0; axis < 3; ++axis)
          push[axis] += 2 * velocities_[k][axis] * (f_[number(cell)][k] - weight(velocities_[k]));
      }
    });
    return push;
  }
  template <class Body>
  void forEachCell(const Body& body) const {
    for (std::int64_t i = 0; i < lattice_.cellCount(); ++i) {
      const auto& [z, y, x] = lattice_.cells;
      body(Cell{i / (y * x), i / x % y, i % x});
    }
  }

 private:
  template <class A, class B>
  static double dot(const A& a, const B& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }
  double weight(const std::array<int, 3>& c) const {
    const auto square = static_cast<std::size_t>(dot(c, c));
    return lattice_.dimensions == 3 ? std::array{1.0 / 3, 1.0 / 18, 1.0 / 36}[square]
                                    : std::array{4.0 / 9, 1.0 / 9, 1.0 / 36}[square];
  }
  std::size_t number(const Cell& cell) const {
    return static_cast<std::size_t>((cell[0] * lattice_.cells[1] + cell[1]) * lattice_.cells[2] +
                                    cell[2]);
  }
  bool isSolid(const Cell& cell) const {
    return !lattice_.solid.empty() && lattice_.solid[number(cell)] != 0;
  }
  /// Moves `cell` by `way` times velocity c, and sets `beyond` to 1 for each face that this
  /// crosses.
  void move(Cell& cell, const std::array<int, 3>& c, int way, int (&beyond)[6]) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t length = lattice_.cells[axis];
      cell[axis] += way * c[axis];
      if (cell[axis] >= 0 && cell[axis] < length) continue;
      const std::size_t face = 2 * axis + (cell[axis] < 0 ? 0 : 1);
      if (lattice_.faces[face].kind != FaceKind::periodic) beyond[face] = 1;
      cell[axis] = (cell[axis] + length) % length;
    }
  }
  double arriving(const std::vector<std::vector<double>>& f, const Cell& cell, std::size_t k,
                  const Macroscopic<3>& own) const {
    Cell from = cell;
    int beyond[6] = {};
    const auto& c = velocities_[k];
    move(from, c, -1, beyond);
    const double left =
        f[number(cell)][velocities_.size() - 1 - k];  // population of the opposite velocity
    const BoundaryFace<3, double>* decides = nullptr;
    for (std::size_t face = 0; face < 6; ++face) {
      if (beyond[face] == 0) continue;
      if (decides == nullptr || lattice_.faces[face].kind < decides->kind)
        decides = &lattice_.faces[face];
    }
    if (decides == nullptr) return isSolid(from) ? left : f[number(from)][k];
    const double u = dot(c, own.velocity), speeds = dot(own.velocity, own.velocity);
    switch (decides->kind) {
      case FaceKind::outlet:
        return 2 * weight(c) * decides->density * (1 + 4.5 * u * u - 1.5 * speeds) - left;
      case FaceKind::inlet:
        return left + 6 * weight(c) * own.density * dot(c, decides->velocity);
      default:
        return left + 6 * weight(c) * dot(c, decides->velocity);
    }
  }
  Macroscopic<3> macroscopic(const std::vector<double>& f, double shareOfForce) const {
    Macroscopic<3> at{0, {}};
    for (std::size_t k = 0; k < f.size(); ++k) {
      at.density += f[k];
      for (std::size_t axis = 0; axis < 3; ++axis) at.velocity[axis] += velocities_[k][axis] * f[k];
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
      at.velocity[axis] = (at.velocity[axis] + shareOfForce * lattice_.force[axis]) / at.density;
    return at;
  }
  std::vector<double> collided(const std::vector<double>& f) const {
    const Macroscopic<3> at = macroscopic(f, 0.5);
    const auto& force = lattice_.force;
    const std::size_t first = lattice_.dimensions == 3 ? 0 : 1;
    double h[3][3] = {},
           trace = 0;  // stress after the collision at the shear rate; correction of its trace
    for (std::size_t a = first; a < 3; ++a) {
      for (std::size_t b = first; b < 3; ++b) {
        double before = a == b ? -at.density / 3 : 0;
        for (std::size_t k = 0; k < f.size(); ++k)
          before += velocities_[k][a] * velocities_[k][b] * f[k];
        const double calm = at.density * at.velocity[a] * at.velocity[b];
        const double forced = at.velocity[a] * force[b] + at.velocity[b] * force[a];
        const auto by = [&](double rate) {
          return before - rate * (before - calm) + (1 - 0.5 * rate) * forced;
        };
        h[a][b] = by(lattice_.rates.shear);
        if (a == b) trace += by(lattice_.rates.energy) - by(lattice_.rates.shear);
      }
    }
    for (std::size_t a = first; a < 3; ++a) h[a][a] += trace / lattice_.dimensions;
    std::vector<double> after;
    for (const auto& c : velocities_) {
      double sum = at.density;
      for (std::size_t a = first; a < 3; ++a) {
        sum += 3 * c[a] * (at.density * at.velocity[a] + 0.5 * force[a]);
        for (std::size_t b = first; b < 3; ++b)
          sum += 4.5 * (c[a] * c[b] - (a == b ? 1.0 / 3 : 0)) * h[a][b];
      }
      after.push_back(weight(c) * sum);
    }
    return after;
  }

  LatticeCase lattice_;
  std::vector<std::array<int, 3>> velocities_;
  std::vector<std::vector<double>> f_;  ///< populations of each cell
};

/// Box of unequal sides with moments stored and a nonuniform initial flow.
LatticeCase whirled(int dimensions, double energy) {
  LatticeCase lattice = box({dimensions == 3 ? 5 : 1, 6, 9}, oneRate(0.02));
  lattice.rates.energy = energy;
  lattice.storesMoments = true;
  lattice.start = [dimensions](const Cell& cell) {
    const auto wave = [&](double a, double b, double c) {
      return std::sin(a * static_cast<double>(cell[0]) + b * static_cast<double>(cell[1]) +
                      c * static_cast<double>(cell[2]));
    };
    return Macroscopic<3>{
        1 + 0.03 * wave(1, 2, 3),
        {dimensions == 3 ? 0.05 * wave(2, 1, 1) : 0, 0.06 * wave(1, 3, 2), 0.07 * wave(3, 1, 2)}};
  };
  return lattice;
}
void addObstacles(LatticeCase& lattice) {
  for (std::int64_t i = 0; i < lattice.cellCount(); ++i)
    lattice.solid.push_back(i % 17 == 3 || i % 31 == 8 ? 1 : 0);
}

/// Compares both after each of four steps: errors of a stress appear in velocities from the second.
void expectAsPlain(const LatticeCase& lattice, double tolerance) {
  Plain plain(lattice);
  Trial run(lattice);
  for (int step = 0; step < 4; ++step) {
    plain.step();
    const auto found = run.advance(1).solver->macroscopic();
    std::size_t number = 0;
    double most = 0;
    plain.forEachCell([&](const Cell& cell) {
      const Macroscopic<3> expected = plain.macroscopic(cell);
      const Macroscopic<3>& here = found[number++];
      most = std::max(most, std::abs(here.density - expected.density));
      for (std::size_t axis = 0; axis < 3; ++axis)
        most = std::max(most, std::abs(here.velocity[axis] - expected.velocity[axis]));
    });
    EXPECT_LT(most, tolerance) << "step " << step;
    const Three push = plain.obstacleForce();
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(run.solver->obstacleForce()[axis], push[axis],
                  tolerance * static_cast<double>(lattice.cellCount()));
  }
}

/// Compares in all precisions.
void expectAsPlain(LatticeCase lattice) {
  expectAsPlain(lattice, 1e-14);
  lattice.isDouble = false;
  expectAsPlain(lattice, 1e-6);
  if (lattice.dimensions == 2) return;
  lattice.isHalf = true;
  expectAsPlain(lattice, 2e-4);
}

TEST(Moments, FlowAsRegularizedPopulations) {
  for (const int dimensions : {2, 3}) {
    expectAsPlain(whirled(dimensions, oneRate(0.02).shear));
    expectAsPlain(whirled(dimensions, 1.1));
  }
}

TEST(Moments, TakeAForceAsRegularizedPopulations) {
  for (const int dimensions : {2, 3}) {
    LatticeCase lattice = whirled(dimensions, 1.1);
    lattice.force[0] = dimensions == 3 ? 2e-3 : 0;
    lattice.force[1] = -3e-3;
    lattice.force[2] = 1e-3;
    expectAsPlain(lattice);
  }
}

TEST(Moments, ComeBackFromWallsLidsAndObstaclesAsRegularizedPopulations) {
  for (const int dimensions : {2, 3}) {
    LatticeCase lattice = whirled(dimensions, 1.1);
    addObstacles(lattice);
    expectAsPlain(lattice);  // also across periodic faces
    for (std::size_t axis = 3 - static_cast<std::size_t>(dimensions); axis < 3; ++axis)
      withWalls(lattice, axis);
    lattice.faces[3].kind = FaceKind::lid;
    lattice.faces[3].velocity[2] = 0.05;
    lattice.faces[4].kind = FaceKind::lid;
    lattice.faces[4].velocity[1] = -0.03;
    expectAsPlain(lattice);
  }
}

TEST(Moments, PassInletsAndOutletsAsRegularizedPopulations) {
  for (const int dimensions : {2, 3}) {
    LatticeCase lattice = whirled(dimensions, 1.1);
    addObstacles(lattice);
    lattice.faces[4].kind = FaceKind::inlet;
    lattice.faces[4].velocity[2] = 0.04;
    lattice.faces[5].kind = FaceKind::outlet;
    lattice.faces[5].density = 1.01;
    expectAsPlain(lattice);
    lattice.faces[2].kind = FaceKind::lid;
    lattice.faces[2].velocity[2] = 0.02;
    lattice.faces[3].kind = FaceKind::wall;
    expectAsPlain(lattice);
  }
}

TEST(Moments, AreTheSameInBlocksOfEveryKind) {
  if (mass::testing::testBackend() != "cuda")
    GTEST_SKIP() << "blocks are of GPUs: set MASS_TEST_BACKEND=cuda";
  for (const bool halves : {false, true}) {
    LatticeCase lattice = lidDriven({9, 11, 130}, oneRate(0.02), 0.05);
    lattice.isDouble = false;
    lattice.isHalf = halves;
    lattice.storesMoments = true;
    for (std::int64_t i = 0; i < lattice.cellCount(); ++i)
      lattice.solid.push_back(i % 130 / 8 == 8 && i / 130 % 11 / 4 == 1 ? 1 : 0);
    std::set<std::uint64_t> hashes;
    for (const auto* tile : {"1x1x32x8", "1x2x32x4", "2x1x64x8m", "8x1x64x8m", "4x1x128x8m"}) {
      mass::Settings settings = Trial::settings(1);
      settings.set(fmt::format("tile={}", tile));
      mass::Mass mass{settings};
      const auto solver = createSolver(mass, lattice);
      solver->advance(mass::steps(30));
      EXPECT_LT(solver->maxSpeed(), 1);
      hashes.insert(solver->hash());
    }
    EXPECT_EQ(hashes.size(), 1U) << halves;
  }
}

}  // namespace
