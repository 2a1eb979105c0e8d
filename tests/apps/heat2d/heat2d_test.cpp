// Compares the plate with solutions of the heat equation, on several numbers of devices.
#include <apps/heat2d/setup.hpp>

#include "../program_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace heat2d {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;
using Assignments = std::vector<std::string>;

mass::Settings settingsOf(const Assignments& assignments) {
  return mass::testing::settingsOf("", schema(), assignments);
}

/// Run of the program as main() starts it, and its table.
struct ProgramRun : mass::testing::ProgramRun {
  explicit ProgramRun(const Assignments& assignments)
      : mass::testing::ProgramRun(settingsOf(assignments), "heat2d", setUp) {}
};

/// Plate with any initial state and access to every place.
template <class Real>
struct Sheet {
  mass::Mass mass;
  mass::Places<Heat<Real>> places;

  Sheet(mass::Shape<2> shape, mass::Border border, int devices = 1, Real outside = 0)
      : mass(settingsOf({"devices=" + std::to_string(devices)})),
        places(mass.createPlaces<Heat<Real>>(shape, options(border, outside))) {}

  auto temperatures() const { return places.template download<&Heat<Real>::temperature>(); }
  Real at(std::int64_t row, std::int64_t column) const {
    return temperatures()[static_cast<std::size_t>(row * places.shape()[1] + column)];
  }

 private:
  static auto options(mass::Border border, Real outside) {
    Heat<Real> edge;
    edge.temperature = outside;
    return mass::borders(border, edge);
  }
};

// --- analytic solution ---

/// Returns the error of a mode at 0.05 s on a plate of 1 m x 1 m, with `cells` spacings along each
/// axis and a time step of 0.2 spacing^2.
double errorOfMode(int cells, const std::string& edges, const std::string& precision) {
  const bool fixed = edges == "fixed";
  const double spacing = 1.0 / cells;
  const auto places = std::to_string(fixed ? cells - 1 : cells);
  // r = 0.2: with 1/6 the leading error terms of space and time would cancel.
  const ProgramRun run({"start=mode", "edges=" + edges, "precision=" + precision, "rows=" + places,
                        "columns=" + places, fmt::format("spacing={}", spacing),
                        fmt::format("time_step={}", 0.2 * spacing * spacing),
                        "steps=" + std::to_string(cells * cells / 4)});
  return run.column("error").back();
}

class Edges : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Both, Edges, testing::Values("fixed", "insulated"),
                         [](const auto& tested) { return tested.param; });

TEST_P(Edges, TheErrorFallsWithTheSquareOfTheSpacing) {
  const double coarse = errorOfMode(12, GetParam(), "double");
  const double middle = errorOfMode(24, GetParam(), "double");
  const double fine = errorOfMode(48, GetParam(), "double");
  EXPECT_LT(coarse, 1e-2);
  for (const double slope : {std::log2(coarse / middle), std::log2(middle / fine)}) {
    EXPECT_GT(slope, 1.9);
    EXPECT_LT(slope, 2.1);
  }
}

TEST_P(Edges, SinglePrecisionFollowsTheSolutionToItsRounding) {
  const double exact = errorOfMode(32, GetParam(), "double");
  // Bound: 256 steps with four rounding errors of 2^-25 each.
  EXPECT_NEAR(errorOfMode(32, GetParam(), "float"), exact, 256 * 4 * 0x1p-25);
}

TEST(Mode, DecaysByTheRateOfItsWaveNumbersInAPlateThatIsNoSquare) {
  const ProgramRun run({"start=mode", "edges=fixed", "rows=19", "columns=39", "spacing=0.05",
                        "time_step=0.0005", "steps=400"});
  const auto highest = run.column("highest");
  const double pi = 3.14159265358979323846;
  const double expected = std::exp(-(pi * pi + pi * pi / 4) * 0.2);  // 1 m x 2 m, after 0.2 s
  EXPECT_NEAR(highest.back() / highest.front(), expected, 0.01 * expected);
}

// --- properties of every solution ---

template <class Real>
class Precision : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Precision, Reals);

