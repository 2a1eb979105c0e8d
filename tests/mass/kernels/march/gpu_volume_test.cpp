// Marches in space on a GPU, compared with loops over arrays and with single steps on CPUs.

#include <mass/backend/gpus.hpp>
#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using mass::Border;
using mass::Coordinates;
using mass::Mass;
using mass::Shape;

constexpr Border allBorders[] = {Border::periodic, Border::fixed, Border::mirrored};

struct World {
  Shape<3> shape;
  std::array<Border, 3> borders;
};

/// @param devices number of devices, which exchange by copies
Mass makeMass(const std::string& backend, const std::string& stepsPerPass, int devices = 1) {
  mass::Settings settings;
  settings.set("backend=" + backend);
  settings.set("devices=" + std::to_string(devices));
  settings.set("exchange=copy");
  settings.set("steps_per_pass=" + stepsPerPass);
  settings.set("threads=1");
  settings.set("seed=5");
  return Mass(settings);
}

template <class P>
mass::Places<P> placesOf(Mass& mass, const World& world, const P& outside) {
  auto options = mass::borders(Border::periodic, outside);
  options.borders = world.borders;
  return mass.createPlaces<P>(world.shape, options);
}

std::string nameOf(const World& world) {
  std::string name;
  for (int axis = 0; axis < 3; ++axis)
    name += std::to_string(world.shape[axis]) + " x borders " +
            std::to_string(static_cast<int>(world.borders[static_cast<std::size_t>(axis)])) + ", ";
  return name;
}

std::uint32_t mixed(std::int64_t number) {
  auto x = static_cast<std::uint32_t>(number) * 2654435761U;
  x ^= x >> 15;
  return x * 2246822519U;
}

std::size_t placesIn(const World& world) {
  return static_cast<std::size_t>(world.shape[0] * world.shape[1] * world.shape[2]);
}

/// Returns the index of a place, or `none` beyond a fixed border.
constexpr std::size_t none = ~std::size_t{0};
std::size_t indexIn(const World& world, Coordinates<3> at) {
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t size = world.shape[axis];
    if (at[axis] >= 0 && at[axis] < size) continue;
    const Border border = world.borders[static_cast<std::size_t>(axis)];
    if (border == Border::fixed) return none;
    const bool isBefore = at[axis] < 0;
    if (border == Border::periodic) at[axis] += isBefore ? size : -size;
    if (border == Border::mirrored) at[axis] = isBefore ? 0 : size - 1;
  }
  return static_cast<std::size_t>((at[0] * world.shape[1] + at[1]) * world.shape[2] + at[2]);
}

/// Calls f(index, near) for all places, with near(axis, side) the index of a neighbour.
template <class F>
void forEachPlace(const World& world, const F& f) {
  std::size_t index = 0;
  for (std::int64_t i = 0; i < world.shape[0]; ++i) {
    for (std::int64_t j = 0; j < world.shape[1]; ++j) {
      for (std::int64_t k = 0; k < world.shape[2]; ++k, ++index) {
        const Coordinates<3> own{i, j, k};
        f(index, own, [&](int axis, int side) {
          Coordinates<3> at = own;
          at[axis] += side;
          return indexIn(world, at);
        });
      }
    }
  }
}

/// Returns worlds whose sizes are no multiples of those of a block; fewer on emulated GPUs, which
/// are slow. @param hasAllBorders with all 27 combinations of borders, else with 3 of them
std::vector<World> worlds(bool hasAllBorders) {
  const bool isEmulated = std::getenv("EMULATED_GPUS") != nullptr;
  std::vector<World> all;
  for (const Border ofRows : allBorders) {
    for (const Border ofLines : allBorders) {
      for (const Border ofColumns : allBorders) {
        if (!hasAllBorders && (ofRows != ofLines || ofLines != ofColumns)) continue;
        all.push_back({{19, 17, 22}, {ofRows, ofLines, ofColumns}});
        const bool isUniform = ofRows == ofLines && ofLines == ofColumns;
        if (isEmulated && (!hasAllBorders || !isUniform)) continue;
        all.push_back({{17, 67, 66}, {ofRows, ofLines, ofColumns}});
        if (!isEmulated) all.push_back({{16, 53, 56}, {ofRows, ofLines, ofColumns}});
      }
    }
  }
  const auto three = [](Border border) { return std::array{border, border, border}; };
  // The last line is in the margin of the last block but one.
  for (const std::int64_t lines : {36, 46, 54}) {
    const Border ofLines = lines == 46 ? Border::fixed : Border::mirrored;
    all.push_back({{17, lines, 18}, {Border::periodic, ofLines, Border::periodic}});
  }
  all.push_back({{9, 8, 10}, three(Border::periodic)});    // too small: single steps
  all.push_back({{17, 18, 19}, three(Border::mirrored)});  // no whole pairs: single steps
  if (isEmulated) return all;
  all.push_back({{600, 52, 60}, three(Border::fixed)});
  all.push_back({{300, 17, 200}, three(Border::mirrored)});
  all.push_back({{64, 250, 130}, three(Border::periodic)});
  return all;
}

