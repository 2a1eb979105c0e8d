// Several steps in one pass and between exchanges, compared with loops over arrays.

#include "../../support/mass_on_ranks.hpp"

#include <mass/mass.hpp>
#include <mass/support/hash.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace {

using mass::Border;
using mass::Coordinates;
using mass::Offset;
using mass::Shape;
using mass::detail::mix;
using mass::testing::RankSetup;

/// Place whose bits depend on everything that a rule can read. The rule is asymmetric.
template <int D, int Reach>
class Cell : public mass::Place<D> {
 public:
  static constexpr int reach = Reach;
  std::uint64_t value = 1;
  std::uint8_t parts[2] = {2, 3};
  std::uint16_t soil = 7;
  using Attributes = mass::Attributes<&Cell::value, &Cell::parts, mass::constant<&Cell::soil>>;

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
  MASS_FN void change(const mass::Neighborhood<Cell>& near, std::uint64_t salt) {
    std::uint64_t sum = 0;
    unsigned number = 0;
    for (auto offset : mass::moore<D>) sum = weight(sum, near(offset), ++number);
    Offset<D> far{};
    far[0] = Reach;
    sum = weight(sum, near(far), 100);
    far[0] = -Reach;
    far[D - 1] = Reach;
    sum = weight(sum, near(far), 200);
    become(sum, static_cast<std::uint64_t>(near.index()), near.step(), near.random()(), salt);
  }
  /// Changes `value` by its place alone.
  MASS_FN void age(const mass::Here<D>& here, std::uint64_t salt) {
    value = mix(value ^ salt ^ here.step() ^ static_cast<std::uint64_t>(here.index()));
    parts[1] = static_cast<std::uint8_t>(parts[1] ^ parts[0]);
  }
  /// Writes `parts` alone. @param direction 1 or -1
  MASS_FN void changeParts(const mass::Neighborhood<Cell>& near, int direction) {
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
      for (auto offset : mass::moore<D>) sum = P::weight(sum, at(i, offset), ++number);
      Offset<D> far{};
      far[0] = Reach;
      sum = P::weight(sum, at(i, far), 100);
      far[0] = -Reach;
      far[D - 1] = Reach;
      sum = P::weight(sum, at(i, far), 200);
      mass::Random random(mass::detail::RandomKey{.seed = seed_,
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
    mass::Coordinates<D> position{};
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
template <int D, int Reach>
void compareOn(mass::Mass& mass, Shape<D> shape, Border border, const std::vector<int>& batches) {
  using P = Cell<D, Reach>;
  P outside;
  outside.value = 99;
  outside.parts[1] = 77;
  const auto places = mass.createPlaces<P>(shape, mass::borders(border, outside));
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
  for (const int steps : batches) {
    const std::uint64_t salt = static_cast<std::uint64_t>(steps);
    places.template callAll<&P::change>(mass::steps(steps), salt);
    for (int k = 0; k < steps; ++k) reference.change(step++, salt);
    check();
    places.template callAll<&P::changeParts>(mass::steps(3), mass::writes<&P::parts>, 1);
    for (int k = 0; k < 3; ++k) reference.changeParts(step++, 1);
    check();
    // The second and the third rule read what the first has written.
    constexpr auto parts = mass::writing<&P::changeParts, &P::parts>;
    places.template callAll<mass::inTurn<&P::change, parts, parts>>(mass::steps(steps), salt, 1,
                                                                     -1);
    for (int k = 0; k < steps; ++k) {
      reference.change(step++, salt);
      reference.changeParts(step++, 1);
      reference.changeParts(step++, -1);
    }
    check();
    places.template callAll<mass::inTurn<&P::age, &P::change>>(mass::steps(2), salt);
    for (int k = 0; k < 2; ++k) {
      reference.age(step++, salt);
      reference.change(step++, salt);
    }
    check();
  }
}

template <int D, int Reach>
void compare(Shape<D> shape, Border border, const RankSetup& setup,
             const std::vector<int>& batches = {7, 1, 33}) {
  if (setup.deviceCount() > shape[0]) return;
  SCOPED_TRACE(fmt::format("{}-D, {} rows, reach {}, border {}, {}", D, shape[0], Reach,
                           static_cast<int>(border), fmt::join(setup.more, ", ")));
  mass::testing::onRanks(setup,
                         [&](mass::Mass& mass) { compareOn<D, Reach>(mass, shape, border, batches); });
}

/// Compares worlds of several sizes and reaches.
void compareWorlds(Border border, const RankSetup& setup) {
  for (const std::int64_t rows : {3, 7, 101}) {
    compare<1, 1>({rows}, border, setup);
    compare<1, 3>({rows}, border, setup);
    compare<2, 1>({rows, 13}, border, setup);
    compare<2, 2>({rows, 5}, border, setup);
  }
  compare<2, 1>({3, 1}, border, setup);
  compare<2, 1>({300, 2}, border, setup);
  compare<3, 1>({11, 3, 5}, border, setup);
  compare<3, 2>({5, 2, 7}, border, setup);
  compare<2, 2>({1, 1}, border, setup);
}

/// Compares worlds in which bands have several rows, or fewer than a cycle asks for.
void compareCycles(Border border, const RankSetup& setup) {
  compare<1, 2>({101}, border, setup);
  compare<2, 1>({67, 13}, border, setup);
  compare<2, 2>({101, 5}, border, setup);
  compare<3, 1>({61, 3, 5}, border, setup);
}

class PassesTest : public ::testing::TestWithParam<std::tuple<Border, int, int, int>> {};

INSTANTIATE_TEST_SUITE_P(Passes, PassesTest,
                         ::testing::Combine(::testing::Values(Border::periodic, Border::fixed,
                                                              Border::mirrored),
                                            ::testing::Values(1, 3), ::testing::Values(1, 5),
                                            ::testing::Values(1, 3, 8, 16)));

TEST_P(PassesTest, HaveTheBitsOfLoopsOverArrays) {
  const auto [border, devices, threads, steps] = GetParam();
  compareWorlds(border, {.devices = {devices},
                         .threads = threads,
                         .more = {fmt::format("steps_per_pass={}", steps), "seed=11"}});
}

/// Border, steps per exchange, steps per pass.
class CyclesTest : public ::testing::TestWithParam<std::tuple<Border, std::string, std::string>> {};

INSTANTIATE_TEST_SUITE_P(Cycles, CyclesTest,
                         ::testing::Combine(::testing::Values(Border::periodic, Border::fixed,
                                                              Border::mirrored),
                                            ::testing::Values("1", "3", "8", "auto"),
                                            ::testing::Values("1", "auto")));

TEST_P(CyclesTest, HaveTheBitsOfLoopsOverArraysOnRanks) {
  const auto [border, every, perPass] = GetParam();
  const std::vector<std::string> more{"exchange_every=" + every, "steps_per_pass=" + perPass,
                                      "seed=11"};
  for (RankSetup setup : mass::testing::usualRanks()) {
    setup.more = more;
    compareCycles(border, setup);
    if (every == "1" || every == "auto") compare<2, 1>({7, 3}, border, setup);
  }
}

TEST(Cycles, GetLongerDuringARun) {
  // Trials of 1, 4 and more steps per exchange, and cycles of the selected number.
  const RankSetup setup{.devices = {1, 2}, .threads = 2, .more = {"seed=11"}};
  for (const Border border : {Border::periodic, Border::fixed, Border::mirrored})
    compare<2, 1>({131, 7}, border, setup, {100, 5, 1700, 31});
}

TEST(Cycles, AreRefusedIfNoDeviceHasSoManyRows) {
  RankSetup setup{.devices = {1, 1}, .more = {"exchange_every=9"}};
  mass::testing::runOnThreadRanks(2, [&](mass::detail::Ranks& ranks) {
    mass::Mass mass = mass::testing::makeMass(ranks, setup);
    const auto create = [&](std::int64_t rows) {
      return mass.createPlaces<Cell<2, 2>>({rows, 5}, {.name = fmt::format("{} rows", rows)});
    };
    try {
      create(34);
      ADD_FAILURE() << "no error";
    } catch (const mass::SettingsError& error) {
      EXPECT_STREQ(error.what(),
                   "--set exchange_every=9: needs 18 rows of each neighbour, more than any device "
                   "has: at most 8 steps are possible");
    }
    create(35);
  });
}

}  // namespace
