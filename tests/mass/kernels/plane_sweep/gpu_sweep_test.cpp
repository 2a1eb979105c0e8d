// Star sweeps and count sweeps on GPUs, compared with loops over arrays.

#include <mass/backend/gpus.hpp>
#include <mass/dispatch/launch_cache.hpp>
#include <mass/mass.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using mass::Border;
using mass::Coordinates;
using mass::Mass;

constexpr std::array kinds{Border::periodic, Border::fixed, Border::mirrored};

struct World {
  std::array<std::int64_t, 3> shape;
  std::array<Border, 3> borders;
};

/// Returns the weight of the neighbour `distance` places before (end 0) or after (end 1) a place.
template <class Real>
MASS_FN Real weightOf(int axis, int end, int distance) {
  return static_cast<Real>(0.01) * static_cast<Real>(2 * axis + end + 1) /
         static_cast<Real>(distance);
}

/// Place with a rule that distinguishes all neighbours along the axes.
template <class Real, int reach_, class Code = std::uint32_t>
class Cell : public mass::Place<3> {
 public:
  static constexpr int reach = reach_;
  static constexpr auto reads = mass::alongAxes;
  Real warmth = 0;
  Code code = 0;
  float conductivity = 0;
  using Attributes =
      mass::Attributes<&Cell::warmth, &Cell::code, mass::constant<&Cell::conductivity>>;

  /// @param at(axis, steps) returns the place `steps` along an axis
  template <class At>
  MASS_FN static void mixWith(Cell& cell, const At& at, std::uint32_t salt) {
    Real sum = 0;
    std::uint32_t code = salt;
    for (int axis = 0; axis < 3; ++axis) {
      for (int d = 1; d <= reach; ++d) {
        for (int end = 0; end < 2; ++end) {
          const Cell other = at(axis, end == 0 ? -d : d);
          sum +=
              weightOf<Real>(axis, end, d) * other.warmth * static_cast<Real>(other.conductivity);
          code = (code ^ other.code) * 16777619U + 1;
        }
      }
    }
    cell.warmth = cell.warmth * static_cast<Real>(cell.conductivity) + sum;
    cell.code = static_cast<Code>(cell.code * 5U + code);
  }
  MASS_FN void mix(const mass::Neighborhood<Cell>& near, std::uint32_t salt) {
    const auto at = [&](int axis, int steps) {
      return axis == 0 ? near(steps, 0, 0) : axis == 1 ? near(0, steps, 0) : near(0, 0, steps);
    };
    mixWith(*this, at,
            salt + static_cast<std::uint32_t>(near.index() * 3) +
                static_cast<std::uint32_t>(near.step()));
  }
  /// Writes one attribute only.
  MASS_FN void warm(const mass::Neighborhood<Cell>& near) {
    warmth = static_cast<Real>(0.25) * (near.template get<&Cell::warmth>({0, 0, -reach}) +
                                        near.template get<&Cell::warmth>({reach, 0, 0}));
  }
};

/// Returns the position of which a position beyond the border is an image; -1 for none.
std::int64_t inside(std::int64_t x, std::int64_t n, Border border) {
  if (x >= 0 && x < n) return x;
  if (border == Border::fixed) return -1;
  if (border == Border::periodic) return (x % n + n) % n;
  const std::int64_t m = (x % (2 * n) + 2 * n) % (2 * n);
  return m < n ? m : 2 * n - 1 - m;
}

/// World of Cells in arrays.
template <class P>
struct Model {
  World world;
  P outside;
  std::vector<P> cells;

  P at(std::array<std::int64_t, 3> position) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      position[axis] = inside(position[axis], world.shape[axis], world.borders[axis]);
      if (position[axis] < 0) return outside;
    }
    return cells[static_cast<std::size_t>(
        (position[0] * world.shape[1] + position[1]) * world.shape[2] + position[2])];
  }
  /// Calls rule(cell, at, number) for the cells of the next step; at(axis, steps) is a neighbour.
  template <class Rule>
  void step(const Rule& rule) {
    std::vector<P> next = cells;
    std::size_t number = 0;
    for (std::int64_t z = 0; z < world.shape[0]; ++z) {
      for (std::int64_t y = 0; y < world.shape[1]; ++y) {
        for (std::int64_t x = 0; x < world.shape[2]; ++x, ++number) {
          const auto beside = [&](int axis, int steps) {
            std::array<std::int64_t, 3> position{z, y, x};
            position[static_cast<std::size_t>(axis)] += steps;
            return at(position);
          };
          rule(next[number], beside, static_cast<std::uint32_t>(number));
        }
      }
    }
    cells = next;
  }
};

