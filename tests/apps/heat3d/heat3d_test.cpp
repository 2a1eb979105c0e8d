// Compares the block with solutions of the heat equation and of its difference equations, and with
// loops over arrays, on several numbers of devices.
#include <apps/heat3d/block.hpp>
#include <apps/heat3d/block_impl.hpp>

#include "../program_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace heat3d {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;
using Assignments = std::vector<std::string>;

constexpr double pi = 3.14159265358979323846;

Assignments with(Assignments assignments, const Assignments& more) {
  assignments.insert(assignments.end(), more.begin(), more.end());
  return assignments;
}

mass::Settings settingsOf(const Assignments& assignments) {
  return mass::testing::settingsOf("", schema(), assignments);
}

Assignments sized(std::int64_t planes, std::int64_t rows, std::int64_t columns) {
  return {fmt::format("planes={}", planes), fmt::format("rows={}", rows),
          fmt::format("columns={}", columns)};
}
Assignments cube(std::int64_t size) {
  return sized(size, size, size);
}

/// Run of the program as main() starts it, and its table.
struct ProgramRun : mass::testing::ProgramRun {
  explicit ProgramRun(const Assignments& assignments)
      : mass::testing::ProgramRun(settingsOf(assignments), "heat3d", setUp) {}
};

// --- written out for the tests, apart from the app ---

/// Returns the central difference of a second derivative: weights of distances 0 to order / 2.
std::vector<double> weightsOf(int order) {
  switch (order) {
    case 2:
      return {-2, 1};
    case 4:
      return {-2.5, 4 / 3.0, -1 / 12.0};
    case 6:
      return {-49 / 18.0, 1.5, -0.15, 1 / 90.0};
    default:
      return {-205 / 72.0, 1.6, -0.2, 8 / 315.0, -1 / 560.0};
  }
}

/// Returns the eigenvalue of the central difference for a wave number in radians per spacing.
double symbolOf(int order, double wave) {
  const auto weights = weightsOf(order);
  double symbol = weights[0];
  for (std::size_t d = 1; d < weights.size(); ++d)
    symbol += 2 * weights[d] * std::cos(static_cast<double>(d) * wave);
  return symbol;
}

/// Block of temperatures in an array.
struct Grid {
  std::array<std::int64_t, 3> shape;
  std::vector<double> values;

  /// Returns the index along an axis that a place outside stands for; -1 if none.
  static std::int64_t inside(std::int64_t i, std::int64_t n, const std::string& faces) {
    if (0 <= i && i < n) return i;
    if (faces == "fixed") return -1;
    if (faces == "periodic") return ((i % n) + n) % n;
    const std::int64_t folded = ((i % (2 * n)) + 2 * n) % (2 * n);
    return folded < n ? folded : 2 * n - 1 - folded;
  }

  std::size_t index(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return static_cast<std::size_t>((z * shape[1] + y) * shape[2] + x);
  }

  double at(std::array<std::int64_t, 3> place, const std::string& faces, double outside) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      place[axis] = inside(place[axis], shape[axis], faces);
      if (place[axis] < 0) return outside;
    }
    return values[index(place[0], place[1], place[2])];
  }

  /// Makes an explicit step in double precision.
  void step(int order, double r, const std::string& faces, double outside) {
    const auto weights = weightsOf(order);
    std::vector<double> next;
    for (std::int64_t z = 0; z < shape[0]; ++z) {
      for (std::int64_t y = 0; y < shape[1]; ++y) {
        for (std::int64_t x = 0; x < shape[2]; ++x) {
          double laplacian = 0;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            laplacian += weights[0] * values[index(z, y, x)];
            for (std::size_t d = 1; d < weights.size(); ++d) {
              std::array<std::int64_t, 3> low{z, y, x}, high{z, y, x};
              low[axis] -= static_cast<std::int64_t>(d);
              high[axis] += static_cast<std::int64_t>(d);
              laplacian += weights[d] * (at(low, faces, outside) + at(high, faces, outside));
            }
          }
          next.push_back(values[index(z, y, x)] + r * laplacian);
        }
      }
    }
    values = std::move(next);
  }
};

