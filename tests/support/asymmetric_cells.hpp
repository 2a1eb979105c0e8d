#pragma once

// Places whose bits depend on everything that a rule can read, beside loops over arrays.

#include <mass/mass.hpp>
#include <mass/support/hash.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::testing {

using detail::mix;

/// Place whose bits depend on everything that a rule can read. The rule is asymmetric.
template <int D, int Reach>
class Cell : public Place<D> {
 public:
  static constexpr int reach = Reach;
  std::uint64_t value = 1;
  std::uint8_t parts[2] = {2, 3};
  std::uint16_t soil = 7;
  using Attributes = mass::Attributes<&Cell::value, &Cell::parts, constant<&Cell::soil>>;

  static MASS_FN std::uint64_t weight(std::uint64_t sum, const Cell& there, unsigned number) {
    return mix(sum + number) + there.value * 3 + there.parts[0] * std::uint64_t{5} +
           there.parts[1] * std::uint64_t{11} + there.soil;
  }
  MASS_FN void become(std::uint64_t sum, std::uint64_t index, std::uint64_t step,
                      std::uint64_t random, std::uint64_t salt) {
    value = mix(sum ^ index ^ (step << 32) ^ random ^ salt);
    parts[0] = static_cast<std::uint8_t>(value >> 8);
    parts[1] = static_cast<std::uint8_t>(parts[1] + (value & 3U));
  }
  MASS_FN void change(const Neighborhood<Cell>& near, std::uint64_t salt) {
    std::uint64_t sum = 0;
    unsigned number = 0;
    for (auto offset : moore<D>) sum = weight(sum, near(offset), ++number);
    Offset<D> far{};
    far[0] = Reach;
    sum = weight(sum, near(far), 100);
    far[0] = -Reach;
    far[D - 1] = Reach;
    sum = weight(sum, near(far), 200);
    become(sum, static_cast<std::uint64_t>(near.index()), near.step(), near.random()(), salt);
  }
  /// Changes `value` by its place alone.
  MASS_FN void age(const Here<D>& here, std::uint64_t salt) {
    value = mix(value ^ salt ^ here.step() ^ static_cast<std::uint64_t>(here.index()));
    parts[1] = static_cast<std::uint8_t>(parts[1] ^ parts[0]);
  }
  /// Writes `parts` alone. @param direction 1 or -1
  MASS_FN void changeParts(const Neighborhood<Cell>& near, int direction) {
    Offset<D> far{};
    far[0] = direction * Reach;
    parts[0] = static_cast<std::uint8_t>(near(far).parts[0] + near(far).value + near.step());
  }
};

/// State of a world in row-major order, advanced by loops.
template <int D, int Reach>
class Reference {
 public:
  using P = Cell<D, Reach>;

  Reference(Shape<D> shape, Border border, const P& outside, std::uint64_t seed)
      : shape_(shape), border_(border), outside_(outside), seed_(seed) {
    std::int64_t size = 1;
    for (int axis = 0; axis < D; ++axis) size *= shape[axis];
    cells_.resize(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) cells_[static_cast<std::size_t>(i)] = initial(i);
  }
  static P initial(std::int64_t index) {
    P cell;
    cell.value = mix(static_cast<std::uint64_t>(index));
    cell.parts[0] = static_cast<std::uint8_t>(cell.value >> 20);
    cell.soil = static_cast<std::uint16_t>(cell.value >> 40);
    return cell;
  }
  const std::vector<P>& cells() const { return cells_; }

  void change(std::uint64_t step, std::uint64_t salt) {
    std::vector<P> next = cells_;
    for (std::int64_t i = 0; i < std::ssize(cells_); ++i) {
      std::uint64_t sum = 0;
      unsigned number = 0;
      for (auto offset : moore<D>) sum = P::weight(sum, at(i, offset), ++number);
      Offset<D> far{};
      far[0] = Reach;
      sum = P::weight(sum, at(i, far), 100);
      far[0] = -Reach;
      far[D - 1] = Reach;
      sum = P::weight(sum, at(i, far), 200);
      Random random(detail::RandomKey{.seed = seed_,
                                      .index = static_cast<std::uint64_t>(i),
                                      .step = step,
                                      .call = 0,
                                      .population = 0,
                                      .stream = 0});
      next[static_cast<std::size_t>(i)].become(sum, static_cast<std::uint64_t>(i), step, random(),
                                               salt);
    }
    cells_ = next;
  }
  void changeParts(std::uint64_t step, int direction) {
    std::vector<P> next = cells_;
    for (std::int64_t i = 0; i < std::ssize(cells_); ++i) {
      Offset<D> far{};
      far[0] = direction * Reach;
      const P there = at(i, far);
      next[static_cast<std::size_t>(i)].parts[0] =
          static_cast<std::uint8_t>(there.parts[0] + there.value + step);
    }
    cells_ = next;
  }
  void age(std::uint64_t step, std::uint64_t salt) {
    for (std::int64_t i = 0; i < std::ssize(cells_); ++i) {
      P& cell = cells_[static_cast<std::size_t>(i)];
      cell.value = mix(cell.value ^ salt ^ step ^ static_cast<std::uint64_t>(i));
      cell.parts[1] = static_cast<std::uint8_t>(cell.parts[1] ^ cell.parts[0]);
    }
  }