template <class P>
Model<P> modelOf(const World& world) {
  Model<P> model{world, {}, {}};
  model.outside.warmth = 3;
  model.outside.code = 77;
  model.outside.conductivity = 0.5F;
  std::uint32_t number = 0;
  for (std::int64_t i = world.shape[0] * world.shape[1] * world.shape[2]; i > 0; --i) {
    P cell;
    const std::uint32_t code = ++number * 2654435761U;
    cell.code = static_cast<decltype(cell.code)>(code >> 4);
    cell.warmth = static_cast<decltype(cell.warmth)>(code >> 8) / 65536;
    cell.conductivity = static_cast<float>(number % 7) / 8;
    model.cells.push_back(cell);
  }
  return model;
}

template <class P, class T>
std::vector<T> column(const std::vector<P>& cells, T P::*member) {
  std::vector<T> values;
  for (const P& cell : cells) values.push_back(cell.*member);
  return values;
}

/// Runs the rules on GPUs and in loops, and expects the same bits.
template <class P>
void expectSame(const World& world, const std::string& tile, int devices,
                const std::string& partition = "rows") {
  mass::Settings settings;
  settings.set("partition=" + partition);
  settings.set("backend=cuda");
  settings.set(fmt::format("devices={}", devices));
  settings.set("tile=" + tile);
  settings.set("MAX_PLACE_EXCHANGE=4");
  Mass mass(settings);
  Model<P> model = modelOf<P>(world);
  auto options = mass::borders(Border::periodic, model.outside);
  options.borders = world.borders;
  const auto places =
      mass.createPlaces<P>({world.shape[0], world.shape[1], world.shape[2]}, options);
  places.template upload<&P::warmth>(column(model.cells, &P::warmth));
  places.template upload<&P::code>(column(model.cells, &P::code));
  places.template upload<&P::conductivity>(column(model.cells, &P::conductivity));
  std::uint32_t step = 0;
  for (const int steps : {1, 3}) {
    places.template callAll<&P::mix>(mass::steps(steps), std::uint32_t{9});
    for (int k = 0; k < steps; ++k, ++step) {
      model.step([&](P& cell, const auto& at, std::uint32_t number) {
        P::mixWith(cell, at, 9 + number * 3 + step);
      });
    }
    places.template callAll<&P::warm>(mass::writes<&P::warmth>);
    ++step;
    model.step([](P& cell, const auto& at, std::uint32_t) {
      using Real = decltype(cell.warmth);
      cell.warmth = static_cast<Real>(0.25) * (at(2, -P::reach).warmth + at(0, P::reach).warmth);
    });
  }
  const auto where = fmt::format("{} x {} x {}, borders {} {} {}, {}, {} devices", world.shape[0],
                                 world.shape[1], world.shape[2], static_cast<int>(world.borders[0]),
                                 static_cast<int>(world.borders[1]),
                                 static_cast<int>(world.borders[2]), tile, devices);
  EXPECT_EQ(places.template download<&P::code>(), column(model.cells, &P::code)) << where;
  EXPECT_EQ(places.template download<&P::warmth>(), column(model.cells, &P::warmth)) << where;
}

/// True if the rules of P have a star sweep of this shape in a world of one device.
template <class P>
bool hasSweep(const World& world, const std::string& tile) {
  const auto domain = mass::detail::domainOf<P>(
      mass::Shape<3>{world.shape[0], world.shape[1], world.shape[2]}, world.borders);
  const auto layout = mass::detail::Layout::of(domain, world.shape[0]);
  const auto* const kernel = mass::detail::changeGpuKernel<P, &P::mix, mass::detail::WritesAll>();
  return fits(mass::detail::parseShape(tile).value(), *kernel, layout);
}