/// Returns a temperature between 0 and 1 without any pattern.
double noise(std::int64_t number) {
  const double value = std::sin(static_cast<double>(number + 1) * 12.9898) * 43758.5453;
  return value - std::floor(value);
}

// --- blocks of a class ---

template <class Number, int orderOfBlock>
struct Kind {
  using Real = Number;
  static constexpr int order = orderOfBlock;
};

/// Block of the app, with access to every place.
template <class K>
struct Block {
  using Place = Heat<typename K::Real, K::order>;
  mass::Mass mass;
  mass::Places<Place> places;

  explicit Block(const Assignments& assignments)
      : mass(settingsOf(with({fmt::format("order={}", K::order)}, assignments))),
        places(createBlock<typename K::Real, K::order>(mass, Parameters(mass.settings()))) {}

  template <class F>
  void set(F&& temperature) {
    places.template initialise<&Place::temperature>([&](const mass::Coordinates<3>& at) {
      return static_cast<typename K::Real>(temperature(at[0], at[1], at[2]));
    });
  }
  void go(std::int64_t steps, double r) {
    places.template callAll<&Place::diffuse>(mass::steps(steps), static_cast<typename K::Real>(r));
  }
  std::vector<double> temperatures() const {
    const auto values = places.template download<&Place::temperature>();
    return {values.begin(), values.end()};
  }
};

template <class K>
class EveryKind : public testing::Test {};
using Kinds = testing::Types<Kind<double, 2>, Kind<double, 4>, Kind<double, 6>, Kind<double, 8>,
                             Kind<float, 2>, Kind<float, 8>>;
TYPED_TEST_SUITE(EveryKind, Kinds);

template <class K>
class EveryOrder : public testing::Test {};
using Orders = testing::Types<Kind<double, 2>, Kind<double, 4>, Kind<double, 6>, Kind<double, 8>>;
TYPED_TEST_SUITE(EveryOrder, Orders);

TYPED_TEST(EveryKind, MakesTheStepsOfLoopsOverArraysOnEveryNumberOfDevices) {
  using K = TypeParam;
  constexpr int steps = 6;
  constexpr double r = 0.09, outside = 0.75;
  for (const std::array<std::int64_t, 3> shape :
       {std::array<std::int64_t, 3>{9, 7, 5}, std::array<std::int64_t, 3>{11, 1, 6},
        std::array<std::int64_t, 3>{1, 3, 13}}) {
    for (const std::string faces : {"insulated", "fixed", "periodic"}) {
      Grid grid{shape, {}};
      for (std::int64_t i = 0; i < shape[0] * shape[1] * shape[2]; ++i)
        grid.values.push_back(noise(i));
      const Grid start = grid;
      for (int step = 0; step < steps; ++step) grid.step(K::order, r, faces, outside);
      std::uint64_t hash = 0;
      for (const std::int64_t devices : {1, 2, 3, 8}) {
        if (devices > shape[0]) continue;
        Block<K> block(with(sized(shape[0], shape[1], shape[2]),
                            {"faces=" + faces, fmt::format("face_temperature={}", outside),
                             fmt::format("devices={}", devices)}));
        block.set([&](auto z, auto y, auto x) { return start.values[start.index(z, y, x)]; });
        block.go(steps, r);
        const auto found = block.temperatures();
        // Per step: rounding of r and of up to 25 terms of the magnitude of three weights of 2.9.
        const double bound = steps * 30 * 9 * 0.1 *
                             static_cast<double>(std::numeric_limits<typename K::Real>::epsilon());
        for (std::size_t i = 0; i < found.size(); ++i)
          ASSERT_NEAR(found[i], grid.values[i], bound) << faces << ' ' << devices << ' ' << i;
        if (devices == 1) hash = block.mass.hash();
        EXPECT_EQ(block.mass.hash(), hash) << faces << ' ' << devices;
      }
    }
  }
}

