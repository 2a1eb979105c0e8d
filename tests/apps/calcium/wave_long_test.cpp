// Stochastic waves and the equilibrium of the buffer: fifteen minutes on one core. Seeds are fixed;
// each test states its size and its probability to fail for another seed.
#include "runs.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace calcium {
namespace {

/// Speeds of the waves of several runs in um/s, means over both sides.
struct Speeds {
  std::vector<double> of;

  Speeds(const std::string& yaml, int runs) {
    for (int seed = 1; seed <= runs; ++seed) {
      const ProgramRun run(yaml, {"seed=" + std::to_string(seed)});
      const Fronts fronts = measureFronts(run.profile, defaultFront);
      EXPECT_TRUE(fronts.left.hasPassed() && fronts.right.hasPassed()) << "seed " << seed;
      of.push_back(0.5 * (fronts.left.speed + fronts.right.speed));
    }
  }
  double mean() const {
    double sum = 0;
    for (const double speed : of) sum += speed;
    return sum / static_cast<double>(of.size());
  }
};

const std::string wave = "receptors: 80\nevents: {step: 2}\nduration: ";

// 6 runs of 156 million events. The next subvolume method has 97.7 +- 2 um/s. The standard
// deviation of a run is 3 um/s, that of the mean 1.2: 4.2 of these for 97.7 um/s, 3 10^-5. A wave
// by wrong bounds of the rates has 85 um/s.
TEST(WaveLong, HasTheSpeedOfTheNextSubvolumeMethod) {
  const Speeds speeds(wave + "2400\n", 6);
  EXPECT_NEAR(speeds.mean(), 97.7, 5.2);
  RecordProperty("speed", fmt::format("{:.2f}", speeds.mean()));
}

// 6 runs of 162 million events. The next subvolume method has 80 +- 4 um/s. The standard deviation
// of a run is 3.3 um/s, that of the mean 1.4: within 4 um/s and 4 of these, 6 10^-5. FieldWave in
// wave_test.cpp shows that concentrations have no wave.
TEST(WaveLong, SpreadsWithLessReleaseWhereConcentrationsDoNot) {
  const Speeds speeds(wave + "2500\nrelease: {strength: 96320}\n", 6);
  EXPECT_NEAR(speeds.mean(), 80, 4 + 4 * 1.4);
  RecordProperty("speed", fmt::format("{:.2f}", speeds.mean()));
}

// 4 Ca and 5 Buf a site at the start, 2,840 sites; means over 25 times from 150 to 390 ms. The
// variance of CaBuf in a site is 1 / (1/a + 1/b + 1/c) = 0.696, and its relaxation rate 0.0349/ms:
// the standard deviation of the mean is sqrt(0.696 / 2840 * 2 / (0.0349 * 250)) = 0.0075. Within 4
// of them, 6 10^-5.
TEST(BufferLong, HasTheEquilibriumOfTheDeterministicEquations) {
  const ProgramRun run("model: buffer\nspacing: 0.25\nduration: 390\nevents: {step: 10}\n",
                       {"buffer.calcium_high=4", "buffer.calcium_low=4"});
  const auto mean = [&](const std::string& column) {
    const auto values = run.column(column);
    double sum = 0;
    for (std::size_t i = 15; i < 40; ++i) sum += values.at(i) / 25;
    return sum;
  };
  EXPECT_NEAR(mean("Ca"), 1.57260, 4 * 0.0075);
  EXPECT_NEAR(mean("Buf"), 2.57260, 4 * 0.0075);
  EXPECT_NEAR(mean("CaBuf"), 2.42740, 4 * 0.0075);
  RecordProperty("CaBuf", fmt::format("{:.4f}", mean("CaBuf")));
}

}  // namespace
}  // namespace calcium