class GpuStarSweep : public ::testing::Test {
 protected:
  void SetUp() override {
    if (mass::detail::usableGpus() == 0) GTEST_SKIP() << "no GPU";
  }
};

template <class P>
void compare() {
  const int most = mass::detail::usableGpus() < 3 ? mass::detail::usableGpus() : 3;
  // Each pair of borders along two axes, in blocks smaller and larger than the world.
  for (std::size_t first = 0; first < 3; ++first) {
    for (std::size_t second = 0; second < 3; ++second) {
      const World world{{13, 11, 140}, {kinds[first], kinds[second], kinds[(first + second) % 3]}};
      const std::string tile = fmt::format("{}x4x32x12m", first == second ? 16 : 8);
      ASSERT_TRUE(hasSweep<P>(world, tile));
      expectSame<P>(world, tile, 1 + static_cast<int>(first + second) % most);
    }
  }
  for (const Border border : kinds) {
    const std::array<Border, 3> borders{border, border, border};
    for (const World& world : {World{{1, 1, 8}, borders}, World{{3, 2, 16}, borders}}) {
      const std::string tile = "4x4x32x12m";
      ASSERT_TRUE(hasSweep<P>(world, tile));
      expectSame<P>(world, tile, 1);
    }
    expectSame<P>({{9, 17, 36}, borders}, "2x4x32x16m", most);
    const World high{{19, 25, 128}, borders};  // more rows than tiles
    ASSERT_TRUE(hasSweep<P>(high, "32x4x32x12m"));
    expectSame<P>(high, "32x4x32x12m", 1);
    const World wide{{13, 41, 128}, borders};
    if (hasSweep<P>(wide, "7x4x32x20m")) expectSame<P>(wide, "7x4x32x20m", most);
    // A line is a pack, or has no whole packs: other kernels.
    for (const World& other : {World{{3, 3, 4}, borders}, World{{7, 5, 37}, borders}}) {
      ASSERT_FALSE(hasSweep<P>(other, "8x4x32x12m"));
      expectSame<P>(other, "8x4x32x12m", most);
    }
  }
  if (sizeof(P::warmth) == 4 && P::reach < 4) {  // tiles of others do not fit
    ASSERT_TRUE(hasSweep<P>({{13, 41, 128}, {}}, "7x4x32x20m"));
  }
}

TEST_F(GpuStarSweep, OfReach1HasTheBitsOfLoops) {
  compare<Cell<float, 1>>();
  compare<Cell<double, 1>>();
  compare<Cell<float, 1, std::uint8_t>>();
}
TEST_F(GpuStarSweep, OfReach2HasTheBitsOfLoops) {
  compare<Cell<float, 2>>();
  compare<Cell<double, 2>>();
}
TEST_F(GpuStarSweep, OfReach3HasTheBitsOfLoops) {
  compare<Cell<float, 3>>();
  compare<Cell<double, 3>>();
}
TEST_F(GpuStarSweep, OfReach4HasTheBitsOfLoops) {
  compare<Cell<float, 4>>();
  // Tiles of 12 bytes a place do not fit.
  compare<Cell<double, 4, std::uint16_t>>();
}

// Blocks of 8 and 7 columns: the first ones have whole packs, the others have not.
TEST_F(GpuStarSweep, SuitsAllBlocks) {
  if (mass::detail::usableGpus() < 2) GTEST_SKIP() << "one GPU";
  for (const Border border : kinds)
    expectSame<Cell<float, 1>>({{13, 17, 15}, {border, border, border}}, "8x4x32x12m", 2, "1x1x2");
}

/// Place of one bool, with a rule that counts its neighbours and reads one of them by itself.
class Bit : public mass::Place<3> {
 public:
  bool alive = false;
  using Attributes = mass::Attributes<&Bit::alive>;