TYPED_TEST(EveryKind, InsulatedFacesKeepTheHeat) {
  using K = TypeParam;
  constexpr std::int64_t size = 12, steps = 200;
  constexpr double hottest = 100;
  Block<K> block(with(cube(size), {"faces=insulated"}));
  // Most of the heat is at the faces, where it would be lost.
  block.set([&](auto z, auto y, auto x) {
    const auto isOuter = [](std::int64_t i) { return i == 0 || i == size - 1; };
    return isOuter(z) || isOuter(y) || isOuter(x) ? hottest - static_cast<double>(x + 2 * y) : 1.0;
  });
  const auto sum = [&] {
    double total = 0;
    for (const double value : block.temperatures()) total += value;
    return total;
  };
  const auto spread = [&] {
    const auto all = block.temperatures();
    const auto [low, high] = std::minmax_element(all.begin(), all.end());
    return *high - *low;
  };
  const double before = sum(), spreadBefore = spread();
  block.go(steps, 0.09);
  // Per place and step: a rounding of the sum, and of r times the Laplacian, which is below 12.
  const double bound = static_cast<double>(size * size * size * steps) * (1 + 30 * 0.09) * hottest *
                       12 * static_cast<double>(std::numeric_limits<typename K::Real>::epsilon()) /
                       2;
  ASSERT_LT(bound, 0.2 * before);
  EXPECT_NEAR(sum(), before, bound);
  EXPECT_LT(spread(), 0.5 * spreadBefore);  // heat has spread
}

// --- modes ---

TYPED_TEST(EveryOrder, MultipliesThePeriodicModeByTheKnownFactor) {
  using K = TypeParam;
  constexpr std::size_t number = K::order / 2 - 1;
  constexpr double factors[] = {0.9942355841209691, 0.99421712384851, 0.9942170292594543,
                                0.9942170286752571};
  constexpr double after1000[] = {0.0030853374324789065, 0.00302857906877592, 0.003028290945775296,
                                  0.003028289166366314};
  Block<K> block(with(cube(32), {"start=mode", "faces=periodic", "time_step=0.05", "devices=2"}));
  const auto start = block.temperatures();
  for (std::int64_t z = 0, i = 0; z < 32; ++z) {
    for (std::int64_t y = 0; y < 32; ++y) {
      for (std::int64_t x = 0; x < 32; ++x, ++i) {
        const auto cosine = [](std::int64_t k) {
          return std::cos(pi / 16 * static_cast<double>(k));
        };
        ASSERT_NEAR(start[static_cast<std::size_t>(i)], cosine(z) * cosine(y) * cosine(x), 1e-15);
      }
    }
  }
  block.go(1, 0.05);
  const auto now = block.temperatures();
  EXPECT_NEAR(now[0], factors[number], 1e-15);
  for (std::size_t i = 0; i < now.size(); ++i)
    ASSERT_NEAR(now[i], factors[number] * start[i], 1e-15) << i;

  // Builds that check rules would take a minute for 1000 steps.
  const int steps = mass::checked ? 30 : 1000;
  const double expected = mass::checked ? std::pow(factors[number], steps) : after1000[number];
  const ProgramRun run(
      with(cube(32),
           {"start=mode", "faces=periodic", "time_step=0.05", fmt::format("order={}", K::order),
            fmt::format("steps={}", steps), fmt::format("output.table_every={}", steps)}));
  EXPECT_NEAR(run.column("highest").at(1), expected, 1e-11 * expected);
  EXPECT_NEAR(run.column("lowest").at(1), -expected, 1e-11 * expected);
}

