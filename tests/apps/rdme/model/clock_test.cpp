// The clock of a model, and particles that are added during the run.
#include <tests/apps/rdme/small_models.hpp>

#include <apps/rdme/model/model.hpp>

#include <gtest/gtest.h>

#include <string>

namespace rdme {
namespace {

using mass::testing::contains;

/// Returns settings of a model of 8 x 8 x 8 sites of 1 um with the clock of events.
std::string yamlOf(const std::string& lines, const std::string& end = {}) {
  return "model:\n  clock: events\n  lattice: {sites: [8, 8, 8], spacing: 1 um}\n"
         "  species: {A: 2 um2/s}\n" +
         lines + end;
}
Model modelOf(const std::string& lines, const std::string& end = {}) {
  return Model::parse(yamlOf(lines, end), "cell.yaml");
}
std::string errorOf(const std::string& yaml) {
  return mass::testing::messageOf<mass::SettingsError>([&] { Model::parse(yaml, "cell.yaml"); });
}

TEST(Clock, OfEventsHasRatesInsteadOfProbabilities) {
  const Model model = modelOf(
      "  reactions: [{reaction: A -> nothing, rate: 3 /s}, {reaction: 2 A -> A, rate: 0.5 "
      "um3/s}]\n",
      "events: {step: 2.5}\n");
  EXPECT_EQ(model.clock, Clock::events);
  EXPECT_DOUBLE_EQ(model.timeStep, 2.5e-3);
  EXPECT_DOUBLE_EQ(model.hopProbability(1, 1, 0), 2);
  EXPECT_DOUBLE_EQ(model.channels[0].propensity, 3);
  EXPECT_DOUBLE_EQ(model.channels[1].propensity, 1);
  EXPECT_TRUE(model.warnings.empty());
  EXPECT_TRUE(contains(model.report(), "a step of the run is 2.5 ms"));
  EXPECT_FALSE(contains(model.report(), "capacity"));
  EXPECT_EQ(testing::withA("").clock, Clock::steps);
  EXPECT_EQ(testing::withA("  clock: steps\n").clock, Clock::steps);
}

TEST(Clock, RefusesKeysOfTheOther) {
  EXPECT_EQ(errorOf("model:\n  clock: events\n  lattice: {sites: [8, 8, 8], spacing: 1 um, "
                    "timestep: 1 us}\n  species: {A: 1 um2/s}\n"),
            "cell.yaml:3: 'model.lattice.timestep' = 1 us: 'clock: events' has none: each hop and "
            "reaction happens at its own time, and events.step is the length of a step of the run; "
            "leave it out");
  EXPECT_EQ(errorOf(yamlOf("  capacity: 9\n")),
            "cell.yaml:5: 'model.capacity' = 9: 'clock: events' has none: a site has any number of "
            "particles; leave it out");
  EXPECT_TRUE(contains(errorOf(yamlOf("  method: gillespie\n")), "'model.method' = gillespie: "));
  EXPECT_TRUE(contains(errorOf("model:\n  clock: foo\n  lattice: {}\n"),
                       "cell.yaml:2: 'model.clock' = foo: expected steps "));
  EXPECT_TRUE(contains(errorOf(testing::yamlWith("  species: {A: 1 um2/s}\nevents: {step: 2}\n")),
                       "'events.step' = 2: only a model with 'clock: events' uses it"));
  EXPECT_TRUE(contains(errorOf(testing::yamlWith("  species: {A: 1 um2/s}\nevents: {window: 2}\n")),
                       "'events.window' = 2: only a model with 'clock: events' uses it"));
}

TEST(Clock, HasWholeWindowsInAStep) {
  EXPECT_NO_THROW(modelOf("", "events: {step: 20, window: 0.004}\n"));
  EXPECT_TRUE(contains(errorOf(yamlOf("", "events: {step: 20, window: 0.003}\n")),
                       "it is no whole number of windows of 0.003 s (events.window): the nearest "
                       "is 21 ms"));
  EXPECT_TRUE(contains(errorOf(yamlOf("", "events: {step: 0}\n")), "'events.step' = 0"));
  EXPECT_TRUE(contains(errorOf(yamlOf("", "events: {step: -1}\n")), "'events.step' = -1"));
}

TEST(Stimulus, IsInTheSitesOfItsShape) {
  const Model model = modelOf(
      "  stimulus:\n    - {at: 4 ms, species: A, count: 7, box: {from: [0 um, 0 um, 0 um], to: [2 "
      "um, 3 um, 1 um]}}\n    - {at: 2 ms, species: A, concentration: 1 /um3}\n",
      "steps: 10\n");
  ASSERT_EQ(model.stimuli.size(), 2U);
  EXPECT_EQ(model.stimuli[0].step, 2);
  EXPECT_EQ(model.stimuli[0].count, 512);
  EXPECT_EQ(model.stimuli[1].step, 4);
  EXPECT_EQ(model.stimuli[1].sites, (std::vector<std::int64_t>{0, 1, 8, 9, 16, 17}));
  EXPECT_TRUE(contains(model.report(), "7 in 6 sites at 4 ms"));
}

TEST(Stimulus, RefusesWhatNeverHappens) {
  const auto errorWith = [](const std::string& item) {
    return errorOf(
        yamlOf("  site types: [c, m]\n  geometry:\n    - box: {from: [0 um, 0 um, 0 um], "
               "to: [4 um, 8 um, 8 um], type: c}\n  stimulus:\n    - {species: A, " +
                   item + "}\n",
               "steps: 10\n"));
  };
  EXPECT_EQ(errorWith("at: 10 ms, count: 1"),
            "cell.yaml:9: 'model.stimulus[1].at' = 10 ms: the run ends before, after 10 steps, 10 "
            "ms");
  EXPECT_TRUE(contains(errorWith("at: 1.3 ms, count: 1"),
                       "it is no whole number of steps of 1 ms: the nearest is 1 ms"));
  EXPECT_TRUE(contains(errorWith("at: -1 ms, count: 1"), "'model.stimulus[1].at' = -1 ms"));
  EXPECT_TRUE(contains(errorWith("at: 1, count: 1"), "'model.stimulus[1].at' = 1"));
  EXPECT_TRUE(contains(
      errorWith("at: 1 ms, count: 1, sphere: {center: [6 um, 4 um, 4 um], diameter: 2 um}"),
      "cell.yaml:9: 'model.stimulus[1]': it contains no site in which A may be"));
  EXPECT_TRUE(contains(errorWith("at: 1 ms, count: 1, in: m"), "it contains no site"));
  EXPECT_TRUE(contains(
      errorWith("at: 1 ms, count: 1, sphere: {center: [9 um, 4 um, 4 um], diameter: 2 um}"),
      "the lattice"));
  EXPECT_TRUE(contains(errorWith("at: 1 ms, count: 1, sphere: {diameter: 2 um}, box: {}"),
                       "a stimulus has one shape"));
  EXPECT_TRUE(contains(errorWith("at: 1 ms"), "give either 'count' or 'concentration'"));
}

}  // namespace
}  // namespace rdme
