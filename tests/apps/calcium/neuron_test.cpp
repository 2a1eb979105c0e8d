// Calcium in the sites of a neuron. Seeds are fixed.
#include "runs.hpp"

#include "../outputs.hpp"

#include <apps/calcium/neuron_parameters.hpp>
#include <apps/calcium/projection.hpp>

#include <cmath>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace calcium {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;

const std::string file = MASS_SOURCE_DIR "/settings/small_neuron.swc";
/// Part of the apical dendrite, for 0.6 ms.
const std::string branch = "model: neuron\nswc: {path: \"" + file +
                           "\", center: [1.2, 12.5, 0.8], radius: 3}\nduration: 0.6\n"
                           "events: {step: 0.2}\nstimulus: {at: 0.2, ip3: 20, width: 1.5, "
                           "adds: true, center: [1.2, 12.5, 0.8]}\n";
const std::vector<std::string> forms{"receptor: threshold\n", "receptors: 8\n"};

TEST(Neuron, HasTheSameBitsOnDevicesAndByAllEngines) {
  for (const std::string& form : forms) {
    const ProgramRun one(branch + form);
    for (const auto& [devices, threads] :
         std::vector<std::pair<std::string, std::string>>{{"1", "2"}, {"2", "2"}, {"3", "1"}}) {
      const ProgramRun run(branch + form, {"devices=" + devices, "threads=" + threads});
      EXPECT_EQ(run.hash, one.hash) << devices << ", " << threads;
      EXPECT_EQ(run.rows, one.rows) << devices << ", " << threads;
    }
    for (const std::string engine : {"reference", "time_warp"}) {
      const ProgramRun run(branch + form, {"events.engine=" + engine});
      EXPECT_EQ(run.hash, one.hash) << engine;
      EXPECT_EQ(run.rows, one.rows) << engine;
    }
  }
}

TEST(Neuron, ContinuesFromACheckpointOnOtherDevices) {
  for (const std::string& form : forms) {
    const ProgramRun whole(branch + form);
    for (const int interruption : {1, 2}) {
      const mass::testing::TemporaryFolder folder;
      hashAfter(branch + form, folder, interruption, false, 2,
                interruption == 1 ? noInjection : std::vector<std::string>{});
      EXPECT_EQ(hashAfter(branch + form, folder, 3, true, 3), whole.hash) << interruption;
      const auto table = mass::testing::cellsOf(folder / "calcium.csv");
      ASSERT_EQ(table.size(), whole.rows.size() + 1);
      for (std::size_t row = 0; row < whole.rows.size(); ++row)
        EXPECT_EQ(std::stod(table[row + 1].back()), whole.rows[row].back());
    }
  }
}

TEST(Neuron, DoesNotContinueAnotherNeuron) {
  const mass::testing::TemporaryFolder folder;
  hashAfter(branch, folder, 1, false, 1, noInjection);
  auto other = branch;
  other.replace(other.find("radius: 3"), 9, "radius: 4");
  EXPECT_THROW(hashAfter(other, folder, 2, true, 1), mass::CheckpointError);
}

TEST(Neuron, ConservesCalciumAndReceivesIp3) {
  const NeuronParameters parameters(settingsOf(branch));
  const auto& cubes = parameters.cubes;
  const auto sites = static_cast<double>(cubes.indices.size());
  double stimulated = 0;
  for (const std::int64_t index : cubes.indices)
    stimulated += parameters.isStimulated(mass::coordinatesOf<3>(index, cubes.shape)) ? 1 : 0;
  EXPECT_GT(stimulated, 8);
  EXPECT_LT(stimulated, sites / 2);
  for (const std::string& form : forms) {
    const ProgramRun run(branch + form);
    const auto calcium = run.column("Ca"), stored = run.column("ER"), ip3 = run.column("IP3");
    for (std::size_t i = 1; i < calcium.size(); ++i)
      EXPECT_NEAR(0.83 * calcium[i] + 0.17 * stored[i], 0.83 * calcium[0] + 0.17 * stored[0], 1e-9);
    // A concentration is rounded to a whole number of molecules of 0.016 uM in each site.
    EXPECT_NEAR(ip3.back() - ip3[0], 20 * stimulated / sites, 0.016 * stimulated / sites);
    EXPECT_NEAR(ip3[1], ip3[0], 1e-12);
  }
}