TYPED_TEST(EveryOrder, KeepsTheFormOfTheCosinesBetweenInsulatedFaces) {
  using K = TypeParam;
  Block<K> block(with(sized(10, 12, 9), {"start=mode", "faces=insulated", "devices=3"}));
  const auto start = block.temperatures();
  block.go(100, 0.1);
  const double factor =
      std::pow(1 + 0.1 * (symbolOf(K::order, pi / 10) + symbolOf(K::order, pi / 12) +
                          symbolOf(K::order, pi / 9)),
               100);
  const auto now = block.temperatures();
  EXPECT_LT(factor, 0.2);
  for (std::size_t i = 0; i < now.size(); ++i) ASSERT_NEAR(now[i], factor * start[i], 1e-13) << i;
}

TEST(Mode, KeepsTheFormOfTheSinesBetweenFixedFacesAtOrder2) {
  Block<Kind<double, 2>> block(with(sized(10, 12, 9), {"start=mode", "faces=fixed"}));
  const auto start = block.temperatures();
  EXPECT_NEAR(start[0], std::sin(pi / 11) * std::sin(pi / 13) * std::sin(pi / 10), 1e-15);
  block.go(100, 0.1);
  const double factor =
      std::pow(1 + 0.1 * (symbolOf(2, pi / 11) + symbolOf(2, pi / 13) + symbolOf(2, pi / 10)), 100);
  const auto now = block.temperatures();
  for (std::size_t i = 0; i < now.size(); ++i) ASSERT_NEAR(now[i], factor * start[i], 1e-13) << i;
}

/// Returns the error of the Laplacian of a mode with `places` places a period, in 1/m^2, where the
/// period is 2 pi m.
template <class K>
double errorOfLaplacian(std::int64_t places) {
  constexpr double r = 0.1;
  const double spacing = 2 * pi / static_cast<double>(places);
  Block<K> block(with(cube(places), {"start=mode", "faces=periodic"}));
  block.go(1, r);
  const double laplacian = (block.temperatures()[0] - 1) / (r * spacing * spacing);
  return std::abs(laplacian + 3);
}

TYPED_TEST(EveryOrder, TheErrorOfTheLaplacianFallsWithItsOrder) {
  using K = TypeParam;
  const double coarse = errorOfLaplacian<K>(16), fine = errorOfLaplacian<K>(32);
  EXPECT_NEAR(std::log2(coarse / fine), K::order, 0.1) << coarse << ' ' << fine;
}

/// Returns the error of a mode at 0.0045 s in a block of 1 m, with a time step of 0.0045 / steps s.
double errorOfMode(const std::string& faces, int order, std::int64_t places, std::int64_t steps) {
  const ProgramRun run(with(
      cube(places), {"start=mode", "faces=" + faces, fmt::format("order={}", order),
                     fmt::format("spacing={}", 1 / static_cast<double>(places)),
                     fmt::format("time_step={}", 0.0045 / static_cast<double>(steps)),
                     fmt::format("steps={}", steps), fmt::format("output.table_every={}", steps)}));
  return run.column("error").at(1);
}

/// Checks that the error falls with the order if the time step does.
/// @param places, steps numbers along an axis and in time, of the coarser block
void expectOrder(const std::string& faces, int order, std::int64_t places, std::int64_t steps) {
  const double coarse = errorOfMode(faces, order, places, steps);
  const double fine = errorOfMode(faces, order, 2 * places, steps << order);
  EXPECT_NEAR(std::log2(coarse / fine), order, 0.1)
      << faces << ' ' << order << ": " << coarse << ", " << fine;
}

TEST(Mode, TheErrorFallsWithTheOrderIfTheTimeStepDoes) {
  for (const int order : {2, 4}) expectOrder("periodic", order, 12, 8);
  for (const int order : {2, 4, 6, 8}) expectOrder("insulated", order, 6, 2);
}

