// Stochastic reaction-diffusion systems with closed-form solutions.

#include <tests/apps/rdme/test_run.hpp>
#include <tests/support/long_test.hpp>

#include <apps/rdme/lattice/lattice.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace {

using namespace rdme::testing;
using rdme::Model;

/// Number of independent realizations of a system, one in each site: that of the test suite, fewer
/// in slow builds with sanitizers.
constexpr std::int64_t runs = mass::checked ? 1000 : 10'000;

struct Expected {
  double mean, deviation;
};

/// Simulates a system of one species for 50 s by steps of 1 s (20 s in quick tests), and compares
/// by the criteria of the test suite (Evans, Gillespie & Wilkinson, "The SBML discrete stochastic
/// models test suite", Bioinformatics 24, 2008): Z of the mean within 3, Y of the standard
/// deviation within 5.
template <class Solution>
void expectSolution(Model model, Solution&& solution) {
  model.capacity = 256;
  TestRun run(model);
  for (int seconds = 10; seconds <= mass::testing::fullOr(50, 20); seconds += 10) {
    run.advance(10);
    const auto field = run.lattice->field(0);
    const auto n = static_cast<double>(field.size());
    const Expected expected = solution(seconds);
    double sum = 0, squares = 0;
    for (const std::uint8_t here : field) {
      ASSERT_LT(here, 255);  // fields saturate at 255
      sum += here;
      squares += (here - expected.mean) * (here - expected.mean);
    }
    const double z = std::sqrt(n) * (sum / n - expected.mean) / expected.deviation;
    const double y =
        std::sqrt(n / 2) * (squares / n / (expected.deviation * expected.deviation) - 1);
    EXPECT_LE(std::abs(z), 3) << seconds << " s: mean " << sum / n << ", " << expected.mean;
    // The variance depends on rare realizations with many particles, which few runs do not sample.
    if (runs < 10'000) continue;
    EXPECT_LE(std::abs(y), 5) << seconds << " s: variance " << squares / n;
  }
}

/// Compares X -> 2 X at `birth` /s, X -> nothing at `death` /s, from 100 particles.
void expectBirthAndDeath(double birth, double death) {
  Model model = bareModel({runs / 100, 10, 10}, 1, 0);
  model.timeStep = 1;
  model.channels = {{1, {0}, {0, 0}, birth, "", ""}, {1, {0}, {}, death, "", ""}};
  model.initial = {{0, 100 * runs, {1}, true}};
  expectSolution(model, [&](double t) {
    const double growth = std::exp((birth - death) * t);
    const double variance = 100 * (birth + death) / (birth - death) * growth * (growth - 1);
    return Expected{100 * growth, std::sqrt(variance)};
  });
}

TEST(StochasticSuite, BirthAndDeath00101) {
  expectBirthAndDeath(0.1, 0.11);
}
TEST(StochasticSuite, BirthAndDeath00103) {
  expectBirthAndDeath(1, 1.1);
}

TEST(StochasticSuite, ImmigrationByFives00401) {
  Model model = bareModel({runs / 100, 10, 10}, 1, 0);
  model.timeStep = 1;
  constexpr double alpha = 1, mu = 0.2;
  model.channels = {{1, {}, {0, 0, 0, 0, 0}, alpha, "", ""}, {1, {0}, {}, mu, "", ""}};
  expectSolution(model, [&](double t) {
    const double once = 1 - std::exp(-mu * t), twice = 1 - std::exp(-2 * mu * t);
    return Expected{5 * alpha / mu * once,
                    std::sqrt(5 * alpha / mu * once + 5 * 4 * alpha / (2 * mu) * twice)};
  });
}

TEST(ReactionAndDiffusion, DecayByACatalystIsPoisson) {
  // Nothing -> A at 0.2 a step in total, A + B -> B: 8 B in 64 sites.
  Model model = bareModel({4, 4, 4}, 2, 0.25);
  constexpr double meeting = 0.04, source = 0.2 / 64;
  model.channels = {{1, {}, {0}, source, "", ""}, {1, {0, 1}, {1}, meeting, "", ""}};
  model.initial = {{1, 8, {1}}};
  TestRun run(model);
  run.advance(3000);
  double sum = 0, squares = 0;
  // The standard error falls with the root of their number.
  const int looks = mass::checked ? 500 : mass::testing::fullOr(8000, 2000);
  for (int look = 0; look < looks; ++look) {
    run.advance(200);  // mean lifetime of A
    const auto here = static_cast<double>(run.lattice->count(0));
    sum += here / looks;
    squares += here * here / looks;
  }
  const double expected = source * 64 / (meeting * 8 / 64);
  const double tolerance = 0.075 * std::sqrt(8000.0 / looks);
  EXPECT_NEAR(sum, expected, tolerance * expected);
  EXPECT_NEAR(squares - sum * sum, expected, tolerance * expected);
}

/// Compares the number of particles within some radii of their starting point, the center of a
/// square or cube, after some steps.
void expectPointSource(int dimensions) {
  constexpr int side = 61, middle = side / 2, steps = 30;
  constexpr double hop = 0.2;
  const std::int64_t depth = dimensions == 3 ? side : 1;
  Model model = bareModel({depth, side, side}, 1, hop);
  model.siteTypes.push_back("start");
  model.types.assign(static_cast<std::size_t>(depth * side * side), 1);
  model.types[static_cast<std::size_t>((depth / 2 * side + middle) * side + middle)] = 2;
  model.hop.assign(9, 0);
  for (const int from : {1, 2}) {
    for (const int to : {1, 2}) model.hop[model.transitionIndex(from, to, 0)] = hop;
  }
  model.initial = {{0, 250, {2}}};
  model.capacity = 256;
  const auto p = displacementDistribution(hop, steps);
  const auto along = [&](std::int64_t away) {
    return std::abs(away) > steps ? 0 : p[static_cast<std::size_t>(away + steps)];
  };
  constexpr int seeds = mass::checked ? 4 : 40;
  std::vector<double> found(model.types.size());
  for (int seed = 1; seed <= seeds; ++seed) {
    TestRun run(model, 1, static_cast<std::uint64_t>(seed));
    run.advance(steps);
    const auto field = run.lattice->field(0);
    for (std::size_t i = 0; i < field.size(); ++i) found[i] += field[i];
  }
  for (const int radius : {4, 6, 8}) {
    double within = 0, expected = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const std::int64_t c = at / side / side - depth / 2, b = at / side % side - middle;
      const std::int64_t a = at % side - middle;
      if (c * c + b * b + a * a > radius * radius) continue;
      within += found[i];
      expected += 250 * seeds * (dimensions == 3 ? along(c) : 1) * along(b) * along(a);
    }
    EXPECT_NEAR(within, expected, (mass::checked ? 0.2 : 0.05) * expected) << "within " << radius;
  }
}

