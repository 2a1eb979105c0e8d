#include "../../support/temporary_folder.hpp"
#include "trial.hpp"

#include <apps/rdme/lattice.hpp>

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
  // 40,000 A decay at 10^-2 a step: after 70 each is left with p = e^-0.7.
  Model model = bare({30, 30, 30}, 1, 0.25);
  model.channels = {{1, {0}, {}, 1e-2, "", ""}};
  model.initial = {{0, 40'000, {1}}};
  Trial run(model);
  run.go(70);
  const double p = std::exp(-0.7), expected = 40'000 * p;
  EXPECT_NEAR(static_cast<double>(run.lattice->count(0)), expected,
              4 * std::sqrt(expected * (1 - p)));
}

TEST(Reactions, DecayInSitesHasMeanAndVariance) {
  // 8 A in each of 81,920 sites: the mean has a standard error of 0.1 %, the variance, whose
  // distribution has a kurtosis of 3 - 0.25, one of sqrt(1.75 / sites) = 0.46 %.
  constexpr std::int64_t sites = mass::checked ? 5120 : 81'920;
  Model model = bare({sites / 1024, 32, 32}, 1, 0);
  model.channels = {{1, {0}, {}, 0.04, "", ""}};
  model.initial = {{0, sites * 8, {1}, true}};
  Trial run(model);
  run.go(15);
  const double p = std::exp(-0.6), tolerance = mass::checked ? 0.08 : 0.02;
  const Moments moments(*run.lattice, 0);
  EXPECT_NEAR(moments.mean, 8 * p, tolerance * 8 * p);
  EXPECT_NEAR(moments.variance, 8 * p * (1 - p), tolerance * 8 * p * (1 - p));
}

TEST(Reactions, DecayInFullSitesHasItsMean) {
  Model model = bare({16, 16, 16}, 1, 0);
  model.channels = {{1, {0}, {}, 0.04, "", ""}};
  model.initial = {{0, 4096 * 32, {1}}};
  Trial run(model);
  const Moments first(*run.lattice, 0);
  EXPECT_NEAR(first.mean, 32, 1e-9);  // as many as there is room for, in every site
  run.go(15);
  const double expected = 32 * std::exp(-0.6);
  EXPECT_NEAR(Moments(*run.lattice, 0).mean, expected, 0.01 * expected);
}

TEST(Reactions, ReversibleOnesComeToEquilibrium) {
  // A <-> B with 3 to 1: a quarter is A. A look has a standard deviation of sqrt(3 / 80,000), and
  // after 10 steps e^-4 is left of what it was by chance: 8 looks have a standard error of 0.22 %.
  Model model = bare({20, 20, 20}, 2, 0.3);
  model.channels = {{1, {0}, {1}, 0.3, "", ""}, {1, {1}, {0}, 0.1, "", ""}};
  model.initial = {{0, 80'000, {1}}};
  Trial run(model);
  run.go(30);
  constexpr int looks = mass::checked ? 2 : 8;
  double mean = 0;
  for (int look = 0; look < looks; ++look) {
    run.go(10);
    mean += static_cast<double>(run.lattice->count(0)) / looks;
    EXPECT_EQ(run.lattice->count(0) + run.lattice->count(1), 80'000);
  }
  EXPECT_NEAR(mean, 20'000, (mass::checked ? 0.02 : 0.01) * 20'000);
}

/// The probability that n particles of a site have become fewer by k reactions of order two after
/// `steps`, by the master equation in small steps: `rate(k)` is the propensity after k reactions.
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
  // 6 A and 4 B in a site, in the mean; A + B -> C: n_A n_B pairs. Of some 110,000 reactions in
  // 64,000 sites the standard error is 0.3 % at most.
  constexpr std::int64_t all = mass::checked ? 8000 : 64'000;
  Model model = bare({all / 1600, 40, 40}, 3, 0);
  model.channels = {{1, {0, 1}, {2}, 0.01, "", ""}};
  model.initial = {{0, all * 6, {1}}, {1, all * 4, {1}}};
  model.capacity = 32;
  Trial run(model);
  // Not the same numbers in every site: what is expected follows from the numbers at hand.
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
  run.go(12);
  EXPECT_NEAR(static_cast<double>(run.lattice->count(2)), expected,
              (mass::checked ? 0.03 : 0.01) * expected);
  EXPECT_EQ(run.lattice->count(0) + run.lattice->count(2), all * 6);
  EXPECT_EQ(run.lattice->count(1) + run.lattice->count(2), all * 4);
}

TEST(Reactions, PairsOfOneSpeciesAreCountedOnce) {
  // 2 A -> B: n (n - 1) / 2 pairs. Sites and error as above.
  constexpr std::int64_t all = mass::checked ? 8000 : 64'000;
  Model model = bare({all / 1600, 40, 40}, 2, 0);
  model.channels = {{1, {0, 0}, {1}, 0.01, "", ""}};
  model.initial = {{0, all * 8, {1}}};
  Trial run(model);
  const auto a = run.lattice->field(0);
  std::map<int, int> sites;
  for (const int here : a) ++sites[here];
  double expected = 0;
  for (const auto& [n, count] : sites) {
    expected += count * meanReactions(n / 2, 10, [n = n](int k) {
                  return 0.01 * (n - 2 * k) * (n - 2 * k - 1) / 2;
                });
  }
  run.go(10);
  EXPECT_NEAR(static_cast<double>(run.lattice->count(1)), expected,
              (mass::checked ? 0.03 : 0.01) * expected);
}

TEST(Reactions, ChannelsOfTheSameReactantsShareThem) {
  // A -> B and A -> C at 2 to 1, A + B -> D and A + B -> E at 1 to 3.
  Model model = bare({mass::checked ? 8 : 20, 30, 30}, 5, 0.2);
  model.channels = {{1, {0}, {1}, 0.02, "", ""},
                    {1, {0}, {2}, 0.01, "", ""},
                    {1, {0, 1}, {3}, 0.01, "", ""},
                    {1, {1, 0}, {4}, 0.03, "", ""}};
  model.initial = {{0, model.siteCount() * 8, {1}}};
  Trial run(model);
  run.go(120);
  const auto count = [&](int species) { return static_cast<double>(run.lattice->count(species)); };
  const double firstOrder = count(1) + count(2) + count(3) + count(4);
  EXPECT_NEAR(count(2) / firstOrder, 1.0 / 3, 0.01);
  EXPECT_NEAR(count(3) / (count(3) + count(4)), 0.25, 0.01);
  EXPECT_GT(count(3), 3000);
}

TEST(Reactions, BirthAndDeathArePoisson) {
  // Nothing -> A at 2.5 a site and step, A -> nothing at 0.5: 5 in each of 24,576 sites. After 4
  // steps e^-2 is left of what a site had by chance, and e^-4 of the variance's error: in 8 looks
  // the mean has a standard error of 0.12 %, the variance one of sqrt(2.2 / 196,608) = 0.34 %.
  constexpr std::int64_t depth = mass::checked ? 2 : 24;
  constexpr int looks = mass::checked ? 2 : 8;
  Model model = bare({depth, 32, 32}, 1, 0.1);
  model.channels = {{1, {}, {0}, 2.5, "", ""}, {1, {0}, {}, 0.5, "", ""}};
  Trial run(model);
  run.go(24);  // e^-12 of the beginning
  double mean = 0, variance = 0;
  for (int look = 0; look < looks; ++look) {
    run.go(4);
    const Moments moments(*run.lattice, 0);
    mean += moments.mean / looks;
    variance += moments.variance / looks;
  }
  const double tolerance = mass::checked ? 0.1 : 0.015;
  EXPECT_NEAR(mean, 5, tolerance * 5);
  EXPECT_NEAR(variance, 5, tolerance * 5);
}

TEST(Reactions, LatticeMicrobesRuleIsOneEventAStep) {
  // 10 A decay at 1 a step: one is left of them after a step with p = 1 - e^-10, not e^-1 of each.
  Model model = bare({10, 10, 10}, 1, 0);
  model.channels = {{1, {0}, {}, 1, "", ""}};
  model.initial = {{0, 32'000, {1}}};
  model.atMostOneEvent = true;
  Trial run(model);
  run.go(3);
  EXPECT_EQ(run.lattice->count(0), 29'000);
}

TEST(Reactions, LatticeMicrobesRuleHasItsProbability) {
  // 5 particles that react at 0.06 and 0.04 each: a = 0.5, and p = 1 - e^-0.5 = 0.3935 that one of
  // them does; not 0.5, nor the 0.3333 of a / (1 + a). Of those that do, 3 in 5 become B.
  constexpr std::int64_t sites = 40'000;
  Model model = bare({40, 40, 25}, 3, 0);
  model.channels = {{1, {0}, {1}, 0.06, "", ""}, {1, {0}, {2}, 0.04, "", ""}};
  model.initial = {{0, sites * 5, {1}, true}};
  model.atMostOneEvent = true;
  Trial run(model);
  run.go(1);
  const auto left = run.lattice->field(0);
  EXPECT_EQ(std::count(left.begin(), left.end(), 4) + std::count(left.begin(), left.end(), 5),
            sites);
  const auto toB = static_cast<double>(run.lattice->count(1));
  const double events = toB + static_cast<double>(run.lattice->count(2));
  const double p = 1 - std::exp(-0.5);
  EXPECT_NEAR(events / sites, p, 4 * std::sqrt(p * (1 - p) / sites));  // 0.0098
  EXPECT_NEAR(toB / events, 0.6, 4 * std::sqrt(0.24 / events));
}

TEST(Reactions, ThatFindNoRoomLeaveSitesFull) {
  // A -> 2 A without diffusion comes to rest where every site has the 32 it has room for.
  Model model = bare({4, 4, 4}, 1, 0);
  model.channels = {{1, {0}, {0, 0}, 0.5, "", ""}};
  model.initial = {{0, 64, {1}, true}};
  for (const int devices : {1, 3}) {
    Trial run(model, devices);
    EXPECT_EQ(run.lattice->crowded(1, 1), 0);
    run.go(100);
    EXPECT_EQ(run.lattice->count(0), 64 * 32);
    EXPECT_EQ(run.lattice->crowded(1, 0), 0) << "full, not more";
    EXPECT_EQ(run.lattice->crowded(1, 1), 64);
    EXPECT_EQ(run.lattice->crowded(0, 1), 0);
  }
  model.capacity = 33;  // the form for 256
  Trial run(model);
  run.go(6);
  EXPECT_EQ(run.lattice->crowded(1, 1), 0);
  EXPECT_GT(run.lattice->crowded(1, 256 - 20), 0);
}

/// Expects numbers found to be drawn with the probabilities `p`: chi-square within 4 standard
/// deviations. Bins in which few are expected count as one with those beside them.
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
  // From the middle of 41^3 sites; a particle steps with 2 q = 0.4 along every axis.
  constexpr int side = 41, middle = 20, steps = 20, runs = mass::checked ? 10 : 120;
  constexpr double hop = 0.2;
  Model model = bare({side, side, side}, 1, hop, false);
  model.siteTypes.push_back("start");
  model.types.assign(std::size_t{side} * side * side, 1);
  model.types[(std::size_t{middle} * side + middle) * side + middle] = 2;
  model.hop.assign(9, 0);
  for (const int from : {1, 2}) {
    for (const int to : {1, 2}) model.hop[model.at(from, to, 0)] = hop;
  }
  model.initial = {{0, 250, {2}}};
  model.capacity = 256;
  std::vector<std::vector<double>> found(3, std::vector<double>(side));  // by axis, site along it
  for (int seed = 1; seed <= runs; ++seed) {
    Trial run(model, 1, static_cast<std::uint64_t>(seed));
    run.go(steps);
    const auto field = run.lattice->field(0);
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (field[i] == 0) continue;
      const std::size_t at[3] = {i / side / side, i / side % side, i % side};
      for (std::size_t axis = 0; axis < 3; ++axis) found[axis][at[axis]] += field[i];
    }
  }
  const auto p = walked(hop, steps);  // of all sites along an axis
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
  Model model = bare({16, 4, 8}, 2, 0.5, false);
  model.types.assign(16 * 4 * 8, 1);
  for (std::size_t i = 0; i < model.types.size(); i += 7) model.types[i] = 0;  // obstacles
  const auto open = static_cast<double>(std::count(model.types.begin(), model.types.end(), 1));
  model.initial = {{0, 1000, {1}}, {1, 500, {1}}};
  Trial run(model);
  std::vector<double> sums(model.types.size());
  constexpr int looks = 600;
  for (int look = 0; look < looks; ++look) {
    run.go(7);
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
    const double expected = 1000 * looks / open;
    squares += std::pow(sums[i] / expected - 1, 2) / open;
  }
  // 1/sqrt(n) of 1400 particles seen in a site: 0.027; looks depend on each other.
  EXPECT_LT(std::sqrt(squares), 0.05);
}

TEST(Diffusion, SettlesByTheProbabilitiesBetweenTypes) {
  // In and out of type 2 with different D: the same q both ways, so densities are equal; then with
  // a quarter of the q into type 2: a quarter of the density there.
  for (const double into : {0.2, 0.05}) {
    Model model = bare({20, 10, 10}, 1, 0.2);
    model.siteTypes.push_back("slow");
    model.types.assign(2000, 1);
    std::fill(model.types.begin() + 1000, model.types.end(), 2);
    model.hop.assign(9, 0);
    model.hop[model.at(1, 1, 0)] = 0.2;
    model.hop[model.at(1, 2, 0)] = into;
    model.hop[model.at(2, 1, 0)] = 0.2;
    model.hop[model.at(2, 2, 0)] = 0.1;
    model.initial = {{0, 2000, {1, 2}}};
    Trial run(model);
    run.go(2000);
    double slow = 0;
    for (int look = 0; look < 40; ++look) {
      run.go(100);
      slow += static_cast<double>(run.lattice->countIn(0, 2)) / 40;
    }
    EXPECT_NEAR(slow / (2000 - slow), into / 0.2, 0.04 * into / 0.2);
  }
}

/// Reactions, walls and types, dense enough for first words to overflow.
Model busy(int particles) {
  Model model = bare({11, 6, 7}, 4, 0.3, false);
  model.siteTypes.push_back("membrane");
  model.types.assign(11 * 6 * 7, 1);
  for (std::size_t i = 0; i < model.types.size(); ++i) {
    if (i % 7 == 0) model.types[i] = 2;
    if (i % 11 == 5) model.types[i] = 0;
  }
  model.hop.assign(9 * 4, 0);
  for (const int from : {1, 2}) {
    for (const int to : {1, 2}) {
      for (int s = 0; s < 4; ++s) model.hop[model.at(from, to, s)] = s == 3 ? 0.02 : 0.3;
    }
  }
  model.channels = {{1, {0}, {1}, 0.05, "", ""},    {1, {1, 2}, {3}, 0.1, "", ""},
                    {2, {3}, {0, 2}, 0.04, "", ""}, {2, {1, 1}, {1, 0}, 0.02, "", ""},
                    {1, {}, {2}, 0.001, "", ""},    {2, {2}, {}, 0.003, "", ""}};
  model.initial = {{0, particles / 2, {1}}, {2, particles / 2, {1, 2}}};
  return model;
}

TEST(Lattice, IsTheSameOnEverySplitAndInEveryForm) {
  for (const int particles : {300, 4000}) {
    std::vector<std::vector<std::uint8_t>> fields;
    std::vector<std::uint64_t> spilled, hashes;
    Trial onCpu(busy(particles), 1, 1, "cpu");
    onCpu.go(41);
    hashes.push_back(onCpu.lattice->hash());
    for (const int devices : {1, 2, 3, 4, 5, 8, 11}) {
      Trial run(busy(particles), devices);
      run.go(41);
      fields.push_back(run.lattice->field(0));
      const auto more = run.lattice->field(3);
      fields.back().insert(fields.back().end(), more.begin(), more.end());
      spilled.push_back(run.lattice->overflowedWords());
      EXPECT_EQ(fields.back(), fields.front()) << devices << " devices";
      EXPECT_EQ(spilled.back(), spilled.front());
      hashes.push_back(run.lattice->hash());
      EXPECT_EQ(hashes.back(), hashes.front());
    }
    Model deep = busy(particles);
    deep.capacity = 200;
    Trial run(deep);
    EXPECT_EQ(run.lattice->capacity(), 256);
    run.go(41);
    auto field = run.lattice->field(0);
    const auto more = run.lattice->field(3);
    field.insert(field.end(), more.begin(), more.end());
    EXPECT_EQ(field, fields.front());
    EXPECT_EQ(spilled.front() > 100, particles == 4000);
  }
}

TEST(Lattice, IsTheSameThroughACheckpointAndWhileCutsMove) {
  const mass::testing::TemporaryFolder folder;
  const auto file = folder / "rdme.h5";
  Trial straight(busy(4000)), first(busy(4000), 3), second(busy(4000), 4);
  straight.go(60);
  int moves = 0;
  const auto goOn = [&moves](Trial& run) {
    for (int look = 0; look < 5; ++look) {
      run.go(6);
      for (const mass::Rebalance& result : run.mass.rebalance(mass::detail::Balance::time, 0)) {
        moves += result.after == result.before ? 0 : 1;
      }
    }
  };
  goOn(first);
  first.mass.saveCheckpoint(file, "rdme");
  (void)second.mass.restoreCheckpoint(file, "rdme");
  second.done = first.done;
  goOn(second);
  EXPECT_EQ(second.lattice->hash(), straight.lattice->hash());
  EXPECT_EQ(second.lattice->overflowedWords(), straight.lattice->overflowedWords());
  // Of devices that share a GPU, none need take longer than another.
  EXPECT_TRUE(moves > 0 || !mass::testing::haveDevices(2) || mass::detail::devicesShareGpus());
  EXPECT_GT(straight.lattice->overflowedWords(), 60U) << "sites overflow in every step";
}

TEST(Lattice, IsTheSameHoweverOftenItIsLookedAt) {
  Trial once(busy(500)), often(busy(500));
  once.go(30);
  for (const std::int64_t steps : {1, 2, 1, 7, 19}) often.go(steps);
  EXPECT_EQ(once.lattice->field(0), often.lattice->field(0));
  EXPECT_EQ(once.lattice->field(2), often.lattice->field(2));
  EXPECT_EQ(once.lattice->hash(), often.lattice->hash());
}

TEST(Lattice, TakesManySpeciesInWideForms) {
  Model model = bare({6, 6, 6}, 40, 0.25);
  model.channels = {{1, {39}, {20, 21}, 0.05, "", ""}, {1, {20, 21}, {39}, 0.2, "", ""}};
  model.initial = {{39, 700, {1}}};
  Trial run(model);
  run.go(100);
  EXPECT_EQ(run.lattice->count(20), run.lattice->count(21));
  EXPECT_EQ(run.lattice->count(39) + run.lattice->count(20), 700);
  EXPECT_GT(run.lattice->count(20), 100);
}

TEST(Lattice, KeepsTheLastOfSixteenSpecies) {
  Model model = bare({4, 4, 4}, 16, 0.25);
  model.initial = {{15, 100, {1}}, {14, 50, {1}}};
  Trial run(model);
  run.go(10);
  EXPECT_EQ(run.lattice->count(15), 100);
  EXPECT_EQ(run.lattice->count(14), 50);
}

TEST(Lattice, PutsSpeciesWhereverTheyAreByThemselves) {
  Model model = bare({6, 6, 6}, 2, 0);
  for (const int between : {0, 255}) {
    model.initial.assign(static_cast<std::size_t>(between) + 1, {0, 0, {1}});
    model.initial.front().count = 40;
    model.initial.push_back({1, 40, {1}});
    Trial run(model);
    EXPECT_NE(run.lattice->field(0), run.lattice->field(1)) << between;
  }
}

TEST(Lattice, ShowsMoreThan255AsSoMany) {
  Model model = bare({1, 1, 2}, 1, 0);
  model.capacity = 256;
  model.initial = {{0, 512, {1}}};
  Trial run(model);
  EXPECT_EQ(run.lattice->field(0), (std::vector<std::uint8_t>{255, 255}));
  EXPECT_EQ(run.lattice->count(0), 512);
}

TEST(Lattice, RefusesMoreParticlesThanSitesHold) {
  Model model = bare({2, 2, 2}, 1, 0.2);
  model.initial = {{0, 8 * 32 + 1, {1}}};
  EXPECT_THROW(Trial run(model), mass::InputError);
  model.initial[0].where = "cell.yaml:7: 'model.initial[1]'";
  EXPECT_EQ(mass::testing::messageOf<mass::InputError>([&] { Trial run(model); }),
            "cell.yaml:7: 'model.initial[1]': there is no room for 257 particles of S0 in 8 sites, "
            "which hold 32 each");
}

TEST(Lattice, TooLargeForMemoryNamesItsSetting) {
  Model model = bare({1 << 20, 1 << 10, 1 << 10}, 1, 0.2);
  model.whereSites = "cell.yaml:3: 'model.lattice.sites'";
  const auto message = mass::testing::messageOf<mass::DeviceError>([&] { Trial run(model); });
  EXPECT_TRUE(message.starts_with("cell.yaml:3: 'model.lattice.sites': ")) << message;
}

TEST(Lattice, EndsWhereMoreComeThanASiteHolds) {
  // All particles, twice as many after each step or so, move around in few sites.
  Model model = bare({4, 4, 4}, 1, 0.3);
  model.channels = {{1, {0}, {0, 0}, 0.3, "", ""}};
  model.initial = {{0, 640, {1}}};
  for (const int devices : {1, 2}) {
    Trial run(model, devices);
    EXPECT_THROW(run.go(100), mass::OverflowError);
  }
}

}  // namespace