TEST(Mode, SinglePrecisionFollowsTheSolutionToItsRounding) {
  const Assignments block =
      with(cube(16), {"start=mode", "faces=periodic", "order=8", "steps=200", "time_step=0.02"});
  const double exact = ProgramRun(with(block, {"precision=double"})).column("error").back();
  const double found = ProgramRun(with(block, {"precision=float"})).column("error").back();
  EXPECT_NE(found, exact);
  // Per step: roundings of the temperature, and of r = 0.02 times a sum of 30 terms below 9.
  EXPECT_NEAR(found, exact, 200 * (1 + 0.02 * 30 * 9) * 0x1p-25);
}

// --- stability ---

TEST(Stability, TheLimitsAreThoseOfVonNeumann) {
  constexpr double known[] = {1.0 / 6, 1.0 / 8, 0.110294, 0.102539};
  for (const int order : {2, 4, 6, 8}) {
    double lowest = 0;
    for (int i = 0; i <= 1000; ++i) lowest = std::min(lowest, symbolOf(order, pi * i / 1000));
    EXPECT_NEAR(largestRate(order), 2 / (3 * -lowest), 1e-15) << order;
    EXPECT_NEAR(largestRate(order), known[order / 2 - 1], 5e-7) << order;
  }
}

TYPED_TEST(EveryOrder, AnAlternatingBlockGrowsAboveTheLimitOnly) {
  using K = TypeParam;
  const auto amplitudeAfter200 = [](double r) {
    Block<K> block(with(cube(8), {"faces=periodic"}));
    block.set([](auto z, auto y, auto x) { return (z + y + x) % 2 == 0 ? 1.0 : -1.0; });
    block.go(200, r);
    return std::abs(block.temperatures()[0]);
  };
  EXPECT_NEAR(amplitudeAfter200(largestRate(K::order)), 1, 1e-12);
  EXPECT_LT(amplitudeAfter200(0.95 * largestRate(K::order)), 1e-9);
  EXPECT_GT(amplitudeAfter200(1.05 * largestRate(K::order)), 1e6);
}

TEST(Stability, ATimeStepAboveTheLimitIsAnErrorThatNamesTheLargestStableOne) {
  const std::string name = "the largest stable time_step is ";
  for (const int order : {2, 4, 6, 8}) {
    for (const char* diffusivity : {"1", "1e-4", "1.1e-7", "0.3", "23"}) {
      for (const char* spacing : {"2", "0.01", "0.3", "0.07", "0.83"}) {
        const Assignments block{fmt::format("order={}", order),
                                std::string("diffusivity=") + diffusivity,
                                std::string("spacing=") + spacing};
        const std::string message = messageOf<mass::SettingsError>(
            [&] { Parameters(settingsOf(with(block, {"time_step=1e9"}))); });
        ASSERT_TRUE(contains(message, "time_step=1e9")) << message;
        ASSERT_TRUE(contains(message, fmt::format("the limit of order {}", order))) << message;
        ASSERT_TRUE(contains(message, name)) << message;
        const std::string largest = message.substr(message.find(name) + name.size());
        EXPECT_NO_THROW(Parameters(settingsOf(with(block, {"time_step=" + largest})))) << message;
        const double more = std::stod(largest) * (1 + 1e-9);
        EXPECT_THROW(Parameters(settingsOf(with(block, {fmt::format("time_step={}", more)}))),
                     mass::SettingsError);
      }
    }
  }
}

TEST(Stability, TheMessagesHaveTheLimits) {
  const auto messageFor = [](const std::string& order) {
    return messageOf<mass::SettingsError>([&] {
      Parameters(settingsOf({"order=" + order, "time_step=0.17"}));
    });
  };
  EXPECT_TRUE(contains(messageFor("2"), "= 0.17 is above 0.166667, the limit of order 2"));
  EXPECT_TRUE(contains(messageFor("4"), "is above 0.125, the limit of order 4"));
  EXPECT_TRUE(contains(messageFor("6"), "is above 0.110294, the limit of order 6"));
  EXPECT_TRUE(contains(messageFor("8"), "is above 0.102539, the limit of order 8"));
}

// --- the hot ball ---