TEST(ReactionAndDiffusion, SpreadsFromAPointInAPlane) {
  expectPointSource(2);
}
TEST(ReactionAndDiffusion, SpreadsFromAPointInSpace) {
  expectPointSource(3);
}

TEST(ReactionAndDiffusion, EntersATubeFromAReservoir) {
  // Two layers are a reservoir of 4 particles a site: birth and death reduce a deviation to e^-2 in
  // a step. The density in the tube beyond them is the complementary error function (Crank, The
  // Mathematics of Diffusion, eq. 3.13).
  constexpr std::int64_t length = 80, width = 12, reservoir = 2, layersOfSection = 6;
  constexpr double hop = 0.25, density = 4, decay = 2;
  constexpr int steps = 300, seeds = mass::checked ? 2 : 8;
  Model model = bareModel({length, width, width}, 1, hop, false);
  model.siteTypes.push_back("reservoir");
  model.types.assign(static_cast<std::size_t>(length * width * width), 1);
  std::fill_n(model.types.begin(), reservoir * width * width, std::uint8_t{2});
  model.hop.assign(9, 0);
  for (const int from : {1, 2}) {
    for (const int to : {1, 2}) model.hop[model.transitionIndex(from, to, 0)] = hop;
  }
  model.channels = {{2, {}, {0}, density * decay, "", ""}, {2, {0}, {}, decay, "", ""}};
  model.initial = {{0, static_cast<std::int64_t>(density) * reservoir * width * width, {2}}};
  std::vector<double> layers(static_cast<std::size_t>(length));
  for (int seed = 1; seed <= seeds; ++seed) {
    TestRun run(model, 1, static_cast<std::uint64_t>(seed));
    run.advance(steps);
    const auto profile = run.lattice->profile(0);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i] += static_cast<double>(profile[i]) / seeds;
    }
  }
  // Three sections, of which the last has 5,800 particles, with a standard deviation of 1.3 %.
  // Distances are from the center of the last layer of the reservoir.
  for (std::int64_t section = 0; section < 3; ++section) {
    double found = 0, expected = 0;
    for (std::int64_t i = 1 + layersOfSection * section; i <= layersOfSection * (section + 1);
         ++i) {
      found += layers[static_cast<std::size_t>(reservoir - 1 + i)];
      expected += density * static_cast<double>(width * width) *
                  std::erfc(static_cast<double>(i) / std::sqrt(4 * hop * steps));
    }
    EXPECT_NEAR(found, expected, (mass::checked ? 0.2 : 0.05) * expected) << "section " << section;
  }
}