class GpuVolumeMarch : public ::testing::Test {
 protected:
  void SetUp() override {
    if (mass::detail::usableGpus() == 0) GTEST_SKIP() << "no GPU";
  }
};

template <class Real>
class Heat : public mass::Place<3> {
 public:
  static constexpr int reach = 1;
  static constexpr auto reads = mass::alongAxes;
  Real temperature = 0;
  using Attributes = mass::Attributes<&Heat::temperature>;

  /// An asymmetric rule: the flow differs by axis and side.
  MASS_FN void diffuse(const mass::Neighborhood<Heat>& near, Real r) {
    Real around = 0;
    Real weight = 1;
    for (auto offset : mass::vonNeumann<3>) {
      around += weight * near(offset).temperature;
      weight += Real(0.25);
    }
    temperature += r * (around - Real(9.75) * temperature);
  }
};

/// Steps of Heat::diffuse by loops over an array.
template <class Real>
std::vector<Real> heated(std::vector<Real> now, const World& world, int steps, Real r,
                         Real outside) {
  for (int step = 0; step < steps; ++step) {
    std::vector<Real> next = now;
    forEachPlace(world, [&](std::size_t index, const Coordinates<3>&, const auto& near) {
      Real around = 0;
      Real weight = 1;
      for (int axis = 0; axis < 3; ++axis) {
        for (const int side : {-1, 1}) {
          const std::size_t other = near(axis, side);
          around += weight * (other == none ? outside : now[other]);
          weight += Real(0.25);
        }
      }
      next[index] += r * (around - Real(9.75) * next[index]);
    });
    now = next;
  }
  return now;
}

template <class Real>
void compareHeat(bool hasAllBorders) {
  constexpr int first = 4, second = 5;  // the latter is no multiple of any number of steps
  for (const World& world : worlds(hasAllBorders)) {
    std::vector<Real> start;
    for (std::size_t i = 0; i < placesIn(world); ++i)
      start.push_back(static_cast<Real>(mixed(static_cast<std::int64_t>(i))) /
                      static_cast<Real>(1 << 20));
    const std::vector<Real> expected =
        heated<Real>(start, world, first + second, Real(0.1), Real(5));
    for (const std::string stepsPerPass : {"2", "4"}) {
      Mass mass = makeMass("cuda", stepsPerPass);
      Heat<Real> outside;
      outside.temperature = 5;
      const auto block = placesOf(mass, world, outside);
      block.template upload<&Heat<Real>::temperature>(start);
      for (const int steps : {first, second})
        block.template callAll<&Heat<Real>::diffuse>(mass::steps(steps), Real(0.1));
      EXPECT_EQ(block.template download<&Heat<Real>::temperature>(), expected)
          << nameOf(world) << stepsPerPass << " steps a pass";
    }
  }
}

TEST_F(GpuVolumeMarch, OfFloatsHasTheBitsOfLoops) {
  compareHeat<float>(true);
}
TEST_F(GpuVolumeMarch, OfDoublesHasTheBitsOfLoops) {
  compareHeat<double>(std::getenv("EMULATED_GPUS") == nullptr);
}

/// Two attributes, one of them constant.
class Wall : public mass::Place<3> {
 public:
  static constexpr int reach = 1;
  static constexpr auto reads = mass::alongAxes;
  float heat = 0;
  std::uint16_t conductivity = 0;
  using Attributes = mass::Attributes<&Wall::heat, mass::constant<&Wall::conductivity>>;

  MASS_FN void conduct(const mass::Neighborhood<Wall>& near) {
    float flow = 0;
    for (auto offset : mass::vonNeumann<3>) {
      const Wall other = near(offset);
      flow += static_cast<float>(other.conductivity + conductivity) * (other.heat - heat);
    }
    heat += 0.001F * flow + static_cast<float>(near.coordinates()[1] % 3) +
            static_cast<float>(near.step());
  }
};

TEST_F(GpuVolumeMarch, OfConstantsCoordinatesAndStepsHasTheBitsOfLoops) {
  for (const World& world : worlds(false)) {
    std::vector<float> heat;
    std::vector<std::uint16_t> conductivity;
    for (std::size_t i = 0; i < placesIn(world); ++i) {
      heat.push_back(static_cast<float>(mixed(static_cast<std::int64_t>(i)) % 1000));
      conductivity.push_back(static_cast<std::uint16_t>(mixed(static_cast<std::int64_t>(i)) % 7));
    }
    std::vector<float> expected = heat;
    for (int step = 0; step < 7; ++step) {
      const std::vector<float> now = expected;
      forEachPlace(world, [&](std::size_t index, const Coordinates<3>& at, const auto& near) {
        float flow = 0;
        for (int axis = 0; axis < 3; ++axis) {
          for (const int side : {-1, 1}) {
            const std::size_t other = near(axis, side);
            const int of = other == none ? 3 : conductivity[other];
            flow += static_cast<float>(of + conductivity[index]) *
                    ((other == none ? 50 : now[other]) - now[index]);
          }
        }
        expected[index] += 0.001F * flow + static_cast<float>(at[1] % 3) + static_cast<float>(step);
      });
    }
    for (const std::string stepsPerPass : {"2", "4"}) {
      Mass mass = makeMass("cuda", stepsPerPass);
      Wall outside;
      outside.heat = 50;
      outside.conductivity = 3;
      const auto walls = placesOf(mass, world, outside);
      walls.upload<&Wall::heat>(heat);
      walls.upload<&Wall::conductivity>(conductivity);
      walls.callAll<&Wall::conduct>(mass::steps(7));
      EXPECT_EQ(walls.download<&Wall::heat>(), expected)
          << nameOf(world) << stepsPerPass << " steps a pass";
    }
  }
}