TYPED_TEST(Precision, InsulatedEdgesKeepTheHeat) {
  using Real = TypeParam;
  constexpr std::int64_t rows = 24, columns = 31, steps = 300;
  constexpr double hottest = 100;
  Sheet<Real> sheet({rows, columns}, mass::Border::mirrored);
  // Most of the heat is at the edges, where it would be lost.
  sheet.places.template initialise<&Heat<Real>::temperature>([&](const auto& at) {
    const bool edge = at[0] == 0 || at[0] == rows - 1 || at[1] == 0 || at[1] == columns - 1;
    return static_cast<Real>(edge ? hottest - static_cast<double>(at[1]) : 1);
  });
  const auto sum = [&] {
    double total = 0;
    for (const Real value : sheet.temperatures()) total += static_cast<double>(value);
    return total;
  };
  const double before = sum();
  sheet.places.template callAll<&Heat<Real>::diffuse>(mass::steps(steps), static_cast<Real>(0.2));
  // Six roundings per place and step: four of numbers up to 4 x the hottest place, times r = 0.2,
  // and two of numbers up to the hottest place. Together they are below five of 4 x.
  const double bound = static_cast<double>(rows * columns * steps) * 5 * 4 * hottest *
                       static_cast<double>(std::numeric_limits<Real>::epsilon()) / 2;
  ASSERT_LT(bound, 0.2 * before);
  EXPECT_NEAR(sum(), before, bound);
  EXPECT_LT(std::abs(sheet.at(0, 0) - sheet.at(rows / 2, columns / 2)), 25);  // heat has spread
}

TYPED_TEST(Precision, FixedEdgesOfAnyTemperatureSetThePlate) {
  using Real = TypeParam;
  Sheet<Real> sheet({9, 7}, mass::Border::fixed, 2, Real{5});
  sheet.places.template callAll<&Heat<Real>::diffuse>(mass::steps(500), Real{0.25});
  for (const Real value : sheet.temperatures()) {
    EXPECT_NEAR(static_cast<double>(value), 5, 1e-5);
  }
}

TYPED_TEST(Precision, ASymmetricStartStaysSymmetric) {
  using Real = TypeParam;
  constexpr std::int64_t size = 33;
  Sheet<Real> sheet({size, size}, mass::Border::mirrored, 3);
  sheet.places.template initialise<&Heat<Real>::temperature>([&](const auto& at) {
    const auto x = static_cast<double>(std::abs(at[0] - size / 2));
    const auto y = static_cast<double>(std::abs(at[1] - size / 2));
    return static_cast<Real>(x * x + y * y + 7 * x * y);
  });
  sheet.places.template callAll<&Heat<Real>::diffuse>(mass::steps(200), static_cast<Real>(0.2));
  const auto t = sheet.temperatures();
  const auto at = [&](std::int64_t row, std::int64_t column) {
    return static_cast<double>(t[static_cast<std::size_t>(row * size + column)]);
  };
  // A reflection changes the order in which neighbours are added: rounding errors of four numbers
  // up to 2304 per step.
  const double bound = 200 * 4 * 2304 * static_cast<double>(std::numeric_limits<Real>::epsilon());
  for (std::int64_t row = 0; row < size; ++row) {
    for (std::int64_t column = 0; column < size; ++column) {
      const double value = at(row, column);
      EXPECT_NEAR(at(size - 1 - row, column), value, bound);
      EXPECT_NEAR(at(row, size - 1 - column), value, bound);
      EXPECT_NEAR(at(column, row), value, bound);
    }
  }
}

TYPED_TEST(Precision, TheMiddleThirdOfRow0IsTheSource) {
  using Real = TypeParam;
  constexpr std::int64_t columns = 20;
  Sheet<Real> sheet({12, columns}, mass::Border::mirrored, 2);
  const Source<Real> source{columns / 3, 2 * columns / 3, Real{19}};
  sheet.places.template callAll<&Heat<Real>::diffuseHeated>(mass::steps(100), Real{0.25}, source);
  for (std::int64_t column = 0; column < columns; ++column) {
    const bool heated = 6 <= column && column < 13;
    EXPECT_EQ(sheet.at(0, column) == Real{19}, heated) << column;
    EXPECT_LT(sheet.at(1, column), Real{19}) << column;
    EXPECT_GT(sheet.at(1, column), Real{0}) << column;
  }
}

