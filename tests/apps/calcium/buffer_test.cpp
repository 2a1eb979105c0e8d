// Calcium and a buffer in a Y-shaped cell.
#include "runs.hpp"

#include "../outputs.hpp"

#include <apps/calcium/arms.hpp>
#include <apps/calcium/parameters.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace calcium {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;

const std::string cell =
    "model: buffer\nspacing: 0.25\nbuffer: {arm_length: 2}\nevents: {step: 5}\n";

TEST(Arms, AreThreeCylindersOfEqualLength) {
  const Arms arms(10, 1, 0.25);
  EXPECT_EQ(arms.sites(), arms.sites(0) + arms.sites(1) + arms.sites(2));
  // 21 sites across and 40 along, and the ends; the paper has 922.
  for (int arm = 0; arm < 3; ++arm) EXPECT_NEAR(static_cast<double>(arms.sites(arm)), 922, 70);
  // The first arm points up, and is mirrored along z and x.
  const auto& shape = arms.shape();
  const std::int64_t middle = shape[2] / 2;
  for (std::int64_t y = 0; y < shape[1] / 2; ++y) {
    for (std::int64_t x = 0; x < shape[2]; ++x) {
      for (std::int64_t z = 0; z < shape[0]; ++z) {
        EXPECT_EQ(arms.at({z, y, x}) >= 0, arms.at({shape[0] - 1 - z, y, x}) >= 0);
        EXPECT_EQ(arms.at({z, y, x}) >= 0, arms.at({z, y, 2 * middle - x}) >= 0);
      }
    }
  }
}

TEST(Arms, DoNotTouchTheFacesOfTheBox) {
  for (const double diameter : {0.1, 0.5, 1.0, 1.3}) {
    const Arms arms(3, diameter, 0.25);
    const auto& shape = arms.shape();
    for (std::int64_t z = 0; z < shape[0]; ++z) {
      for (std::int64_t y = 0; y < shape[1]; ++y) {
        for (std::int64_t x = 0; x < shape[2]; ++x) {
          const bool isAtFace = y == 0 || x == 0 || y == shape[1] - 1 || x == shape[2] - 1;
          EXPECT_FALSE(isAtFace && arms.at({z, y, x}) >= 0);
        }
      }
    }
  }
}

// 4 Ca and 5 Buf a site on average: the equilibrium of 0.006 a b = 0.01 c.
TEST(BufferField, ReachesTheEquilibrium) {
  const ProgramRun run(cell +
                       "finite_differences: true\ntime_step: 0.1\nduration: 1000\n"
                       "output: {table_every: 10}\n");
  const auto sum = [&](std::size_t row) {
    return run.column("Ca")[row] + run.column("CaBuf")[row];
  };
  const double mean = sum(0);
  EXPECT_NEAR(sum(20), mean, 1e-9);
  // The arms differ in their numbers of sites, so the mean is not exactly 4.
  const double c = 0.5 * (mean + 5 + 5.0 / 3 -
                          std::sqrt((mean + 5 + 5.0 / 3) * (mean + 5 + 5.0 / 3) - 20 * mean));
  EXPECT_NEAR(run.column("CaBuf").back(), c, 1e-5);
  EXPECT_NEAR(run.column("Ca").back(), mean - c, 1e-5);
  EXPECT_NEAR(run.column("Buf").back(), 5 - c, 1e-5);
  for (const char* const arm : {"Ca.arm1", "Ca.arm2", "Ca.arm3"})
    EXPECT_NEAR(run.column(arm).back(), mean - c, 1e-4);
}

TEST(BufferField, WithFourCalciumASiteHasTheEquilibriumOfTheIssue) {
  const ProgramRun run(cell +
                           "finite_differences: true\ntime_step: 0.1\nduration: 500\n"
                           "output: {table_every: 10}\n",
                       {"buffer.calcium_high=4", "buffer.calcium_low=4"});
  EXPECT_NEAR(run.column("Ca").back(), 1.57260, 1e-5);
  EXPECT_NEAR(run.column("Buf").back(), 2.57260, 1e-5);
  EXPECT_NEAR(run.column("CaBuf").back(), 2.42740, 1e-5);
}

TEST(Buffer, ConservesMoleculesWithinTheCell) {
  const ProgramRun run(cell + "duration: 20\n");
  const auto calcium = run.column("Ca"), buffer = run.column("Buf"), bound = run.column("CaBuf");
  for (std::size_t i = 0; i < calcium.size(); ++i) {
    EXPECT_NEAR(calcium[i] + bound[i], calcium[0], 1e-9);
    EXPECT_NEAR(buffer[i] + bound[i], 5, 1e-9);
  }
  EXPECT_GT(bound.back(), 0.5);
}

TEST(Buffer, HasTheSameBitsOnDevicesAndByAllEngines) {
  const ProgramRun one(cell + "duration: 10\n");
  EXPECT_EQ(ProgramRun(cell + "duration: 10\n", {"devices=3", "threads=4"}).hash, one.hash);
  for (const std::string engine : {"reference", "time_warp"})
    EXPECT_EQ(ProgramRun(cell + "duration: 10\n", {"events.engine=" + engine}).hash, one.hash)
        << engine;
}

TEST(Buffer, WritesItsOutputs) {
  for (const std::string form : {"", "finite_differences: true\n"}) {
    const mass::testing::TemporaryFolder folder;
    const auto names = mass::testing::outputsOf(
        settingsOf(cell + form, {"output.plot=[Ca, Buf, CaBuf]", "output.agents_every=0"}),
        "calcium", setUp, folder);
    EXPECT_TRUE(mass::testing::hasAll(names, {"calcium.csv", "cell.vtkhdf", "calcium.plot.png"}));
  }
}

TEST(BadInput, IsNamedWithTheRemedy) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"buffer: {arm_diameter: 20}", "an arm is 10 um long"},
      {"receptors: 9", "test.yaml:2: 'receptors' = 9: the model 'buffer' does not use it"},
      {"stimulus: {at: 3}", "'stimulus.at' = 3: the model 'buffer' does not use it"},
      {"time_step: 1", "only finite_differences: true uses it"},
      {"finite_differences: true\ntime_step: 2\nspacing: 0.25", "the largest stable time_step is"},
      {"buffer: {binding: -1}", "at least 0"},
      {"spacing: 0.001", "the box around the arms has about 6e+11 sites"},
  };
  for (const auto& [yaml, message] : wrong) {
    const auto found = messageOf<mass::SettingsError>(
        [&, text = "model: buffer\n" + yaml] { BufferParameters{settingsOf(text)}; });
    EXPECT_TRUE(contains(found, message)) << yaml << ": " << found;
  }
}

}  // namespace
}  // namespace calcium
