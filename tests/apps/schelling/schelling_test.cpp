#include <apps/schelling/town.hpp>

#include "../../mass/model/make_mass.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace {

using schelling::Household;
using schelling::Town;

mass::Mass makeMass(int devices, int seed = 0) {
  mass::Settings settings;
  mass::testing::setDevices(settings, devices, std::max(devices, 2));
  settings.set(fmt::format("seed={}", seed));
  settings.set("MAX_PLACE_EXCHANGE=1");
  return mass::Mass(settings);
}

TEST(Schelling, EveryoneWhoIsNotContentFindsALot) {
  auto mass = makeMass(2);
  const Town town(mass, 30, 0.8, 0.375);
  EXPECT_EQ(town.households().size(), 720);
  for (int step = 0; step < 10; ++step) {
    const std::int64_t discontented = town.discontented();
    // There are 180 free lots; the others try again.
    town.step();
    EXPECT_EQ(town.moved(), std::min<std::int64_t>(discontented, 180));
    EXPECT_EQ(town.households().size(), 720);
  }
}

TEST(Schelling, KindsStayWhatTheyAre) {
  auto mass = makeMass(3);
  const Town town(mass, 24, 0.7, 0.5);
  const auto red = town.households().reduce<&Household::isRed>(mass::sum);
  EXPECT_GT(red, 150);
  for (int step = 0; step < 10; ++step) town.step();
  EXPECT_EQ(town.households().reduce<&Household::isRed>(mass::sum), red);
}

TEST(Schelling, IsTheSameOnEverySplit) {
  std::uint64_t expected = 0;
  for (const int devices : {1, 2, 3, 8}) {
    auto mass = makeMass(devices, 4);
    const Town town(mass, 41, 0.8, 0.375);
    for (int step = 0; step < 12; ++step) town.step();
    if (devices == 1) expected = mass.hash();
    EXPECT_EQ(mass.hash(), expected) << devices;
  }
}

TEST(Schelling, AFullTownStaysAsItIsAndAnEmptyOneIsContent) {
  auto mass = makeMass(1);
  const Town full(mass, 12, 1, 0.9);
  EXPECT_GT(full.discontented(), 0);
  full.step();
  EXPECT_EQ(full.moved(), 0);
  auto another = makeMass(2);
  const Town empty(another, 12, 0, 0.9);
  empty.step();
  EXPECT_EQ(empty.moved(), 0);
  EXPECT_EQ(empty.discontented(), 0);
  EXPECT_EQ(empty.likeness(), 1);
}

/// The same model as a plain sequential program.
class PlainTown {
 public:
  PlainTown(int size, double occupied, double wanted, unsigned seed)
      : size_(size),
        wanted_(wanted),
        lots_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)),
        random_(seed) {
    const auto households =
        static_cast<std::size_t>(std::lround(occupied * static_cast<double>(lots_.size())));
    for (std::size_t i = 0; i < households; ++i) lots_[i] = 1 + static_cast<int>(random_() % 2);
    std::shuffle(lots_.begin(), lots_.end(), random_);
  }
  void step() {
    std::vector<std::size_t> leaving, free;
    for (std::size_t lot = 0; lot < lots_.size(); ++lot) {
      if (lots_[lot] == 0) free.push_back(lot);
      if (lots_[lot] != 0 && !isContent(lot)) leaving.push_back(lot);
    }
    std::shuffle(leaving.begin(), leaving.end(), random_);
    std::shuffle(free.begin(), free.end(), random_);
    for (std::size_t i = 0; i < std::min(leaving.size(), free.size()); ++i) {
      std::swap(lots_[leaving[i]], lots_[free[i]]);
    }
  }
  double likeness() const {
    double sum = 0;
    int households = 0;
    for (std::size_t lot = 0; lot < lots_.size(); ++lot) {
      if (lots_[lot] == 0) continue;
      const auto [all, alike] = around(lot);
      sum += all == 0 ? 1.0 : static_cast<double>(alike) / all;
      ++households;
    }
    return sum / households;
  }

 private:
  bool isContent(std::size_t lot) const {
    const auto [all, alike] = around(lot);
    return all == 0 || alike > wanted_ * all;
  }
  std::pair<int, int> around(std::size_t lot) const {
    const int row = static_cast<int>(lot) / size_, column = static_cast<int>(lot) % size_;
    int all = 0, alike = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        if (dy == 0 && dx == 0) continue;
        const int y = (row + dy + size_) % size_, x = (column + dx + size_) % size_;
        const auto before = static_cast<std::size_t>(y) * static_cast<std::size_t>(size_);
        const int other = lots_[before + static_cast<std::size_t>(x)];
        all += other != 0 ? 1 : 0;
        alike += other == lots_[lot] ? 1 : 0;
      }
    }
    return {all, alike};
  }

  int size_;
  double wanted_;
  std::vector<int> lots_;
  std::mt19937 random_;
};

TEST(Schelling, SegregatesAsAPlainSequentialProgramDoes) {
  constexpr int towns = 20, size = 40, steps = 15;
  double mine = 0, plain = 0, plainSquares = 0;
  for (int seed = 0; seed < towns; ++seed) {
    auto mass = makeMass(1, seed);
    const Town town(mass, size, 0.8, 0.375);
    if (seed == 0) {
      EXPECT_NEAR(town.likeness(), 0.5, 0.05) << "of all at random";
    }
    PlainTown other(size, 0.8, 0.375, static_cast<unsigned>(seed));
    for (int step = 0; step < steps; ++step) {
      town.step();
      other.step();
    }
    mine += town.likeness() / towns;
    plain += other.likeness() / towns;
    plainSquares += other.likeness() * other.likeness() / towns;
  }
  const double spread = std::sqrt((plainSquares - plain * plain) * 2 / towns);  // of the difference
  EXPECT_GT(plain, 0.65);
  EXPECT_NEAR(mine, plain, 4 * spread) << "spread " << spread;
  EXPECT_LT(spread, 0.01);
}

}  // namespace