  MASS_FN void next(const mass::Neighborhood<Bit>& near, std::uint32_t counts) {
    const auto around = near.count<&Bit::alive>(mass::moore<3>);
    set(around, near(-1, 1, -1).alive, counts);
  }
  /// @param around number of living neighbours, 0 to 26
  MASS_FN void set(std::uint32_t around, bool corner, std::uint32_t counts) {
    alive = ((counts >> around & 1U) != 0) != (corner && alive);
  }
};

/// Place of one bool with a reach of more than a pack.
class FarBit : public mass::Place<3> {
 public:
  static constexpr int reach = 5;
  bool alive = false;
  using Attributes = mass::Attributes<&FarBit::alive>;

  MASS_FN void next(const mass::Neighborhood<FarBit>& near) { alive = near(0, 0, 5).alive; }
};

/// Runs the rule on GPUs and in loops, and expects the same bools.
void expectSameBits(const World& world, const std::string& tile, int devices) {
  mass::Settings settings;
  settings.set("backend=cuda");
  settings.set(fmt::format("devices={}", devices));
  settings.set("tile=" + tile);
  Mass mass(settings);
  Model<Bit> model{world, {}, {}};
  model.outside.alive = true;
  std::uint32_t number = 0;
  for (std::int64_t i = world.shape[0] * world.shape[1] * world.shape[2]; i > 0; --i) {
    Bit cell;
    cell.alive = (++number * 2654435761U >> 30) == 0;
    model.cells.push_back(cell);
  }
  auto options = mass::borders(Border::periodic, model.outside);
  options.borders = world.borders;
  const auto places =
      mass.createPlaces<Bit>({world.shape[0], world.shape[1], world.shape[2]}, options);
  places.upload<&Bit::alive>(column(model.cells, &Bit::alive));
  const std::uint32_t counts = 0x2d3a5e4;
  places.callAll<&Bit::next>(mass::steps(4), counts);
  for (int step = 0; step < 4; ++step) {
    const Model<Bit> last = model;
    for (std::size_t i = 0; i < model.cells.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i), columns = world.shape[2];
      const std::array here{at / columns / world.shape[1], at / columns % world.shape[1],
                            at % columns};
      std::uint32_t around = 0;
      for (int k = 0; k < 27; ++k)
        around +=
            k != 13 &&
            last.at({here[0] + k / 9 - 1, here[1] + k / 3 % 3 - 1, here[2] + k % 3 - 1}).alive;
      model.cells[i].set(around, last.at({here[0] - 1, here[1] + 1, here[2] - 1}).alive, counts);
    }
  }
  EXPECT_EQ(places.download<&Bit::alive>(), column(model.cells, &Bit::alive))
      << world.shape[2] << " columns, borders " << static_cast<int>(world.borders[0])
      << static_cast<int>(world.borders[1]) << static_cast<int>(world.borders[2]) << ", " << tile
      << ", " << devices << " devices";
}

TEST_F(GpuStarSweep, CountsHaveTheBitsOfLoops) {
  const int most = mass::detail::usableGpus() < 3 ? mass::detail::usableGpus() : 3;
  const auto* const kernel =
      mass::detail::changeGpuKernel<Bit, &Bit::next, mass::detail::WritesAll>();
  ASSERT_NE(kernel->planeSweep({4, 32, 12}).function, nullptr);
  const auto* const far =
      mass::detail::changeGpuKernel<FarBit, &FarBit::next, mass::detail::WritesAll>();
  EXPECT_EQ(far->planeSweep({4, 32, 12}).function, nullptr);
  for (std::size_t first = 0; first < 3; ++first) {
    for (std::size_t second = 0; second < 3; ++second) {
      const std::array<Border, 3> borders{kinds[first], kinds[second], kinds[(first + second) % 3]};
      const int devices = 1 + static_cast<int>(first + second) % most;
      expectSameBits({{11, 10, 140}, borders}, first == second ? "8x4x32x16m" : "4x4x32x12m",
                     devices);
    }
  }
  const std::array<Border, 3> mixed{Border::mirrored, Border::periodic, Border::fixed};
  expectSameBits({{1, 1, 4}, mixed}, "4x4x32x12m", 1);
  expectSameBits({{7, 5, 37}, mixed}, "4x4x32x12m", most);  // no whole packs: another kernel
}

}  // namespace