TEST(Neuron, ReportsItsSitesAndPartsThatAreLeftOut) {
  const ProgramRun run(branch + "steps: 0\n", {"swc.types=[3, 4]"});
  const auto cubes = mass::Morphology(file).cubes(
      {.edge = 0.5, .types = {3, 4}, .within = {{.center = {{1.2, 12.5, 0.8}}, .radius = 3}}});
  const std::string sites = fmt::format("  neuron      {} sites of 0.5 um", cubes.indices.size());
  EXPECT_TRUE(contains(run.report, sites)) << run.report;
  EXPECT_TRUE(contains(run.report, "  note        12 nodes of type 2 are left out")) << run.report;
  EXPECT_TRUE(contains(run.report, " sites, within 0.75 um of (1.2, 12.5, 0.8)")) << run.report;
}

TEST(Neuron, IsStimulatedAtItsSomaByDefault) {
  auto yaml = branch;
  yaml.resize(yaml.find("stimulus:"));
  yaml.replace(yaml.find("center: [1.2, 12.5, 0.8], "), 26, "");
  yaml += "stimulus: {at: 0.4}\n";
  const NeuronParameters parameters(settingsOf(yaml));
  EXPECT_NEAR(parameters.stimulusCenter[0], 0.4, 1e-12);
  EXPECT_NEAR(parameters.stimulusCenter[1], -0.3, 1e-12);
  EXPECT_NEAR(parameters.stimulusCenter[2], 0.2, 1e-12);
  std::int64_t stimulated = 0;
  for (const std::int64_t index : parameters.cubes.indices)
    stimulated += static_cast<std::int64_t>(
        parameters.isStimulated(mass::coordinatesOf<3>(index, parameters.cubes.shape)));
  EXPECT_NEAR(static_cast<double>(stimulated), 4.0 / 3 * M_PI * 64, 10);  // a sphere in the soma
}

TEST(Neuron, WritesItsOutputs) {
  for (const std::string& form : forms) {
    const mass::testing::TemporaryFolder folder;
    const auto names = mass::testing::outputsOf(
        settingsOf(branch + form, {"output.plot=[Ca, IP3]", "output.agents_every=0"}), "calcium",
        setUp, folder);
    EXPECT_TRUE(mass::testing::hasAll(names, {"calcium.csv", "neuron.vtkhdf", "calcium.plot.png"}));
  }
}

TEST(Projection, HasMeansOfTheSitesBehindOneAnother) {
  // (z, y, x): (0, 0, 1), (0, 1, 0), (1, 0, 1), (2, 0, 1), (2, 1, 2)
  const std::vector<std::int64_t> indices{1, 3, 7, 13, 17};
  const auto picture = projected({3, 2, 3}, indices, std::vector<double>{1, 5, 2, 6, 7}, 4, "uM");
  EXPECT_EQ(picture.high, 4);
  EXPECT_EQ(picture.unit, "uM");
  EXPECT_EQ(picture.rows, 2);
  EXPECT_EQ(picture.columns, 3);
  EXPECT_EQ(picture.values, (std::vector<float>{0, 3, 0, 5, 0, 7}));
  EXPECT_EQ(picture.absent, (std::vector<bool>{true, false, true, false, true, false}));
}

// --- bad input ---

template <class Error>
std::string rejection(const std::string& yaml) {
  return messageOf<Error>([&] { NeuronParameters{settingsOf(yaml)}; });
}