// --- plate of the MASS benchmark, as the program runs it ---

const Assignments smallPlate{"rows=30", "columns=30", "heat_time=80", "steps=140"};

Assignments with(Assignments assignments, const Assignments& more) {
  assignments.insert(assignments.end(), more.begin(), more.end());
  return assignments;
}

class PlateIn : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Precision, PlateIn, testing::Values("float", "double"),
                         [](const auto& tested) { return tested.param; });

TEST_P(PlateIn, IsHeatedUntilHeatTimeAndThenKeepsItsHeat) {
  const ProgramRun run(with(smallPlate, {"precision=" + GetParam()}));
  const auto highest = run.column("highest");
  const auto mean = run.column("mean");
  ASSERT_EQ(highest.size(), 141U);
  EXPECT_EQ(highest[0], 0);
  for (std::size_t step = 1; step <= 80; ++step) {
    EXPECT_EQ(highest[step], 19) << step;
    EXPECT_GT(mean[step], mean[step - 1]) << step;
  }
  for (std::size_t step = 81; step <= 140; ++step) {
    EXPECT_LT(highest[step], highest[step - 1]) << step;
    EXPECT_NEAR(mean[step], mean[80], GetParam() == "float" ? 1e-4 : 1e-12) << step;
  }
}

TEST_P(PlateIn, NeverLeavesTheTemperaturesThatItWasGiven) {
  const ProgramRun run(with(smallPlate, {"precision=" + GetParam()}));
  const auto lowest = run.column("lowest");
  for (const double value : lowest) EXPECT_GE(value, 0);
  EXPECT_GT(lowest.back(), 0);  // heat has reached every corner
  for (const double value : run.column("highest")) EXPECT_LE(value, 19);
}

TEST_P(PlateIn, ColdSourcesAndHotEdgesWorkToo) {
  const ProgramRun run(with(smallPlate, {"precision=" + GetParam(), "edges=fixed",
                                         "edge_temperature=7.5", "source_temperature=-3"}));
  EXPECT_EQ(run.column("lowest")[80], -3);
  for (const double value : run.column("lowest")) EXPECT_GE(value, -3);
  for (const double value : run.column("highest")) EXPECT_LE(value, 7.5);
}

TEST_P(PlateIn, IsTheSameOnEveryNumberOfDevicesAndThreads) {
  for (const char* edges : {"insulated", "fixed"}) {
    const auto assignments =
        with(smallPlate,
             {"precision=" + GetParam(), std::string("edges=") + edges, "output.table_every=20"});
    const ProgramRun one(assignments);
    for (const int devices : {2, 3, 4, 8}) {
      const ProgramRun run(with(assignments, {"devices=" + std::to_string(devices)}));
      EXPECT_EQ(run.hash, one.hash) << devices << " devices, " << edges;
      EXPECT_EQ(run.rows, one.rows) << devices << " devices, " << edges;
    }
    EXPECT_EQ(ProgramRun(with(assignments, {"threads=3"})).hash, one.hash);
    EXPECT_EQ(ProgramRun(with(assignments, {"devices=3", "weights=[1, 5, 0.1]"})).hash, one.hash);
  }
}

TEST(Program, ThePrecisionsDiffer) {
  EXPECT_NE(ProgramRun(with(smallPlate, {"precision=float"})).hash,
            ProgramRun(with(smallPlate, {"precision=double"})).hash);
}

TEST(Program, APlateNarrowerThanASourceIsNotHeated) {
  const ProgramRun run({"rows=4", "columns=1", "steps=10"});
  EXPECT_EQ(run.column("highest").back(), 0);
}

TEST(Picture, SpansTheTemperaturesThatThereCanBe) {
  using Span = std::pair<double, double>;
  const auto spanOf = [](const Assignments& assignments) {
    return Parameters(settingsOf(assignments)).temperatureRange();
  };
  EXPECT_EQ(spanOf({}), Span(0, 19));
  EXPECT_EQ(spanOf({"source_temperature=-3"}), Span(-3, 0));
  EXPECT_EQ(spanOf({"edges=fixed", "edge_temperature=-5"}), Span(-5, 19));
  EXPECT_EQ(spanOf({"edges=fixed", "edge_temperature=40"}), Span(0, 40));
  EXPECT_EQ(spanOf({"edges=insulated", "edge_temperature=40"}), Span(0, 19)) << "no edge has it";
  EXPECT_EQ(spanOf({"start=mode", "edges=fixed"}), Span(0, 1));
  EXPECT_EQ(spanOf({"start=mode", "edges=insulated"}), Span(-1, 1));
}