 private:
  P at(std::int64_t index, const Offset<D>& offset) const {
    Coordinates<D> position{};
    for (int axis = D - 1; axis >= 0; --axis) {
      const std::int64_t n = shape_[axis];
      std::int64_t x = index % n + offset[axis];
      index /= n;
      if (x < 0 || x >= n) {
        if (border_ == Border::fixed) return outside_;
        // Goes back one place at a time, as a walker between mirrors or on a circle does.
        while (x < 0 || x >= n) {
          if (border_ == Border::periodic)
            x += x < 0 ? n : -n;
          else
            x = x < 0 ? -1 - x : 2 * n - 1 - x;
        }
      }
      position[axis] = x;
    }
    std::int64_t number = 0;
    for (int axis = 0; axis < D; ++axis) number = number * shape_[axis] + position[axis];
    return cells_[static_cast<std::size_t>(number)];
  }

  Shape<D> shape_;
  Border border_;
  P outside_;
  std::uint64_t seed_;
  std::vector<P> cells_;
};

/// Advances a world by both, in batches of several lengths.
/// @param weights shares of the devices in the rows, by batch from the second one on, in rotation;
///   empty: the partition does not change
template <int D, int Reach>
void compareOn(Mass& mass, Shape<D> shape, Border border, const std::vector<int>& batches,
               const std::vector<std::vector<double>>& weights = {}) {
  using P = Cell<D, Reach>;
  P outside;
  outside.value = 99;
  outside.parts[1] = 77;
  const auto places = mass.createPlaces<P>(shape, borders(border, outside));
  Reference<D, Reach> reference(shape, border, outside, 11);
  const auto numbered = [&](auto valueOf) {
    return [&, valueOf](const Coordinates<D>& at) {
      std::int64_t number = 0;
      for (int axis = 0; axis < D; ++axis) number = number * shape[axis] + at[axis];
      return valueOf(Reference<D, Reach>::initial(number));
    };
  };
  places.template initialise<&P::value>(numbered([](const P& cell) { return cell.value; }));
  places.template initialise<&P::soil>(numbered([](const P& cell) { return cell.soil; }));
  places.template initialise<&P::parts>(numbered([](const P& cell) {
    return std::array<std::uint8_t, 2>{cell.parts[0], cell.parts[1]};
  }));
  std::uint64_t step = 0;
  const auto check = [&] {
    const auto values = places.template download<&P::value>();
    const auto parts = places.template download<&P::parts>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i], reference.cells()[i].value) << "place " << i << " at step " << step;
      ASSERT_EQ(parts[i][0], reference.cells()[i].parts[0]) << "place " << i;
      ASSERT_EQ(parts[i][1], reference.cells()[i].parts[1]) << "place " << i;
    }
  };
  std::size_t batch = 0;
  for (const int count : batches) {
    if (batch++ > 0 && !weights.empty())
      mass.repartition(places, RowPartition(shape[0], weights[batch % weights.size()]).bands());
    const std::uint64_t salt = static_cast<std::uint64_t>(count);
    places.template callAll<&P::change>(steps(count), salt);
    for (int k = 0; k < count; ++k) reference.change(step++, salt);
    check();
    places.template callAll<&P::changeParts>(steps(3), writes<&P::parts>, 1);
    for (int k = 0; k < 3; ++k) reference.changeParts(step++, 1);
    check();
    // The second and the third rule read what the first has written.
    constexpr auto parts = writing<&P::changeParts, &P::parts>;
    places.template callAll<inTurn<&P::change, parts, parts>>(steps(count), salt, 1, -1);
    for (int k = 0; k < count; ++k) {
      reference.change(step++, salt);
      reference.changeParts(step++, 1);
      reference.changeParts(step++, -1);
    }
    check();
    places.template callAll<inTurn<&P::age, &P::change>>(steps(2), salt);
    for (int k = 0; k < 2; ++k) {
      reference.age(step++, salt);
      reference.change(step++, salt);
    }
    check();
  }
}

}  // namespace mass::testing