TEST(BadInput, IsNamedWithTheRemedy) {
  const std::string start = "model: neuron\nspacing: 2\n";
  const std::string swc = start + "swc: {path: \"" + file + "\"}\n";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {start, "'swc.path' = \"\" (the default): name the SWC file of the neuron"},
      {start + "swc: {path: none.swc}", "test.yaml:3: 'swc.path' = none.swc: there is no file"},
      {swc + "stimulus: {center: [0, 500, 0]}",
       "test.yaml:4: 'stimulus.center' = [0, 500, 0]: no middle of a site is in the sphere of 4 um "
       "about (0, 500, 0): the nearest is "},
      {swc + "stimulus: {width: 0}", "'stimulus.width' = 0: no middle of a site is in the sphere"},
      {swc + "stimulus: {center: [1, 2]}", "a point has three numbers"},
      {swc + "stimulus: {at: 2400}", "the run ends before, after 2400 steps, 2400 ms"},
      {swc + "finite_differences: true", "the model 'neuron' has events only"},
      {swc + "length: 20", "'length' = 20: the model 'neuron' does not use it: leave it out"},
      {swc + "front: {level: 1}", "the model 'neuron' does not use it"},
      {swc + "buffer: {binding: 1}", "the model 'neuron' does not use it"},
      {swc + "time_step: 1", "only finite_differences: true uses it"},
      {swc + "threshold: {ip3: 3}", "only receptor: threshold uses it"},
      {swc + "receptor: threshold\nreceptors: 3", "receptor: threshold has no inhibiting sites"},
      {start + "swc: {path: \"" + file + "\", types: [3.5]}", "3.5 is no whole number"},
      {start + "swc: {path: \"" + file + "\", types: [256]}", "0 to 255"},
      {start + "swc: {path: \"" + file + "\", rule: inside}", "touched or middle"},
      {start + "swc: {path: \"" + file + "\", center: [1, 2, 3]}", "as swc.radius is 0"},
      {start + "swc: {path: \"" + file + "\", radius: 9, center: [1]}", "three numbers"},
  };
  for (const auto& [yaml, message] : wrong) {
    const std::string found = rejection<mass::SettingsError>(yaml);
    EXPECT_TRUE(contains(found, message)) << yaml << ": " << found;
    EXPECT_FALSE(contains(found, "\n")) << found;
  }
}

TEST(BadInput, OfTheNeuronIsNamedWithItsFile) {
  const mass::testing::TemporaryFolder folder;
  const std::string start = "model: neuron\nspacing: 2\nswc: {path: \"";
  const auto far = rejection<mass::InputError>(
      start + file + "\", radius: 3, center: [500, 0, 0]}\nstimulus: {center: [1, 2, 3]}\n");
  EXPECT_TRUE(contains(far, "small_neuron.swc: no cube of edge 2 within 3 of (500, 0, 0)")) << far;
  const auto broken = folder / "broken.swc";
  std::ofstream(broken) << "1 1 0 0 0 1 -1\n2 3 0 0\n";
  const auto columns = rejection<mass::InputError>(start + broken.string() + "\"}\n");
  EXPECT_TRUE(contains(columns, "broken.swc:2: columns: 4; a line has 7")) << columns;
  const auto somaless = folder / "somaless.swc";
  std::ofstream(somaless) << "1 3 0 0 0 1 -1\n2 3 9 0 0 1 1\n";
  const auto soma = rejection<mass::SettingsError>(start + somaless.string() + "\"}\n");
  EXPECT_TRUE(contains(soma, "the neuron has no soma, nodes of type 1")) << soma;
}

TEST(BadInput, OfOtherModelsHasNoKeysOfANeuron) {
  const auto wave = messageOf<mass::SettingsError>(
      [&] { WaveParameters{settingsOf("stimulus: {center: [1, 2, 3]}")}; });
  EXPECT_TRUE(contains(wave, "only the model 'neuron' uses it")) << wave;
  const auto buffer = messageOf<mass::SettingsError>(
      [&] { BufferParameters{settingsOf("model: buffer\nswc: {radius: 3}")}; });
  EXPECT_TRUE(contains(buffer, "the model 'buffer' does not use it")) << buffer;
}

}  // namespace
}  // namespace calcium
