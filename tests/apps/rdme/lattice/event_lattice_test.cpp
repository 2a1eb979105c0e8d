// Models under the clock of events: exact distributions, the clock of steps, and bits.
#include <apps/rdme/lattice/event_tables.hpp>
#include <apps/rdme/lattice/initial_placement.hpp>

#include <tests/apps/rdme/test_run.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace rdme {
namespace {

using rdme::testing::Moments;
using rdme::testing::TestRun;

/// Returns a model of both clocks, with sites of 1 um.
/// @param step length of a step of the run, ms
Model modelOf(bool isEvents, int sites, double step, const std::string& lines) {
  const std::string box =
      fmt::format("sites: [{0}, {0}, {0}], spacing: 1 um, borders: periodic", sites);
  if (isEvents)
    return Model::parse(
        fmt::format("model:\n  clock: events\n  lattice: {{{}}}\n{}events: {{step: {}}}\n", box,
                    lines, step),
        "test.yaml");
  return Model::parse(
      fmt::format("model:\n  lattice: {{{}, timestep: {} ms}}\n  accept: pair-propensity\n{}", box,
                  step, lines),
      "test.yaml");
}

/// A + B <-> C without diffusion, 6 A and 4 B in each of 4096 sites.
const std::string binding =
    "  species: {A: 0 um2/s, B: 0 um2/s, C: 0 um2/s}\n"
    "  reactions: [{reaction: A + B <-> C, rate: [0.3 um3/s, 1 /s]}]\n"
    "  initial:\n    - {species: A, count: 24576, spread: evenly}\n"
    "    - {species: B, count: 16384, spread: evenly}\n";
/// -> A at 5/s and 2 A -> at 0.1 n(n - 1)/s in each of 4096 sites.
const std::string pairs =
    "  species: {A: 0 um2/s}\n"
    "  reactions:\n    - {reaction: -> A, rate: 5 /um3/s}\n"
    "    - {reaction: 2 A -> nothing, rate: 0.1 um3/s}\n";

// The master equation gives the mean and variance of a site. The sum over n sites is normal: it is
// beyond 4.3 standard deviations with a probability of 1.7 10^-5. A test has at most four of these.
void expectSum(std::int64_t sum, int sites, double mean, double variance) {
  EXPECT_NEAR(static_cast<double>(sum), sites * mean, 4.3 * std::sqrt(sites * variance));
}

TEST(EventLattice, BindsAsTheMasterEquation) {
  for (const bool isEvents : {true, false}) {
    TestRun run(modelOf(isEvents, 16, 50, binding), 2);
    run.advance(10);
    const std::int64_t bound = run.lattice->count(2);
    expectSum(bound, 4096, 1.72885, 0.81143);
    EXPECT_EQ(run.lattice->count(0), 24576 - bound);
    EXPECT_EQ(run.lattice->count(1), 16384 - bound);
  }
}

TEST(EventLattice, CountsPairsOfOneSpeciesAsTheMasterEquation) {
  for (const bool isEvents : {true, false}) {
    TestRun run(modelOf(isEvents, 16, 100, pairs), 2);
    run.advance(20);
    expectSum(run.lattice->count(0), 4096, 4.92169, 3.71691);
    const Moments moments(*run.lattice, 0);
    // The variance of a sample of n has a standard deviation of about variance sqrt(2.2 / n).
    EXPECT_NEAR(moments.variance, 3.71691, 4.3 * 3.71691 * std::sqrt(2.2 / 4096));
  }
}

/// Two types of sites: A and C may be in both, B in m only, where it meets A.
const std::string membranes =
    "  site types: [c, m]\n"
    "  geometry:\n    - everywhere: c\n"
    "    - box: {from: [0 um, 0 um, 0 um], to: [8 um, 24 um, 24 um], type: m}\n"
    "  species:\n    A: {c: 4 um2/s, m: 2 um2/s, between: {c -> m: 3 um2/s}}\n"
    "    B: {m: 0.5 um2/s}\n    C: {c: 4 um2/s, m: 2 um2/s}\n"
    "  reactions:\n    - {reaction: A + B -> C, rate: 0.5 um3/s, in: m}\n"
    "    - {reaction: C -> A, rate: 1 /s, in: c}\n    - {reaction: C -> A + B, rate: 0.5 /s, in: "
    "m}\n"
    "  initial:\n    - {species: A, count: 20000}\n    - {species: B, count: 12000}\n";

TEST(EventLattice, AgreesWithTheClockOfSteps) {
  TestRun events(modelOf(true, 24, 20, membranes), 2), steps(modelOf(false, 24, 2, membranes), 2);
  for (int row = 0; row < 3; ++row) {
    events.advance(10);
    steps.advance(100);
    // The variance of a number of particles is at most about its mean, so each of 18 differences of
    // two runs is beyond 4.8 sqrt(2 mean) with a probability below 2 10^-6.
    for (int species = 0; species < 3; ++species) {
      for (int type = 1; type <= 2; ++type) {
        const auto ours = static_cast<double>(events.lattice->countIn(species, type));
        const auto theirs = static_cast<double>(steps.lattice->countIn(species, type));
        EXPECT_NEAR(ours, theirs, 4.8 * std::sqrt(2 * theirs)) << species << " in " << type;
      }
    }
  }
  EXPECT_EQ(events.lattice->countIn(1, 1), 0);
  EXPECT_GT(events.lattice->countIn(2, 1), 100);
}

/// A cell in a corner of a box: most sites do not exist.
const std::string cell =
    "  site types: [c, m]\n"
    "  geometry:\n    - sphere: {center: [5 um, 5 um, 5 um], diameter: 8 um, type: c, shell: m}\n"
    "  species: {A: 2 um2/s, B: {m: 0.1 um2/s}}\n"
    "  reactions:\n    - {reaction: A <-> B, rate: [2 /s, 1 /s], in: m}\n"
    "    - {reaction: 2 A -> A, rate: 0.05 um3/s}\n    - {reaction: -> A, rate: 1 /um3/s, in: c}\n"
    "  initial: [{species: A, count: 600}]\n"
    "  stimulus: [{at: 40 ms, species: A, count: 300, sphere: {center: [4 um, 4 um, 4 um], "
    "diameter: 3 um}}]\n";

/// Returns the hash after the steps of a run.
std::uint64_t hashOf(int devices, int threads, const std::vector<std::string>& more) {
  mass::Mass mass = mass::testing::makeMass(devices, threads, {}, more);
  const Model model = modelOf(true, 12, 20, cell);
  const auto lattice = createLattice(mass, model);
  lattice->advance(0, mass::Steps{2});
  lattice->add(stimulusPlacement(model.stimuli[0], 0, 1));
  lattice->advance(2, mass::Steps{3});
  return lattice->hash();
}

TEST(EventLattice, HasTheBitsOfOneThreadOnAnyDevices) {
  const std::uint64_t expected = hashOf(1, 1, {"events.engine=reference"});
  EXPECT_EQ(hashOf(1, 1, {}), expected);
  EXPECT_EQ(hashOf(2, 2, {}), expected);
  EXPECT_EQ(hashOf(3, 7, {}), expected);
  EXPECT_EQ(hashOf(1, 1, {"events.engine=time_warp"}), expected);
  EXPECT_NE(hashOf(1, 1, {"events.window=0.005"}), expected);
}

TEST(EventLattice, HasLayersOfTheBox) {
  TestRun run(modelOf(true, 12, 20, cell), 1);
  const auto layers = run.lattice->profile(0);
  ASSERT_EQ(layers.size(), 12U);
  std::int64_t sum = 0, inCell = 0;
  for (std::size_t z = 0; z < layers.size(); ++z) {
    sum += layers[z];
    if (z >= 1 && z <= 8) inCell += layers[z];
  }
  EXPECT_EQ(sum, 600);
  EXPECT_EQ(inCell, 600);
  const auto field = run.lattice->field(0);
  EXPECT_EQ(field.size(), 12U * 12 * 12);
  EXPECT_EQ(field[0], 0);
}

TEST(EventTables, HalveTheRateOfPairsInBothOrders) {
  const EventTables tables(modelOf(true, 2, 1, pairs));
  ASSERT_EQ(tables.reactions.size(), 2U);
  EXPECT_EQ(tables.firstOfType, (std::vector<std::int32_t>{0, 0, 2}));
  EXPECT_DOUBLE_EQ(tables.sources[1], 5);
  const std::int32_t counts[] = {7};
  EXPECT_NEAR(tables.reactions[1].rate * tables.reactions[1].combinations(counts), 0.1 * 7 * 6,
              1e-12);
}

}  // namespace
}  // namespace rdme