/// Returns the temperature in the centre of a ball of radius 1 m and temperature 1 K in an infinite
/// body at 0 K (Carslaw & Jaeger, Conduction of Heat in Solids, 2nd ed., 1959, section 10.3).
/// @param spread sqrt(4 diffusivity t) in m
double centreOfBall(double spread) {
  return std::erf(1 / spread) - 2 / (std::sqrt(pi) * spread) * std::exp(-1 / (spread * spread));
}

TEST(Ball, CoolsAsInAnInfiniteBody) {
  // 49 places of 0.125 m: 2.06 m from the surface of the ball to the faces.
  const ProgramRun run(with(cube(49), {"spacing=0.125", "ball_radius=1", "ball_temperature=1",
                                       "time_step=0.0015", "steps=200", "order=4"}));
  const auto highest = run.column("highest");
  EXPECT_EQ(highest[0], 1);
  for (const std::size_t step : {70U, 140U, 200U}) {
    const double expected = centreOfBall(std::sqrt(4 * 0.0015 * static_cast<double>(step)));
    EXPECT_LT(expected, 0.9) << step;
    EXPECT_NEAR(highest[step], expected, 0.01) << step;  // the ball is made of cubes
  }
  EXPECT_NEAR(run.column("mean")[200], run.column("mean")[0], 1e-15);
}

TEST(Ball, HasThePlacesWithinItsRadius) {
  Block<Kind<double, 2>> block(with(
      sized(7, 8, 9), {"ball_radius=3", "ball_temperature=7", "spacing=1.5", "time_step=0.1"}));
  const auto found = block.temperatures();
  for (std::int64_t z = 0, i = 0; z < 7; ++z) {
    for (std::int64_t y = 0; y < 8; ++y) {
      for (std::int64_t x = 0; x < 9; ++x, ++i) {
        const double dz = 1.5 * static_cast<double>(z - 3);
        const double dy = 1.5 * (static_cast<double>(y) - 3.5);
        const double dx = 1.5 * static_cast<double>(x - 4);
        const bool isHot = dz * dz + dy * dy + dx * dx <= 9;
        ASSERT_EQ(found[static_cast<std::size_t>(i)], isHot ? 7 : 0) << i;
      }
    }
  }
}

TEST(FixedFaces, SetTheBlock) {
  for (const std::string order : {"2", "8"}) {
    const ProgramRun run(
        with(sized(5, 4, 6), {"order=" + order, "faces=fixed", "face_temperature=5", "steps=300"}));
    EXPECT_NEAR(run.column("lowest").back(), 5, 1e-9);
    EXPECT_NEAR(run.column("highest").back(), 5, 1e-9);
  }
}

// --- the program ---

TEST(Program, HasTheSameTableOnEveryNumberOfDevicesAndThreads) {
  for (const std::string precision : {"float", "double"}) {
    for (const std::string faces : {"insulated", "fixed", "periodic"}) {
      const auto assignments =
          with(sized(17, 9, 21), {"precision=" + precision, "faces=" + faces, "order=6",
                                  "ball_radius=5", "steps=20", "output.table_every=5"});
      const ProgramRun one(assignments);
      ASSERT_EQ(one.rows.size(), 5U);
      for (const int devices : {2, 3, 8}) {
        const ProgramRun run(with(assignments, {"devices=" + std::to_string(devices)}));
        EXPECT_EQ(run.hash, one.hash) << devices << " devices, " << faces;
        EXPECT_EQ(run.rows, one.rows) << devices << " devices, " << faces;
      }
      EXPECT_EQ(ProgramRun(with(assignments, {"threads=3"})).hash, one.hash);
    }
  }
}

