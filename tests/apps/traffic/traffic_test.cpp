// The grid of crossings: signals, engines and threads, waits and flows that follow from theory,
// Little's law.

#include "../../support/make_mass.hpp"

#include <apps/traffic/setup.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace traffic {
namespace {

using mass::seconds;
using mass::testing::makeMass;

constexpr Plan usual{.inflow = 0.18,
                     .cycle = 60,
                     .green = 27,
                     .offset = 15,
                     .headway = 2,
                     .travel = 15,
                     .turns = 0.2};

/// Grid that has no vehicles.
struct Grid {
  mass::Mass mass;
  mass::Places<Crossing> places;

  explicit Grid(const mass::Shape<2>& shape, int threads = 1,
                const std::string& engine = "time_warp")
      : mass(makeMass(1, threads, {}, {"events.engine=" + engine})),
        places(mass.createPlaces<Crossing>(shape, mass::borders<Crossing>(mass::Border::fixed))) {
    places.lookahead(seconds(usual.travel));
    places.scheduleAll<&Crossing::open>(seconds(0));
  }
  template <auto Member>
  double sum() const {
    return static_cast<double>(places.reduce<Member>(mass::sum));
  }
};

TEST(Signals, AreGreenInTurnsAndLaterByTheOffset) {
  EXPECT_EQ(usual.greenFrom(0, Lane::east, 0), 0);
  EXPECT_EQ(usual.greenFrom(26.5, Lane::west, 0), 26.5);
  EXPECT_EQ(usual.greenFrom(27, Lane::west, 0), 60);
  EXPECT_EQ(usual.greenFrom(59, Lane::east, 0), 60);
  EXPECT_EQ(usual.greenFrom(5, Lane::south, 0), 30);
  EXPECT_EQ(usual.greenFrom(56, Lane::north, 0), 56);
  EXPECT_EQ(usual.greenFrom(57, Lane::north, 0), 90);
  EXPECT_EQ(usual.greenFrom(5, Lane::east, 1), 15);
  EXPECT_EQ(usual.greenFrom(5, Lane::east, 5), 15);
}

TEST(Traffic, IsTheSameOnAllEnginesAndThreads) {
  const auto hashOf = [](const std::string& engine, int threads) {
    const Grid grid({5, 7}, threads, engine);
    for (int call = 0; call < 3; ++call) grid.places.runEvents(seconds(150), usual);
    EXPECT_GT(grid.sum<&Crossing::left>(), 1000);
    EXPECT_EQ(grid.sum<&Crossing::entered>() - grid.sum<&Crossing::left>() + 24,
              static_cast<double>(grid.places.pendingEvents()));  // and one entry of each lane
    return std::pair(grid.places.hash(), grid.places.eventCounts().hash);
  };
  const auto expected = hashOf("reference", 1);
  for (int threads = 1; threads <= 4; ++threads)
    for (const char* const engine : {"time_warp", "conservative"})
      EXPECT_EQ(hashOf(engine, threads), expected) << engine << ", " << threads << " threads";
}

// A vehicle that is alone waits for the rest of the red time r, if it arrives in it: r^2 / 2c in
// the mean. Its variance is r^3 / 3c - (r^2 / 2c)^2.
TEST(Traffic, WaitsOfSingleVehiclesAreThoseOfRedSignals) {
  Plan plan = usual;
  plan.inflow = 1e-4;
  const Grid grid({1, 1});
  grid.places.runEvents(seconds(1e8), plan);
  const double red = plan.cycle - plan.green, expected = red * red / (2 * plan.cycle);
  const double variance = red * red * red / (3 * plan.cycle) - expected * expected;
  const double vehicles = grid.sum<&Crossing::arrived>();
  EXPECT_GT(vehicles, 30000);
  EXPECT_NEAR(grid.sum<&Crossing::waits>() / vehicles, expected,
              4 * std::sqrt(variance / vehicles));
}

// Webster ("Traffic signal settings", 1958): his formula for a lane with random arrivals, which he
// compared with simulations and found to be within some percent of them.
TEST(Traffic, WaitsAtOneCrossingAreThoseOfWebster) {
  for (const double inflow : {0.1, 0.18, 0.21}) {
    Plan plan = usual;
    plan.inflow = inflow;
    const Grid grid({1, 1});
    grid.places.runEvents(seconds(2e5), plan);
    const double ofGreen = std::ceil(plan.green / plan.headway) * plan.headway;
    const double share = ofGreen / plan.cycle;
    const double load = inflow * plan.headway / share;
    const double expected =
        plan.cycle * std::pow(1 - share, 2) / (2 * (1 - share * load)) +
        load * load / (2 * inflow * (1 - load)) -
        0.65 * std::cbrt(plan.cycle / (inflow * inflow)) * std::pow(load, 2 + 5 * share);
    EXPECT_NEAR(grid.sum<&Crossing::waits>() / grid.sum<&Crossing::arrived>(), expected,
                0.1 * expected)
        << inflow;
  }
}

TEST(Traffic, SignalsLetPassNoMoreThanTheirGreenTime) {
  Plan plan = usual;
  plan.inflow = 0.4;
  plan.turns = 0;
  const Grid grid({3, 4});
  grid.places.runEvents(seconds(600), plan);
  const double before = grid.sum<&Crossing::left>();
  grid.places.runEvents(seconds(6000), plan);
  // 14 lanes, of which each lets 14 vehicles pass in a cycle: at 0, 2, ... 26 s of green
  EXPECT_EQ(grid.sum<&Crossing::left>() - before, 14.0 * 14 * 100);
}

// Signals that are later by the time between crossings let a platoon pass; if this is half a cycle,
// in both directions.
TEST(Traffic, GreenWavesPassWithoutWaiting) {
  const auto waitInTheMiddle = [](double offset) {
    Plan plan = usual;
    plan.turns = 0;
    plan.travel = 30;
    plan.offset = offset;
    const Grid grid({3, 3});
    grid.places.runEvents(seconds(6000), plan);
    const auto arrived = grid.places.download<&Crossing::arrived>()[4];
    EXPECT_GT(arrived, 3000);
    return grid.places.download<&Crossing::waits>()[4] / arrived;
  };
  EXPECT_LT(waitInTheMiddle(30), 1e-6);
  EXPECT_GT(waitInTheMiddle(0), 10);
}

// L = lambda W (Little 1961): the mean number of vehicles that are counted at moments is their
// rate times their mean journey. The moments fall on all parts of a cycle. Both are measured in
// batches; the mean of the differences is within 4 standard errors of 0.
TEST(Traffic, FollowsLittlesLaw) {
  const mass::Program traffic = program();
  mass::Settings settings(traffic.schema);
  for (const char* word : {"rows=3", "columns=4", "steps=1000000", "events.step=7.3",
                           "checkpoint.every=0", "threads=1"})
    settings.set(word);
  mass::Run run(traffic, settings);
  constexpr int batches = 12, moments = 600;
  run.step(moments);  // to fill the grid
  std::vector<double> vehicles, products;
  double before = 0;
  const auto read = [&](const std::string& column) {
    const auto row = run.row();
    for (std::size_t i = 0; i < row.names.size(); ++i)
      if (row.names[i] == column) return row.values[i];
    ADD_FAILURE() << "no column " << column;
    return 0.0;
  };
  const mass::AnyPlaces grid = run.mass().places().front();
  std::vector<double> journeys(static_cast<std::size_t>(grid.size()));
  const auto sumOfJourneys = [&] {
    grid.read("journeys", journeys.data());
    double sum = 0;
    for (const double journey : journeys) sum += journey;
    return sum;
  };
  before = sumOfJourneys();
  for (int batch = 0; batch < batches; ++batch) {
    double sum = 0;
    for (int moment = 0; moment < moments; ++moment) {
      run.step(1);
      sum += read("vehicles");
    }
    const double after = sumOfJourneys();
    vehicles.push_back(sum / moments);
    products.push_back((after - before) / (moments * 7.3));
    before = after;
  }
  double mean = 0, difference = 0, square = 0;
  for (int batch = 0; batch < batches; ++batch) {
    const auto i = static_cast<std::size_t>(batch);
    mean += vehicles[i] / batches;
    difference += (vehicles[i] - products[i]) / batches;
    square += std::pow(vehicles[i] - products[i], 2) / batches;
  }
  const double error = std::sqrt((square - difference * difference) / (batches - 1));
  EXPECT_LT(error, 0.01 * mean);
  EXPECT_LT(std::abs(difference), 4 * error);
  EXPECT_NEAR(read("little"), 1, 0.01);
}

TEST(Traffic, ReportsAGreenTimeAboveHalfTheCycle) {
  const mass::Program traffic = program();
  mass::Settings settings(traffic.schema);
  settings.set("signal.green=31");
  EXPECT_THROW(mass::Run(traffic, settings), mass::SettingsError);
}

}  // namespace
}  // namespace traffic