TEST(ReactionAndDiffusion, RelaxesInAClosedTube) {
  // All particles start in the first quarter and reach the far wall: cosine series of a tube with
  // closed ends (Crank, eq. 2.17).
  constexpr std::int64_t length = 24, width = 16, first = length / 4, section = length / 4;
  constexpr double hop = 0.25, perSite = 8;
  constexpr int steps = 216, seeds = mass::checked ? 1 : 10;
  Model model = bareModel({length, width, width}, 1, hop, false);
  model.siteTypes.push_back("first");
  model.types.assign(static_cast<std::size_t>(length * width * width), 1);
  std::fill_n(model.types.begin(), first * width * width, std::uint8_t{2});
  model.hop.assign(9, 0);
  for (const int from : {1, 2}) {
    for (const int to : {1, 2}) model.hop[model.transitionIndex(from, to, 0)] = hop;
  }
  constexpr auto particles = static_cast<std::int64_t>(perSite) * first * width * width;
  model.initial = {{0, particles, {2}, true}};
  std::vector<double> layers(static_cast<std::size_t>(length));
  for (int seed = 1; seed <= seeds; ++seed) {
    TestRun run(model, 1, static_cast<std::uint64_t>(seed));
    run.advance(steps);
    const auto profile = run.lattice->profile(0);
    for (std::size_t i = 0; i < layers.size(); ++i) layers[i] += static_cast<double>(profile[i]);
  }
  constexpr double pi = std::numbers::pi, quarter = static_cast<double>(first) / length;
  const auto share = [&](std::int64_t layer) {
    const double at = (static_cast<double>(layer) + 0.5) / length;
    double density = 1;
    for (int n = 1; n < 40; ++n) {
      density += 2 / (n * pi * quarter) * std::sin(n * pi * quarter) * std::cos(n * pi * at) *
                 std::exp(-n * n * pi * pi * hop * steps / (length * length));
    }
    return density / length;
  };
  for (std::int64_t begin = 0; begin < length; begin += section) {
    double found = 0, expected = 0;
    for (std::int64_t i = begin; i < begin + section; ++i) {
      found += layers[static_cast<std::size_t>(i)];
      expected += share(i) * particles * seeds;
    }
    // The last quarter has 10,300 particles, with a standard deviation of 1 %; without the far wall
    // it would have half of them.
    EXPECT_NEAR(found, expected, (mass::checked ? 0.2 : 0.05) * expected) << "from " << begin;
  }
}

}  // namespace