TEST(Program, OrdersAndPrecisionsDiffer) {
  std::vector<std::uint64_t> hashes;
  for (const std::string order : {"2", "4", "6", "8"}) {
    for (const std::string precision : {"float", "double"}) {
      hashes.push_back(ProgramRun(with(cube(9), {"order=" + order, "precision=" + precision,
                                                 "ball_radius=3", "steps=3"}))
                           .hash);
    }
  }
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

TEST(Program, OddOrdersAndOrdersOutsideTheRangeAreRefused) {
  const auto messageFor = [](const std::string& order) {
    return messageOf<mass::SettingsError>([&] { Parameters(settingsOf({"order=" + order})); });
  };
  EXPECT_TRUE(
      contains(messageFor("3"), "order=3: central differences have an even order: 2, 4, 6"));
  EXPECT_TRUE(contains(messageFor("1"), "2 to 8"));
  EXPECT_TRUE(contains(messageFor("10"), "2 to 8"));
}

TEST(Program, AModeNeedsFacesAtZeroAndTwoPlacesAlongEachAxis) {
  const auto messageFor = [](const Assignments& more) {
    return messageOf<mass::SettingsError>(
        [&] { Parameters(settingsOf(with({"start=mode"}, more))); });
  };
  EXPECT_TRUE(contains(messageFor({"faces=fixed", "face_temperature=1"}), "face_temperature=1"));
  EXPECT_TRUE(contains(messageFor({"rows=1"}), "rows=1: a mode needs at least 2 places"));
  EXPECT_NO_THROW(Parameters(settingsOf({"start=mode", "face_temperature=1"})));
}

TEST(Program, ReachAboveTheLimitOfTheSettingsIsRefused) {
  const auto message = messageOf<mass::SettingsError>([] {
    ProgramRun(with(cube(9), {"order=8", "MAX_PLACE_EXCHANGE=3", "steps=1"}));
  });
  EXPECT_TRUE(contains(message, "set it to at least 4")) << message;
}

TEST(Picture, SpansTheTemperaturesOfTheStart) {
  using Span = std::pair<double, double>;
  const auto spanOf = [](const Assignments& assignments) {
    return Parameters(settingsOf(assignments)).temperatureRange();
  };
  EXPECT_EQ(spanOf({}), Span(0, 100));
  EXPECT_EQ(spanOf({"ball_temperature=-3"}), Span(-3, 0));
  EXPECT_EQ(spanOf({"faces=fixed", "face_temperature=-5"}), Span(-5, 100));
  EXPECT_EQ(spanOf({"faces=periodic", "face_temperature=-5"}), Span(0, 100)) << "no face has it";
  EXPECT_EQ(spanOf({"start=mode", "faces=fixed"}), Span(0, 1));
  EXPECT_EQ(spanOf({"start=mode", "faces=periodic"}), Span(-1, 1));
}

TEST(Picture, IsTheSliceOfTheSettings) {
  const auto pictureOf = [](const Assignments& more) {
    Block<Kind<double, 2>> block(with(sized(3, 4, 5), more));
    block.set([](auto z, auto y, auto x) { return static_cast<double>(100 * z + 10 * y + x); });
    return detail::sliceOf(block.places, block.mass.settings(), {-1, 300});
  };
  const mass::Picture z = pictureOf({"output.slice_at=1"});
  EXPECT_EQ(z.rows, 4);
  EXPECT_EQ(z.columns, 5);
  EXPECT_EQ(z.low, -1);
  EXPECT_EQ(z.high, 300);
  EXPECT_EQ(z.values.at(0), 200);
  EXPECT_EQ(z.values.at(7), 212);
  const mass::Picture y = pictureOf({"output.slice=y", "output.slice_at=0.25"});
  EXPECT_EQ(y.rows, 3);
  EXPECT_EQ(y.columns, 5);
  EXPECT_EQ(y.values.at(7), 112);
  const mass::Picture x = pictureOf({"output.slice=x", "output.slice_at=0"});
  EXPECT_EQ(x.rows, 3);
  EXPECT_EQ(x.columns, 4);
  EXPECT_EQ(x.values.at(7), 130);
}

}  // namespace
}  // namespace heat3d
