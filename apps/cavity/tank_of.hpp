#pragma once

#include <apps/cavity/course.hpp>
#include <apps/cavity/tank.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cavity {

/// A tank of places of class F: Fluid or MomentFluid.
template <class F>
class TankOf final : public Tank {
 public:
  using L = typename F::Lattice;
  using Real = typename F::Number;
  static constexpr int D = L::dimensions;
  static constexpr std::size_t missing = 3 - D;  ///< axes that Problem has and the lattice has not

  TankOf(mass::Mass& mass, const Problem& problem)
      : cells_(mass.createPlaces<F>(narrow(problem.cells), optionsOf(problem))),
        course_(problem),
        walls_(wallsOf(problem)) {
    cells_.template upload<&F::kind>(kindsOf(problem));
    TankOf::start(mass, problem);
    // So that bytes() is what a run takes, and what there is no memory for is refused before it.
    course_.reserve(cells_, walls_);
  }

  /// Some cells at a time: how a cell begins takes a fifth of the cell's memory, or more.
  void start(mass::Mass& mass, const Problem& problem) override {
    const auto atOnce =
        static_cast<std::size_t>(std::max(problem.cellCount() / 8, std::int64_t{1} << 24));
    std::vector<Observed<D>> wanted;
    std::int64_t first = 0;
    const auto set = [&] {
      cells_.template callAll<&F::set>(first, mass.share(wanted));
      first += static_cast<std::int64_t>(wanted.size());
      wanted.clear();
    };
    forEachCell(problem.cells, [&](const std::array<std::int64_t, 3>& cell) {
      wanted.push_back(narrow(problem.start(cell)));
      if (wanted.size() == atOnce) set();
    });
    if (!wanted.empty()) set();
    cells_.setStep(0);
  }
  void advance(mass::Steps steps) override { course_.advance(cells_, walls_, steps); }
  std::vector<Observed<3>> observed() const override {
    std::vector<Observed<3>> all;
    for (const Observed<D>& one : cells_.template map<&F::observed>(course_.reading()))
      all.push_back(widen(one));
    return all;
  }
  std::vector<Observed<3>> observed(const std::array<std::int64_t, 3>& low,
                                    const std::array<std::int64_t, 3>& high) const override {
    if (low == std::array<std::int64_t, 3>{} && high == sizeOf(cells_.shape())) return observed();
    std::vector<Observed<3>> box;
    for (const F& cell : cells_.download(narrow(low), narrow(high)))
      box.push_back(widen(cell.observed(course_.reading())));
    return box;
  }
  double excess() const override { return mean(cells_.template reduce<&F::excess>(mass::sum)); }
  double energy() const override {
    return mean(cells_.template reduce<&F::energy>(mass::sum, course_.reading()));
  }
  std::array<double, 3> push() const override {
    const Sums sums = cells_.template reduce<&F::push>(AddSums{}, walls_);
    std::array<double, 3> all{};
    for (std::size_t axis = 0; axis < D; ++axis) all[axis + missing] = sums.of[axis];
    return all;
  }
  double fastest() const override {
    return std::sqrt(cells_.template reduce<&F::squaredSpeed>(mass::maximum, course_.reading()));
  }
  Broken broken() const override {
    const auto all = cells_.template map<&F::isBroken>(course_.reading());
    Broken broken;
    auto one = all.begin();
    forEachCell(sizeOf(cells_.shape()), [&](const std::array<std::int64_t, 3>& cell) {
      if (!*one++) return;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        broken.low[axis] = broken.count == 0 ? cell[axis] : std::min(broken.low[axis], cell[axis]);
        broken.high[axis] = std::max(broken.high[axis], cell[axis]);
      }
      ++broken.count;
    });
    return broken;
  }
  std::uint64_t hash() const override { return cells_.hash(); }
  std::size_t bytes() const override { return cells_.bytes(); }
  void writeData(mass::Simulation& run, double spacing,
                 const std::function<mass::DataFrame()>& frame) const override {
    run.data(cells_, spacing, frame);
  }

 private:
  double mean(double sum) const { return sum / static_cast<double>(cells_.size()); }
  static Observed<D> narrow(const Observed<3>& wide) {
    Observed<D> one;
    one.density = wide.density;
    for (std::size_t axis = 0; axis < D; ++axis) one.velocity[axis] = wide.velocity[axis + missing];
    return one;
  }
  static Observed<3> widen(const Observed<D>& narrow) {
    Observed<3> one;
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
  static const Face<3, double>& faceOf(const Problem& problem, std::size_t axis, std::size_t end) {
    return problem.faces[2 * (axis + missing) + end];
  }
  static mass::PlacesOptions<F> optionsOf(const Problem& problem) {
    mass::PlacesOptions<F> options;
    for (std::size_t axis = 0; axis < D; ++axis) {
      options.borders[axis] = faceOf(problem, axis, 0).kind == FaceKind::periodic
                                  ? mass::Border::periodic
                                  : mass::Border::fixed;
    }
    options.name = "fluid";
    return options;
  }
  static Walls<L, Real> wallsOf(const Problem& problem) {
    Walls<L, Real> walls;
    walls.rest = F::rest;
    for (std::size_t axis = 0; axis < D; ++axis) {
      for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
        const Face<3, double>& face = faceOf(problem, axis, end);
        Face<D, Real>& mine = walls.faces[2 * axis + end];
        mine.kind = face.kind;
        mine.density = static_cast<Real>(face.density);
        if (face.kind == FaceKind::wall) continue;
        for (std::size_t along = 0; along < D; ++along)
          mine.velocity[along] = static_cast<Real>(face.velocity[along + missing]);
      }
    }
    return walls;
  }

  template <class Body>
  static void forEachCell(const std::array<std::int64_t, 3>& cells, Body&& body) {
    for (std::int64_t z = 0; z < cells[0]; ++z) {
      for (std::int64_t y = 0; y < cells[1]; ++y) {
        for (std::int64_t x = 0; x < cells[2]; ++x) body(std::array<std::int64_t, 3>{z, y, x});
      }
    }
  }
  /// A solid cell makes all cells around it, beyond periodic faces too, cells beside it.
  static std::vector<mass::Passage> kindsOf(const Problem& problem) {
    std::vector<mass::Passage> kinds;
    kinds.reserve(static_cast<std::size_t>(problem.cellCount()));
    forEachCell(problem.cells, [&](const std::array<std::int64_t, 3>& cell) {
      bool isAtFace = false;
      for (std::size_t axis = missing; axis < 3; ++axis) {
        const bool isWalled = problem.faces[2 * axis].kind != FaceKind::periodic;
        isAtFace |= isWalled && (cell[axis] == 0 || cell[axis] == problem.cells[axis] - 1);
      }
      kinds.push_back(isAtFace ? mass::Passage::bordered : mass::Passage::open);
    });
    if (problem.solid.empty()) return kinds;
    const auto number = [&](const std::array<std::int64_t, 3>& cell) {
      return static_cast<std::size_t>((cell[0] * problem.cells[1] + cell[1]) * problem.cells[2] +
                                      cell[2]);
    };
    forEachCell(problem.cells, [&](const std::array<std::int64_t, 3>& cell) {
      if (problem.solid[number(cell)] == 0) return;
      forEachCell({3, 3, 3}, [&](const std::array<std::int64_t, 3>& offset) {
        std::array<std::int64_t, 3> near{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const std::int64_t length = problem.cells[axis];
          near[axis] = cell[axis] + offset[axis] - 1;
          const bool isOut = near[axis] < 0 || near[axis] >= length;
          if (isOut && problem.faces[2 * axis].kind != FaceKind::periodic) return;
          near[axis] = (near[axis] + length) % length;
        }
        kinds[number(near)] = mass::Passage::obstructed;
      });
    });
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (problem.solid[i] != 0) kinds[i] = mass::Passage::blocked;
    }
    return kinds;
  }

  mass::Places<F> cells_;
  Course<F> course_;
  Walls<L, Real> walls_;
};

}  // namespace cavity