TEST(Precision, TemperaturesThatDoNotFitAreRefused) {
  for (const std::string key : {"edge_temperature", "source_temperature"}) {
    const auto message = messageOf<mass::SettingsError>([&] {
      ProgramRun(with(smallPlate, {"precision=float", key + "=1e39"}));
    });
    EXPECT_EQ(message, "--set " + key + "=1e39: is too large for a float (at most 3.4e38)");
    ProgramRun(with(smallPlate, {"precision=float", key + "=1e-60"}));
  }
}

// --- stability ---

TEST(TimeStep, AboveAQuarterIsAnErrorThatNamesTheLargestStableOne) {
  const std::string message = messageOf<mass::SettingsError>([] {
    Parameters(settingsOf({"diffusivity=1", "spacing=2", "time_step=1.0001"}));
  });
  EXPECT_TRUE(contains(message, "time_step=1.0001")) << message;
  EXPECT_TRUE(contains(message, "the largest stable time_step is 1")) << message;
  EXPECT_TRUE(contains(message, "0.250025")) << message;
}

TEST(TimeStep, ExactlyAQuarterIsAccepted) {
  EXPECT_EQ(Parameters(settingsOf({"diffusivity=1", "spacing=2", "time_step=1"})).r(), 0.25);
}

TEST(TimeStep, TheOneThatIsNamedIsAccepted) {
  const std::string name = "the largest stable time_step is ";
  for (const char* diffusivity : {"1", "1e-4", "1.1e-7", "0.3", "3", "23", "1e-6", "0.01"}) {
    for (const char* spacing : {"2", "0.01", "0.1", "0.3", "1e-3", "0.07", "1.7", "0.61", "0.83"}) {
      const Assignments plate{std::string("diffusivity=") + diffusivity,
                              std::string("spacing=") + spacing};
      const std::string message = messageOf<mass::SettingsError>(
          [&] { Parameters(settingsOf(with(plate, {"time_step=1e9"}))); });
      ASSERT_TRUE(contains(message, name)) << message;
      const std::string largest = message.substr(message.find(name) + name.size());
      EXPECT_NO_THROW(Parameters(settingsOf(with(plate, {"time_step=" + largest}))))
          << diffusivity << ' ' << spacing << ' ' << largest;
      const double more = std::stod(largest) * (1 + 1e-9);
      EXPECT_THROW(Parameters(settingsOf(with(plate, {fmt::format("time_step={}", more)}))),
                   mass::SettingsError);
    }
  }
}

TEST(TimeStep, AQuarterInDecimalsIsAcceptedThoughBinaryNumbersRoundIt) {
  EXPECT_NO_THROW(Parameters(settingsOf({"diffusivity=1e-4", "spacing=0.01", "time_step=0.25"})));
  EXPECT_NO_THROW(Parameters(settingsOf({"diffusivity=1", "spacing=0.1", "time_step=0.0025"})));
  EXPECT_NO_THROW(Parameters(settingsOf({"diffusivity=0.3", "spacing=0.6", "time_step=0.3"})));
  EXPECT_NO_THROW(Parameters(settingsOf({"diffusivity=0.1", "spacing=0.2", "time_step=0.1"})));
  EXPECT_NO_THROW(Parameters(settingsOf({"diffusivity=0.01", "spacing=0.09", "time_step=0.2025"})));
  EXPECT_NO_THROW(Parameters(settingsOf({"diffusivity=0.01", "spacing=0.61", "time_step=9.3025"})));
}

TEST(Mode, NeedsEdgesAtZero) {
  EXPECT_THROW(Parameters(settingsOf({"start=mode", "edges=fixed", "edge_temperature=1"})),
               mass::SettingsError);
  EXPECT_NO_THROW(Parameters(settingsOf({"start=mode", "edges=insulated", "edge_temperature=1"})));
}

}  // namespace
}  // namespace heat2d
