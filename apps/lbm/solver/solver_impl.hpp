#pragma once

#include <apps/lbm/solver/solver.hpp>
#include <apps/lbm/solver/step_rule.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lbm {

/// Solver whose cells are places of class F: Fluid or MomentFluid.
template <class F>
class SolverImpl final : public Solver {
 public:
  using L = typename F::Lattice;
  using Real = typename F::Number;
  static constexpr int D = L::dimensions;
  static constexpr std::size_t missing = 3 - D;  ///< axes of LatticeCase that the lattice lacks

  SolverImpl(mass::Mass& mass, const LatticeCase& lattice)
      : cells_(mass.createPlaces<F>(narrow(lattice.cells), optionsOf(lattice))),
        stepRule_(lattice),
        boundaries_(boundariesOf(lattice)) {
    cells_.template upload<&F::kind>(kindsOf(lattice));
    SolverImpl::start(mass, lattice);
    // Allocates all memory of a run now: bytes() is constant, and exhausted memory fails here.
    stepRule_.reserve(cells_, boundaries_);
  }

  /// Uploads the initial states in portions: that of a cell takes a fifth of its memory or more.
  void start(mass::Mass& mass, const LatticeCase& lattice) override {
    const auto atOnce =
        static_cast<std::size_t>(std::max(lattice.cellCount() / 8, std::int64_t{1} << 24));
    std::vector<Macroscopic<D>> wanted;
    std::int64_t first = 0;
    const auto set = [&] {
      cells_.template callAll<&F::initialize>(first, mass.share(wanted));
      first += static_cast<std::int64_t>(wanted.size());
      wanted.clear();
    };
    forEachCell(lattice.cells, [&](const std::array<std::int64_t, 3>& cell) {
      wanted.push_back(narrow(lattice.start(cell)));
      if (wanted.size() == atOnce) set();
    });
    if (!wanted.empty()) set();
    cells_.setStep(0);
  }
  void advance(mass::Steps steps) override { stepRule_.advance(cells_, boundaries_, steps); }
  std::vector<Macroscopic<3>> macroscopic() const override {
    std::vector<Macroscopic<3>> all;
    for (const Macroscopic<D>& one : cells_.template map<&F::macroscopic>(stepRule_.collision()))
      all.push_back(widen(one));
    return all;
  }
  std::vector<Macroscopic<3>> macroscopic(const std::array<std::int64_t, 3>& low,
                                          const std::array<std::int64_t, 3>& high) const override {
    if (low == std::array<std::int64_t, 3>{} && high == sizeOf(cells_.shape()))
      return macroscopic();
    std::vector<Macroscopic<3>> box;
    for (const F& cell : cells_.download(narrow(low), narrow(high)))
      box.push_back(widen(cell.macroscopic(stepRule_.collision())));
    return box;
  }
  double excess() const override { return mean(cells_.template reduce<&F::excess>(mass::sum)); }
  double energy() const override {
    return mean(cells_.template reduce<&F::energy>(mass::sum, stepRule_.collision()));
  }
  std::array<double, 3> obstacleForce() const override {
    const MomentumSum sums =
        cells_.template reduce<&F::momentumExchange>(AddMomentum{}, boundaries_);
    std::array<double, 3> all{};
    for (std::size_t axis = 0; axis < D; ++axis) all[axis + missing] = sums.of[axis];
    return all;
  }
  double maxSpeed() const override {
    return std::sqrt(
        cells_.template reduce<&F::squaredSpeed>(mass::maximum, stepRule_.collision()));
  }
  DivergedRegion divergedRegion() const override {
    const auto all = cells_.template map<&F::isDiverged>(stepRule_.collision());
    DivergedRegion region;
    auto one = all.begin();
    forEachCell(sizeOf(cells_.shape()), [&](const std::array<std::int64_t, 3>& cell) {
      if (!*one++) return;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        region.low[axis] = region.count == 0 ? cell[axis] : std::min(region.low[axis], cell[axis]);
        region.high[axis] = std::max(region.high[axis], cell[axis]);
      }
      ++region.count;
    });
    return region;
  }
  std::uint64_t hash() const override { return cells_.hash(); }
  std::size_t bytes() const override { return cells_.bytes(); }
  void writeData(mass::Simulation& run, double spacing,
                 const std::function<mass::DataFrame()>& frame) const override {
    run.data(cells_, spacing, frame);
  }

 private:
  double mean(double sum) const { return sum / static_cast<double>(cells_.size()); }
  static Macroscopic<D> narrow(const Macroscopic<3>& wide) {
    Macroscopic<D> one;
    one.density = wide.density;
    for (std::size_t axis = 0; axis < D; ++axis) one.velocity[axis] = wide.velocity[axis + missing];
    return one;
  }
  static Macroscopic<3> widen(const Macroscopic<D>& narrow) {
    Macroscopic<3> one;
    one.density = narrow.density;
    for (std::size_t axis = 0; axis < D; ++axis)
      one.velocity[axis + missing] = narrow.velocity[axis];
    return one;
  }
  static mass::Coordinates<D> narrow(const std::array<std::int64_t, 3>& wide) {
    mass::Coordinates<D> one{};
    for (int axis = 0; axis < D; ++axis) one[axis] = wide[static_cast<std::size_t>(axis) + missing];
    return one;
  }
  static std::array<std::int64_t, 3> sizeOf(const mass::Shape<D>& shape) {
    std::array<std::int64_t, 3> size{1, 1, 1};
    for (std::size_t axis = 0; axis < D; ++axis)
      size[axis + missing] = shape[static_cast<int>(axis)];
    return size;
  }
  static const BoundaryFace<3, double>& faceOf(const LatticeCase& lattice, std::size_t axis,
                                               std::size_t end) {
    return lattice.faces[2 * (axis + missing) + end];
  }
  static mass::PlacesOptions<F> optionsOf(const LatticeCase& lattice) {
    mass::PlacesOptions<F> options;
    for (std::size_t axis = 0; axis < D; ++axis) {
      options.borders[axis] = faceOf(lattice, axis, 0).kind == FaceKind::periodic
                                  ? mass::Border::periodic
                                  : mass::Border::fixed;
    }
    options.name = "fluid";
    return options;
  }
  static Boundaries<L, Real> boundariesOf(const LatticeCase& lattice) {
    Boundaries<L, Real> boundaries;
    boundaries.rest = F::rest;
    for (std::size_t axis = 0; axis < D; ++axis) {
      for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
        const BoundaryFace<3, double>& face = faceOf(lattice, axis, end);
        BoundaryFace<D, Real>& mine = boundaries.faces[2 * axis + end];
        mine.kind = face.kind;
        mine.density = static_cast<Real>(face.density);
        if (face.kind == FaceKind::wall) continue;
        for (std::size_t along = 0; along < D; ++along)
          mine.velocity[along] = static_cast<Real>(face.velocity[along + missing]);
      }
    }
    return boundaries;
  }

  template <class Body>
  static void forEachCell(const std::array<std::int64_t, 3>& cells, Body&& body) {
    for (std::int64_t z = 0; z < cells[0]; ++z) {
      for (std::int64_t y = 0; y < cells[1]; ++y) {
        for (std::int64_t x = 0; x < cells[2]; ++x) body(std::array<std::int64_t, 3>{z, y, x});
      }
    }
  }
  /// Returns the kind of each cell: solid; nearSolid if one of the cells around it, also across
  /// periodic faces, is solid; nearBoundary if it lies at a face that is not periodic; else
  /// interior.
  static std::vector<mass::FlowCell> kindsOf(const LatticeCase& lattice) {
    std::vector<mass::FlowCell> kinds;
    kinds.reserve(static_cast<std::size_t>(lattice.cellCount()));
    forEachCell(lattice.cells, [&](const std::array<std::int64_t, 3>& cell) {
      bool isAtFace = false;
      for (std::size_t axis = missing; axis < 3; ++axis) {
        const bool isWalled = lattice.faces[2 * axis].kind != FaceKind::periodic;
        isAtFace |= isWalled && (cell[axis] == 0 || cell[axis] == lattice.cells[axis] - 1);
      }
      kinds.push_back(isAtFace ? mass::FlowCell::nearBoundary : mass::FlowCell::interior);
    });
    if (lattice.solid.empty()) return kinds;
    const auto number = [&](const std::array<std::int64_t, 3>& cell) {
      return static_cast<std::size_t>((cell[0] * lattice.cells[1] + cell[1]) * lattice.cells[2] +
                                      cell[2]);
    };
    forEachCell(lattice.cells, [&](const std::array<std::int64_t, 3>& cell) {
      if (lattice.solid[number(cell)] == 0) return;
      forEachCell({3, 3, 3}, [&](const std::array<std::int64_t, 3>& offset) {
        std::array<std::int64_t, 3> near{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const std::int64_t length = lattice.cells[axis];
          near[axis] = cell[axis] + offset[axis] - 1;
          const bool isOut = near[axis] < 0 || near[axis] >= length;
          if (isOut && lattice.faces[2 * axis].kind != FaceKind::periodic) return;
          near[axis] = (near[axis] + length) % length;
        }
        kinds[number(near)] = mass::FlowCell::nearSolid;
      });
    });
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (lattice.solid[i] != 0) kinds[i] = mass::FlowCell::solid;
    }
    return kinds;
  }

  mass::Places<F> cells_;
  StepRule<F> stepRule_;
  Boundaries<L, Real> boundaries_;
};

template <class F>
std::unique_ptr<Solver> createSolverOf(mass::Mass& mass, const LatticeCase& lattice) {
  return std::make_unique<SolverImpl<F>>(mass, lattice);
}

}  // namespace lbm
