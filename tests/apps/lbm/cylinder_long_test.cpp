// Shedding frequency of the cylinder of settings/cylinder.yaml.

#include "trial.hpp"

#include <apps/lbm/case/flow_case.hpp>
#include <apps/lbm/setup.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace {

using namespace lbm;

/// Returns the times at which a signal, sampled at equal times, rises through its mean.
std::vector<double> risesOf(const std::vector<double>& course, double apart) {
  double mean = 0;
  for (const double value : course) mean += value / static_cast<double>(course.size());
  std::vector<double> rises;
  for (std::size_t i = 1; i < course.size(); ++i) {
    const double before = course[i - 1] - mean, after = course[i] - mean;
    if (before < 0 && after >= 0)
      rises.push_back(apart * (static_cast<double>(i) - after / (after - before)));
  }
  return rises;
}

/// Returns the mean of a signal over whole periods, relative to its amplitude.
double meanOf(const std::vector<double>& course, double apart, const std::vector<double>& rises) {
  const auto begin = course.begin() + static_cast<std::ptrdiff_t>(rises.front() / apart),
             end = course.begin() + static_cast<std::ptrdiff_t>(rises.back() / apart);
  const auto [low, high] = std::minmax_element(begin, end);
  return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin) / (*high - *low);
}

TEST(Cylinder, ShedsVorticesWithThePublishedFrequency) {
  const std::string file = MASS_SOURCE_DIR "/settings/cylinder.yaml";
  const FlowCase flow(mass::Settings::load(file, schema()));
  ASSERT_NEAR(flow.reynolds(), 100, 1e-9);
  mass::Settings settings;
  mass::testing::setDevices(settings, 1);
  settings.set("threads=0");  // all
  mass::Mass mass(settings);
  const auto solver = createSolver(mass, flow.lattice);
  // Transverse force, after its amplitude has become constant.
  constexpr std::int64_t every = 40;
  constexpr double settled = 120;  // s
  std::vector<double> lift;
  for (std::int64_t step = 0; step < flow.steps; step += every) {
    solver->advance(mass::steps(every));
    if (static_cast<double>(step) * flow.units.step >= settled)
      lift.push_back(solver->obstacleForce()[1]);
  }
  const auto rises = risesOf(lift, static_cast<double>(every) * flow.units.step);
  ASSERT_GE(rises.size(), 12U);
  const double period = (rises.back() - rises.front()) / static_cast<double>(rises.size() - 1);
  for (std::size_t i = 1; i < rises.size(); ++i)
    EXPECT_NEAR(rises[i] - rises[i - 1], period, 0.01 * period);
  EXPECT_NEAR(meanOf(lift, static_cast<double>(every) * flow.units.step, rises), 0, 0.01);
  const double strouhal = flow.length / (period * flow.speed);
  RecordProperty("strouhal", std::to_string(strouhal));
  fmt::print("  Re 100: a Strouhal number of {:.4f}, from {} periods\n", strouhal,
             rises.size() - 1);
  // Published: 0.164 (Williamson 1996) to 0.167.
  EXPECT_GE(strouhal, 0.164 * 0.98);
  EXPECT_LE(strouhal, 0.167 * 1.02);
  EXPECT_NEAR(strouhal, 0.166, 0.0005) << "the number of apps/lbm/README.md";
}

}  // namespace