/// An asymmetric rule that reads all that marches provide.
class Cell : public mass::Place<3> {
 public:
  static constexpr int reach = 1;
  static constexpr auto reads = mass::alongAxes;
  std::uint8_t value = 0;
  float warmth = 0;
  using Attributes = mass::Attributes<&Cell::value, &Cell::warmth>;

  MASS_FN void mix(const mass::Neighborhood<Cell>& near, std::uint32_t salt) {
    std::uint32_t sum = salt + (near.random()() & 3U) + static_cast<std::uint32_t>(near.step());
    for (const auto& offset : mass::vonNeumann<3>) sum = sum * 5 + near(offset).value;
    const auto at = near.coordinates();
    sum += static_cast<std::uint32_t>(at[0] * 3 + at[1] * 7 + at[2]);
    value = static_cast<std::uint8_t>(sum >> 3);
    warmth = 0.25F * (near.get<&Cell::warmth>({-1, 0, 0}) + near({0, 1, 0}).warmth) +
             static_cast<float>(sum % 9);
  }
  MASS_FN void warm(const mass::Neighborhood<Cell>& near) {
    warmth = 0.25F * near.sum<&Cell::warmth>(mass::vonNeumann<3>) - static_cast<float>(value);
  }
};

std::uint64_t hashOfCells(const std::string& backend, const std::string& stepsPerPass,
                          const World& world, int devices = 1) {
  Mass mass = makeMass(backend, stepsPerPass, devices);
  Cell outside;
  outside.value = 77;
  outside.warmth = 3;
  const auto cells = placesOf(mass, world, outside);
  cells.initialise<&Cell::value>([&](const Coordinates<3>& at) {
    return static_cast<std::uint8_t>(mixed((at[0] * 100 + at[1]) * 100 + at[2]));
  });
  std::uint64_t hash = 0;
  for (const int steps : {3, 4}) {
    cells.callAll<&Cell::mix>(mass::steps(steps), std::uint32_t{9});
    cells.callAll<&Cell::warm>(mass::steps(4), mass::writes<&Cell::warmth>);
    hash = hash * 31 + cells.hash();
  }
  return hash;
}

TEST_F(GpuVolumeMarch, HasTheBitsOfSingleStepsOnCpus) {
  for (const World& world : worlds(false)) {
    const std::uint64_t expected = hashOfCells("cpu", "1", world);
    for (const std::string stepsPerPass : {"2", "3", "auto"})
      EXPECT_EQ(hashOfCells("cuda", stepsPerPass, world), expected)
          << nameOf(world) << stepsPerPass << " steps a pass";
  }
}

TEST_F(GpuVolumeMarch, OfSeveralGpusHasTheBitsOfSingleStepsOnCpus) {
  for (const World& world : worlds(false)) {
    const std::uint64_t expected = hashOfCells("cpu", "1", world);
    for (int devices = 2; devices <= std::min(mass::detail::usableGpus(), 4); ++devices) {
      for (const std::string stepsPerPass : {"2", "3", "auto"})
        EXPECT_EQ(hashOfCells("cuda", stepsPerPass, world, devices), expected)
            << nameOf(world) << stepsPerPass << " steps a pass, " << devices << " GPUs";
    }
  }
}

/// A rule of bools.
class Bit : public mass::Place<3> {
 public:
  static constexpr int reach = 1;
  static constexpr auto reads = mass::alongAxes;
  bool alive = false;
  using Attributes = mass::Attributes<&Bit::alive>;

  MASS_FN void live(const mass::Neighborhood<Bit>& near) {
    const auto living = near.count<&Bit::alive>(mass::vonNeumann<3>);
    alive = living == 2 || (alive && living == 3);
  }
};

TEST_F(GpuVolumeMarch, CountsBools) {
  const World world{{18, 20, 64}, {Border::fixed, Border::periodic, Border::mirrored}};
  const auto hashOf = [&](const std::string& backend, const std::string& stepsPerPass) {
    Mass mass = makeMass(backend, stepsPerPass);
    const auto bits = placesOf(mass, world, Bit{});
    bits.initialise<&Bit::alive>([](const Coordinates<3>& at) {
      return mixed((at[0] * 100 + at[1]) * 100 + at[2]) % 3 == 0;
    });
    bits.callAll<&Bit::live>(mass::steps(18));
    return bits.hash();
  };
  for (const std::string stepsPerPass : {"4", "16"})
    EXPECT_EQ(hashOf("cuda", stepsPerPass), hashOf("cpu", "1")) << stepsPerPass;
}

}  // namespace
