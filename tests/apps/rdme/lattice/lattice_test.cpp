#include <tests/apps/rdme/test_run.hpp>
#include <tests/support/temporary_folder.hpp>

#include <apps/rdme/lattice/lattice.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

namespace {

using namespace rdme::testing;
using rdme::Channel;
using rdme::Model;

TEST(Reactions, DecayIsBinomial) {
  // 40,000 A decay at 10^-2 a step: after 70 steps, each remains with p = e^-0.7.
  Model model = bareModel({30, 30, 30}, 1, 0.25);
  model.channels = {{1, {0}, {}, 1e-2, "", ""}};
  model.initial = {{0, 40'000, {1}}};
  TestRun run(model);
  run.advance(70);
  const double p = std::exp(-0.7), expected = 40'000 * p;
  EXPECT_NEAR(static_cast<double>(run.lattice->count(0)), expected,
              4 * std::sqrt(expected * (1 - p)));
}

TEST(Reactions, DecayInSitesHasMeanAndVariance) {
  // 8 A in each of 81,920 sites: the mean has a standard error of 0.1 %, the variance one of
  // sqrt(1.75 / sites) = 0.46 %, because the kurtosis is 3 - 0.25.
  constexpr std::int64_t sites = mass::checked ? 5120 : 81'920;
  Model model = bareModel({sites / 1024, 32, 32}, 1, 0);
  model.channels = {{1, {0}, {}, 0.04, "", ""}};
  model.initial = {{0, sites * 8, {1}, true}};
  TestRun run(model);
  run.advance(15);
  const double p = std::exp(-0.6), tolerance = mass::checked ? 0.08 : 0.02;
  const Moments moments(*run.lattice, 0);
  EXPECT_NEAR(moments.mean, 8 * p, tolerance * 8 * p);
  EXPECT_NEAR(moments.variance, 8 * p * (1 - p), tolerance * 8 * p * (1 - p));
}

TEST(Reactions, DecayInFullSitesHasItsMean) {
  Model model = bareModel({16, 16, 16}, 1, 0);
  model.channels = {{1, {0}, {}, 0.04, "", ""}};
  model.initial = {{0, 4096 * 32, {1}}};
  TestRun run(model);
  const Moments first(*run.lattice, 0);
  EXPECT_NEAR(first.mean, 32, 1e-9);  // every site is full
  run.advance(15);
  const double expected = 32 * std::exp(-0.6);
  EXPECT_NEAR(Moments(*run.lattice, 0).mean, expected, 0.01 * expected);
}

TEST(Reactions, ReversibleOnesReachEquilibrium) {
  // A <-> B with 3 to 1: a quarter is A. A sample has a relative standard deviation of
  // sqrt(3 / 80,000), and deviations decay to e^-4 in 10 steps: 8 samples have a standard error of
  // 0.22 %.
  Model model = bareModel({20, 20, 20}, 2, 0.3);
  model.channels = {{1, {0}, {1}, 0.3, "", ""}, {1, {1}, {0}, 0.1, "", ""}};
  model.initial = {{0, 80'000, {1}}};
  TestRun run(model);
  run.advance(30);
  constexpr int samples = mass::checked ? 2 : 8;
  double mean = 0;
  for (int sample = 0; sample < samples; ++sample) {
    run.advance(10);
    mean += static_cast<double>(run.lattice->count(0)) / samples;
    EXPECT_EQ(run.lattice->count(0) + run.lattice->count(1), 80'000);
  }
  EXPECT_NEAR(mean, 20'000, (mass::checked ? 0.02 : 0.01) * 20'000);
}

/// Returns the mean number of reactions in a site after some steps, by integration of the master
/// equation.
/// @param most largest number of reactions
/// @param rate rate(k) is the propensity after k reactions
template <class Rate>
double meanReactions(int most, int steps, Rate&& rate) {
  std::vector<double> p(static_cast<std::size_t>(most) + 1);
  p[0] = 1;
  constexpr int fine = 500;
  for (int step = 0; step < steps * fine; ++step) {
    for (int k = most; k >= 0; --k) {
      const auto i = static_cast<std::size_t>(k);
      const double in = k > 0 ? p[i - 1] * rate(k - 1) : 0;
      p[i] += (in - (k < most ? p[i] * rate(k) : 0)) / fine;
    }
  }
  double mean = 0;
  for (int k = 0; k <= most; ++k) mean += k * p[static_cast<std::size_t>(k)];
  return mean;
}

TEST(Reactions, PairsOfTwoSpeciesReactByTheMasterEquation) {
  // 6 A and 4 B in a site, in the mean; A + B -> C: n_A n_B pairs. About 110,000 reactions in
  // 64,000 sites have a standard error of at most 0.3 %.
  constexpr std::int64_t all = mass::checked ? 8000 : 64'000;
  Model model = bareModel({all / 1600, 40, 40}, 3, 0);
  model.channels = {{1, {0, 1}, {2}, 0.01, "", ""}};
  model.initial = {{0, all * 6, {1}}, {1, all * 4, {1}}};
  model.capacity = 32;
  TestRun run(model);
  // Initial numbers vary between sites: the expected value is the sum over the actual ones.
  const auto a = run.lattice->field(0), b = run.lattice->field(1);
  std::map<std::pair<int, int>, int> sites;
  for (std::size_t i = 0; i < a.size(); ++i) ++sites[{a[i], b[i]}];
  double expected = 0;
  for (const auto& [pair, count] : sites) {
    const auto [ofA, ofB] = pair;
    expected += count * meanReactions(std::min(ofA, ofB), 12, [ofA = ofA, ofB = ofB](int k) {
                  return 0.01 * (ofA - k) * (ofB - k);
                });
  }
  run.advance(12);
  EXPECT_NEAR(static_cast<double>(run.lattice->count(2)), expected,
              (mass::checked ? 0.03 : 0.01) * expected);
  EXPECT_EQ(run.lattice->count(0) + run.lattice->count(2), all * 6);
  EXPECT_EQ(run.lattice->count(1) + run.lattice->count(2), all * 4);
}

TEST(Reactions, PairsOfOneSpeciesAreCountedOnce) {
  // 2 A -> B: n (n - 1) / 2 pairs. Number of sites and standard error as for two species.
  constexpr std::int64_t all = mass::checked ? 8000 : 64'000;
  Model model = bareModel({all / 1600, 40, 40}, 2, 0);
  model.channels = {{1, {0, 0}, {1}, 0.01, "", ""}};
  model.initial = {{0, all * 8, {1}}};
  TestRun run(model);
  const auto a = run.lattice->field(0);
  std::map<int, int> sites;
  for (const int here : a) ++sites[here];
  double expected = 0;
  for (const auto& [n, count] : sites) {
    expected += count * meanReactions(n / 2, 10, [n = n](int k) {
                  return 0.01 * (n - 2 * k) * (n - 2 * k - 1) / 2;
                });
  }
  run.advance(10);
  EXPECT_NEAR(static_cast<double>(run.lattice->count(1)), expected,
              (mass::checked ? 0.03 : 0.01) * expected);
}

TEST(Reactions, ChannelsOfTheSameReactantsShareThem) {
  // A -> B and A -> C at 2 to 1, A + B -> D and A + B -> E at 1 to 3.
  Model model = bareModel({mass::checked ? 8 : 20, 30, 30}, 5, 0.2);
  model.channels = {{1, {0}, {1}, 0.02, "", ""},
                    {1, {0}, {2}, 0.01, "", ""},
                    {1, {0, 1}, {3}, 0.01, "", ""},
                    {1, {1, 0}, {4}, 0.03, "", ""}};
  model.initial = {{0, model.siteCount() * 8, {1}}};
  TestRun run(model);
  run.advance(120);
  const auto count = [&](int species) { return static_cast<double>(run.lattice->count(species)); };
  const double firstOrder = count(1) + count(2) + count(3) + count(4);
  EXPECT_NEAR(count(2) / firstOrder, 1.0 / 3, 0.01);
  EXPECT_NEAR(count(3) / (count(3) + count(4)), 0.25, 0.01);
  EXPECT_GT(count(3), 3000);
}

TEST(Reactions, BirthAndDeathArePoisson) {
  // Nothing -> A at 2.5 a site and step, A -> nothing at 0.5: 5 in each of 24,576 sites. In 4
  // steps, deviations decay to e^-2 in the mean and e^-4 in the variance: with 8 samples the mean
  // has a standard error of 0.12 %, the variance one of sqrt(2.2 / 196,608) = 0.34 %.
  constexpr std::int64_t depth = mass::checked ? 2 : 24;
  constexpr int samples = mass::checked ? 2 : 8;
  Model model = bareModel({depth, 32, 32}, 1, 0.1);
  model.channels = {{1, {}, {0}, 2.5, "", ""}, {1, {0}, {}, 0.5, "", ""}};
  TestRun run(model);
  run.advance(24);  // the initial state decays to e^-12
  double mean = 0, variance = 0;
  for (int sample = 0; sample < samples; ++sample) {
    run.advance(4);
    const Moments moments(*run.lattice, 0);
    mean += moments.mean / samples;
    variance += moments.variance / samples;
  }
  const double tolerance = mass::checked ? 0.1 : 0.015;
  EXPECT_NEAR(mean, 5, tolerance * 5);
  EXPECT_NEAR(variance, 5, tolerance * 5);
}

TEST(Reactions, LatticeMicrobesRuleIsOneEventAStep) {
  // 32 A in a site decay at 1 a step each: one of them does in a step, with p = 1 - e^-32.
  Model model = bareModel({10, 10, 10}, 1, 0);
  model.channels = {{1, {0}, {}, 1, "", ""}};
  model.initial = {{0, 32'000, {1}}};
  model.atMostOneEvent = true;
  TestRun run(model);
  run.advance(3);
  EXPECT_EQ(run.lattice->count(0), 29'000);
}

TEST(Reactions, LatticeMicrobesRuleHasItsProbability) {
  // 5 particles react at 0.06 and 0.04 each: a = 0.5, so one of them reacts with p = 1 - e^-0.5 =
  // 0.3935, not 0.5, nor a / (1 + a) = 0.3333. Of these reactions, 3 in 5 make B.
  constexpr std::int64_t sites = 40'000;
  Model model = bareModel({40, 40, 25}, 3, 0);
  model.channels = {{1, {0}, {1}, 0.06, "", ""}, {1, {0}, {2}, 0.04, "", ""}};
  model.initial = {{0, sites * 5, {1}, true}};
  model.atMostOneEvent = true;
  TestRun run(model);
  run.advance(1);
  const auto left = run.lattice->field(0);
  EXPECT_EQ(std::count(left.begin(), left.end(), 4) + std::count(left.begin(), left.end(), 5),
            sites);
  const auto toB = static_cast<double>(run.lattice->count(1));
  const double events = toB + static_cast<double>(run.lattice->count(2));
  const double p = 1 - std::exp(-0.5);
  EXPECT_NEAR(events / sites, p, 4 * std::sqrt(p * (1 - p) / sites));  // 0.0098
  EXPECT_NEAR(toB / events, 0.6, 4 * std::sqrt(0.24 / events));
}

TEST(Reactions, WithoutRoomLeaveSitesFull) {
  // A -> 2 A without diffusion stops when every site stores 32, its capacity.
  Model model = bareModel({4, 4, 4}, 1, 0);
  model.channels = {{1, {0}, {0, 0}, 0.5, "", ""}};
  model.initial = {{0, 64, {1}, true}};
  for (const int devices : {1, 3}) {
    TestRun run(model, devices);
    EXPECT_EQ(run.lattice->sitesWithoutRoom(1, 1), 0);
    run.advance(100);
    EXPECT_EQ(run.lattice->count(0), 64 * 32);
    EXPECT_EQ(run.lattice->sitesWithoutRoom(1, 0), 0) << "full, not more";
    EXPECT_EQ(run.lattice->sitesWithoutRoom(1, 1), 64);
    EXPECT_EQ(run.lattice->sitesWithoutRoom(0, 1), 0);
  }
  model.capacity = 33;  // the storage format for 256
  TestRun run(model);
  run.advance(6);
  EXPECT_EQ(run.lattice->sitesWithoutRoom(1, 1), 0);
  EXPECT_GT(run.lattice->sitesWithoutRoom(1, 256 - 20), 0);
}

/// Expects that the counts `found` are drawn with the probabilities `p`: chi-square within 4
/// standard deviations. Bins with small expected counts are merged with their neighbours.
void expectDrawnFrom(const std::vector<double>& p, const std::vector<double>& found) {
  const double all = std::accumulate(found.begin(), found.end(), 0.0);
  double chiSquare = 0, expected = 0, here = 0, left = all;
  int bins = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    expected += all * p[i];
    here += found[i];
    constexpr double enough = 20;
    if (expected < enough || left - expected < enough) continue;  // the last bin takes the rest
    chiSquare += (here - expected) * (here - expected) / expected;
    left -= expected;
    ++bins;
    expected = here = 0;
  }
  chiSquare += (here - left) * (here - left) / left;
  // The distribution's cube root is close to normal (Wilson and Hilferty 1931).
  const double spread = 2.0 / 9 / bins;
  EXPECT_LT(chiSquare, bins * std::pow(1 - spread + 4 * std::sqrt(spread), 3)) << bins << " bins";
  EXPECT_GT(bins, 8);
}

TEST(Diffusion, SpreadsByTwiceTheHopProbabilityAStep) {
  // Particles start in the center of 41^3 sites. Each steps with 2 q = 0.4 along every axis.
  constexpr int side = 41, middle = 20, steps = 20, runs = mass::checked ? 10 : 120;
  constexpr double hop = 0.2;
  Model model = bareModel({side, side, side}, 1, hop, false);
  model.siteTypes.push_back("start");
  model.types.assign(std::size_t{side} * side * side, 1);
  model.types[(std::size_t{middle} * side + middle) * side + middle] = 2;
  model.hop.assign(9, 0);
  for (const int from : {1, 2}) {
    for (const int to : {1, 2}) model.hop[model.transitionIndex(from, to, 0)] = hop;
  }
  model.initial = {{0, 250, {2}}};
  model.capacity = 256;
  std::vector<std::vector<double>> found(3, std::vector<double>(side));  // [axis][site]
  for (int seed = 1; seed <= runs; ++seed) {
    TestRun run(model, 1, static_cast<std::uint64_t>(seed));
    run.advance(steps);
    const auto field = run.lattice->field(0);
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (field[i] == 0) continue;
      const std::size_t at[3] = {i / side / side, i / side % side, i % side};
      for (std::size_t axis = 0; axis < 3; ++axis) found[axis][at[axis]] += field[i];
    }
  }
  const auto p = displacementDistribution(hop, steps);  // [site along an axis]
  constexpr double particles = 250.0 * runs, variance = 2 * hop * steps;
  const auto meanOf = [&](const std::vector<double>& counts, int power) {
    double sum = 0, all = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      sum += counts[i] * std::pow(static_cast<double>(i) - middle, power);
      all += counts[i];
    }
    return sum / all;
  };
  EXPECT_NEAR(meanOf(p, 2), variance, 1e-9);
  const double ofSquares = std::sqrt((meanOf(p, 4) - variance * variance) / particles);
  double squares = 0;
  for (const auto& counts : found) {
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), particles);
    expectDrawnFrom(p, counts);
    EXPECT_NEAR(meanOf(counts, 1), 0, 4 * std::sqrt(variance / particles));
    EXPECT_NEAR(meanOf(counts, 2), variance, 4 * ofSquares);
    squares += meanOf(counts, 2) / 3;
  }
  EXPECT_NEAR(squares, variance, 4 * ofSquares / std::sqrt(3));  // 1.9 %
}

TEST(Diffusion, StaysEvenBetweenReflectingWalls) {
  Model model = bareModel({16, 4, 8}, 2, 0.5, false);
  model.types.assign(16 * 4 * 8, 1);
  for (std::size_t i = 0; i < model.types.size(); i += 7) model.types[i] = 0;  // obstacles
  const auto open = static_cast<double>(std::count(model.types.begin(), model.types.end(), 1));
  model.initial = {{0, 1000, {1}}, {1, 500, {1}}};
  TestRun run(model);
  std::vector<double> sums(model.types.size());
  constexpr int samples = 600;
  for (int sample = 0; sample < samples; ++sample) {
    run.advance(7);
    const auto field = run.lattice->field(0);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += field[i];
  }
  EXPECT_EQ(run.lattice->count(0), 1000);
  EXPECT_EQ(run.lattice->count(1), 500);
  double squares = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (model.types[i] == 0) {
      EXPECT_EQ(sums[i], 0);
      continue;
    }
    const double expected = 1000 * samples / open;
    squares += std::pow(sums[i] / expected - 1, 2) / open;
  }
  // About 1400 particles are counted in a site: 1/sqrt(1400) = 0.027; samples are correlated.
  EXPECT_LT(std::sqrt(squares), 0.05);
}

TEST(Diffusion, EquilibratesByTheProbabilitiesBetweenTypes) {
  // Two types with different D. With the same q in both directions between them, densities are
  // equal; with a quarter of the q into type 2, so is the ratio of densities.
  for (const double into : {0.2, 0.05}) {
    Model model = bareModel({20, 10, 10}, 1, 0.2);
    model.siteTypes.push_back("slow");
    model.types.assign(2000, 1);
    std::fill(model.types.begin() + 1000, model.types.end(), 2);
    model.hop.assign(9, 0);
    model.hop[model.transitionIndex(1, 1, 0)] = 0.2;
    model.hop[model.transitionIndex(1, 2, 0)] = into;
    model.hop[model.transitionIndex(2, 1, 0)] = 0.2;
    model.hop[model.transitionIndex(2, 2, 0)] = 0.1;
    model.initial = {{0, 2000, {1, 2}}};
    TestRun run(model);
    run.advance(2000);
    double slow = 0;
    for (int sample = 0; sample < 40; ++sample) {
      run.advance(100);
      slow += static_cast<double>(run.lattice->countIn(0, 2)) / 40;
    }
    EXPECT_NEAR(slow / (2000 - slow), into / 0.2, 0.04 * into / 0.2);
  }
}

/// Returns a model with reactions, walls and two site types. With 4,000 particles first words
/// overflow.
Model busy(int particles) {
  Model model = bareModel({11, 6, 7}, 4, 0.3, false);
  model.siteTypes.push_back("membrane");
  model.types.assign(11 * 6 * 7, 1);
  for (std::size_t i = 0; i < model.types.size(); ++i) {
    if (i % 7 == 0) model.types[i] = 2;
    if (i % 11 == 5) model.types[i] = 0;
  }
  model.hop.assign(9 * 4, 0);
  for (const int from : {1, 2}) {
    for (const int to : {1, 2}) {
      for (int s = 0; s < 4; ++s)
        model.hop[model.transitionIndex(from, to, s)] = s == 3 ? 0.02 : 0.3;
    }
  }
  model.channels = {{1, {0}, {1}, 0.05, "", ""},    {1, {1, 2}, {3}, 0.1, "", ""},
                    {2, {3}, {0, 2}, 0.04, "", ""}, {2, {1, 1}, {1, 0}, 0.02, "", ""},
                    {1, {}, {2}, 0.001, "", ""},    {2, {2}, {}, 0.003, "", ""}};
  model.initial = {{0, particles / 2, {1}}, {2, particles / 2, {1, 2}}};
  return model;
}

TEST(Lattice, IsIndependentOfDevicesAndStorageFormat) {
  for (const int particles : {300, 4000}) {
    std::vector<std::vector<std::uint8_t>> fields;
    std::vector<std::uint64_t> overflows, hashes;
    TestRun onCpu(busy(particles), 1, 1, "cpu");
    onCpu.advance(41);
    hashes.push_back(onCpu.lattice->hash());
    for (const int devices : {1, 2, 3, 4, 5, 8, 11}) {
      TestRun run(busy(particles), devices);
      run.advance(41);
      fields.push_back(run.lattice->field(0));
      const auto more = run.lattice->field(3);
      fields.back().insert(fields.back().end(), more.begin(), more.end());
      overflows.push_back(run.lattice->overflowedWords());
      EXPECT_EQ(fields.back(), fields.front()) << devices << " devices";
      EXPECT_EQ(overflows.back(), overflows.front());
      hashes.push_back(run.lattice->hash());
      EXPECT_EQ(hashes.back(), hashes.front());
    }
    Model deep = busy(particles);
    deep.capacity = 200;
    TestRun run(deep);
    EXPECT_EQ(run.lattice->capacity(), 256);
    run.advance(41);
    auto field = run.lattice->field(0);
    const auto more = run.lattice->field(3);
    field.insert(field.end(), more.begin(), more.end());
    EXPECT_EQ(field, fields.front());
    EXPECT_EQ(overflows.front() > 100, particles == 4000);
  }
}

TEST(Lattice, IsIndependentOfCheckpointsAndCuts) {
  const mass::testing::TemporaryFolder folder;
  const auto file = folder / "rdme.h5";
  TestRun straight(busy(4000)), first(busy(4000), 3), second(busy(4000), 4);
  straight.advance(60);
  int moves = 0;
  const auto advanceAndBalance = [&moves](TestRun& run) {
    for (int sample = 0; sample < 5; ++sample) {
      run.advance(6);
      for (const mass::Rebalance& result : run.mass.rebalance(mass::Balance::time, 0)) {
        moves += result.after == result.before ? 0 : 1;
      }
    }
  };
  advanceAndBalance(first);
  first.mass.saveCheckpoint(file, "rdme");
  (void)second.mass.restoreCheckpoint(file, "rdme");
  second.done = first.done;
  advanceAndBalance(second);
  EXPECT_EQ(second.lattice->hash(), straight.lattice->hash());
  EXPECT_EQ(second.lattice->overflowedWords(), straight.lattice->overflowedWords());
  // Devices that share a GPU may take equal times, so no cut need move.
  EXPECT_TRUE(moves > 0 || !mass::testing::haveDevices(2) || mass::detail::devicesPerGpu() > 1);
  EXPECT_GT(straight.lattice->overflowedWords(), 60U) << "sites overflow in every step";
}

TEST(Lattice, IsIndependentOfTheStepsPerCall) {
  TestRun once(busy(500)), often(busy(500));
  once.advance(30);
  for (const std::int64_t steps : {1, 2, 1, 7, 19}) often.advance(steps);
  EXPECT_EQ(once.lattice->field(0), often.lattice->field(0));
  EXPECT_EQ(once.lattice->field(2), often.lattice->field(2));
  EXPECT_EQ(once.lattice->hash(), often.lattice->hash());
}

TEST(Lattice, StoresManySpecies) {
  Model model = bareModel({6, 6, 6}, 40, 0.25);
  model.channels = {{1, {39}, {20, 21}, 0.05, "", ""}, {1, {20, 21}, {39}, 0.2, "", ""}};
  model.initial = {{39, 700, {1}}};
  TestRun run(model);
  run.advance(100);
  EXPECT_EQ(run.lattice->count(20), run.lattice->count(21));
  EXPECT_EQ(run.lattice->count(39) + run.lattice->count(20), 700);
  EXPECT_GT(run.lattice->count(20), 100);
}

TEST(Lattice, KeepsTheLastOfSixteenSpecies) {
  Model model = bareModel({4, 4, 4}, 16, 0.25);
  model.initial = {{15, 100, {1}}, {14, 50, {1}}};
  TestRun run(model);
  run.advance(10);
  EXPECT_EQ(run.lattice->count(15), 100);
  EXPECT_EQ(run.lattice->count(14), 50);
}

TEST(Lattice, PlacesEachSpeciesIndependently) {
  Model model = bareModel({6, 6, 6}, 2, 0);
  for (const int between : {0, 255}) {
    model.initial.assign(static_cast<std::size_t>(between) + 1, {0, 0, {1}});
    model.initial.front().count = 40;
    model.initial.push_back({1, 40, {1}});
    TestRun run(model);
    EXPECT_NE(run.lattice->field(0), run.lattice->field(1)) << between;
  }
}

TEST(Lattice, SaturatesFieldsAt255) {
  Model model = bareModel({1, 1, 2}, 1, 0);
  model.capacity = 256;
  model.initial = {{0, 512, {1}}};
  TestRun run(model);
  EXPECT_EQ(run.lattice->field(0), (std::vector<std::uint8_t>{255, 255}));
  EXPECT_EQ(run.lattice->count(0), 512);
}

TEST(Lattice, RejectsMoreParticlesThanSitesStore) {
  Model model = bareModel({2, 2, 2}, 1, 0.2);
  model.initial = {{0, 8 * 32 + 1, {1}}};
  EXPECT_THROW(TestRun run(model), mass::InputError);
  model.initial[0].where = "cell.yaml:7: 'model.initial[1]'";
  EXPECT_EQ(mass::testing::messageOf<mass::InputError>([&] { TestRun run(model); }),
            "cell.yaml:7: 'model.initial[1]': no room for 257 particles of S0 in 8 sites, "
            "which hold 32 each");
}

TEST(Lattice, TooLargeForMemoryNamesItsSetting) {
  Model model = bareModel({1 << 20, 1 << 10, 1 << 10}, 1, 0.2);
  model.sitesSetting = "cell.yaml:3: 'model.lattice.sites'";
  const auto message = mass::testing::messageOf<mass::DeviceError>([&] { TestRun run(model); });
  EXPECT_TRUE(message.starts_with("cell.yaml:3: 'model.lattice.sites': ")) << message;
}

TEST(Lattice, ThrowsIfASiteReceivesMoreThanItsCapacity) {
  // Particles double in about 2.3 steps, in 64 sites.
  Model model = bareModel({4, 4, 4}, 1, 0.3);
  model.channels = {{1, {0}, {0, 0}, 0.3, "", ""}};
  model.initial = {{0, 640, {1}}};
  for (const int devices : {1, 2}) {
    TestRun run(model, devices);
    EXPECT_THROW(run.advance(100), mass::OverflowError);
  }
}

}  // namespace
