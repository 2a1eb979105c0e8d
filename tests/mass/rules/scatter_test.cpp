#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

using mass::Mass;
using namespace mass::testing;

/// A site of D dimensions whose particles walk at random, up to Reach places along each axis.
template <int D, int Reach = 1>
class Site : public mass::Place<D> {
 public:
  mass::Multiset<4, 3> particles;
  std::uint8_t kind = 0;
  using Attributes = mass::Attributes<&Site::particles, mass::constant<&Site::kind>>;
  static constexpr int reach = Reach;

  MASS_FN void walk(const mass::Neighborhood<Site>& near, const mass::Scatter<Site>& out) const {
    walkBy(near, out);
  }
  /// Moves particles as walk() does; in addition, each site of kind 7 creates a particle.
  MASS_FN void walkAndGrow(const mass::Neighborhood<Site>& near,
                           const mass::Scatter<Site, mass::Visits::all>& out) const {
    walkBy(near, out);
    if (kind == 7) out.send({}, 9);
  }
  MASS_FN void stay(const mass::Scatter<Site>& out) const {
    for (int i = 0; i < particles.size(); ++i) out.send({}, particles.element(i));
  }
  /// Moves even elements by far[which] along axis 0 and removes odd ones.
  MASS_FN void next(const mass::Scatter<Site>& out, const mass::Shared<int>& far, int which) const {
    for (int i = 0; i < particles.size(); ++i) {
      if (particles.element(i) % 2 == 0) out.send({far[which]}, particles.element(i));
    }
  }
  /// Moves one particle as walk() does.
  MASS_FN void hop(const mass::Neighborhood<Site>& near, const mass::Scatter<Site>& out,
                   mass::Element particle) const {
    out.send(stepOf(near, particle.number), particle.value);
  }
  /// Returns the particles; in every third site, even elements are increased by one.
  MASS_FN mass::Multiset<4, 3> grown(const mass::Here<D>& here) const {
    mass::Multiset<4, 3> next;
    for (int i = 0; i < particles.size(); ++i) {
      const std::uint32_t element = particles.element(i);
      next.add(element % 2 == 0 && here.index() % 3 == 0 ? element + 1 : element);
    }
    return next;
  }
  MASS_FN void grow(const mass::Here<D>& here) { particles = grown(here); }
  /// Moves odd elements one place along the last axis.
  MASS_FN void drift(const mass::Scatter<Site>& out) const {
    for (int i = 0; i < particles.size(); ++i) driftOne(out, {particles.element(i), 0});
  }
  MASS_FN void driftOne(const mass::Scatter<Site>& out, mass::Element particle) const {
    driftBy(out, particle);
  }
  /// Returns the particles and one more in some sites that have fewer than three.
  MASS_FN mass::Multiset<4, 3> bred(const mass::Here<D>& here) const {
    mass::Multiset<4, 3> next = particles;
    if (here.index() % 5 == 0 && particles.size() < 3) next.add(here.index() % 2 == 0 ? 7 : 4);
    return next;
  }
  MASS_FN void breed(const mass::Here<D>& here) { particles = bred(here); }
  MASS_FN void driftOneOfAny(const mass::Scatter<Site, mass::Visits::all>& out,
                             mass::Element particle) const {
    driftBy(out, particle);
  }
  MASS_FN void scatter(const mass::Here<D>& here, int each) {
    auto random = here.random();
    for (int i = 0; i < each; ++i) particles.add(1 + random.below(15));
  }
  /// Increases all elements equal to `element` by one.
  MASS_FN void change(std::uint32_t element) {
    while (particles.count(element) > 0) {
      for (int i = 0; i < particles.size(); ++i) {
        if (particles.element(i) != element) continue;
        particles.remove(i);
        break;
      }
      particles.add(element + 1);
    }
  }
  /// Changes particles as grow() does, by a rule with a Neighborhood: it is double-buffered.
  MASS_FN void growBeside(const mass::Neighborhood<Site>& near) { particles = grown(near); }
  /// Moves all particles as walk() does, and throws at one place.
  MASS_FN void failAt(const mass::Neighborhood<Site>& near, const mass::Scatter<Site>& out,
                      std::int64_t place) const {
    walkBy(near, out);
#if !defined(__CUDA_ARCH__)
    if (near.index() == place) throw std::runtime_error("here");
#endif
  }
  MASS_FN std::int64_t count() const {
    return particles.size();
  }
  MASS_FN std::int64_t of(std::uint32_t element) const {
    return particles.count(element);
  }
  /// Returns the number of particles of a neighbour as read through its Neighborhood.
  MASS_FN std::int64_t seen(const mass::Neighborhood<Site>& near) const {
    mass::Offset<D> offset{};
    offset[D - 1] = 1;
    return near(offset).particles.size();
  }

  template <class Out>
  MASS_FN void walkBy(const mass::Neighborhood<Site>& near, const Out& out) const {
    for (int i = 0; i < particles.size(); ++i) {
      out.send(stepOf(near, static_cast<std::uint32_t>(i)), particles.element(i));
    }
  }
  template <class Out>
  MASS_FN static void driftBy(const Out& out, mass::Element particle) {
    mass::Offset<D> step{};
    step[D - 1] = particle.value % 2 == 0 ? 0 : 1;
    out.send(step, particle.value);
  }
  MASS_FN static mass::Offset<D> stepOf(const mass::Here<D>& here, std::uint32_t particle) {
    auto random = here.random(here.step(), particle);
    mass::Offset<D> step{};
    for (int axis = 0; axis < D; ++axis) {
      step[axis] = static_cast<int>(random.below(2 * Reach + 1)) - Reach;
    }
    return step;
  }
};

/// Reference implementation of walk() by plain loops over sorted vectors.
template <int D, int Reach>
class PlainWorld {
 public:
  PlainWorld(mass::Shape<D> shape, mass::Border border, std::uint64_t seed)
      : shape_(shape),
        border_(border),
        seed_(seed),
        sites_(static_cast<std::size_t>(count(shape))) {}

  void scatter(int each) {
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      mass::Random random({.seed = seed_, .index = i});
      for (int k = 0; k < each; ++k) sites_[i].push_back(1 + random.below(15));
    }
  }
  void walk(std::uint64_t step) {
    std::vector<std::vector<std::uint32_t>> next(sites_.size());
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      std::sort(sites_[i].begin(), sites_[i].end());
      for (std::size_t k = 0; k < sites_[i].size(); ++k) {
        mass::Random random({.seed = seed_,
                             .index = i,
                             .step = step,
                             .call = 2,
                             .stream = static_cast<std::uint32_t>(k)});
        auto at = mass::coordinatesOf<D>(static_cast<std::int64_t>(i), shape_);
        for (int axis = 0; axis < D; ++axis) {
          at[axis] += static_cast<int>(random.below(2 * Reach + 1)) - Reach;
          at[axis] = border_ == mass::Border::periodic
                         ? (at[axis] + 7 * shape_[axis]) % shape_[axis]
                         : std::clamp<std::int64_t>(at[axis], 0, shape_[axis] - 1);
        }
        next[static_cast<std::size_t>(mass::indexOf<D>(at, shape_))].push_back(sites_[i][k]);
      }
    }
    sites_ = std::move(next);
  }
  std::vector<std::array<std::uint32_t, 3>> words() const {
    std::vector<std::array<std::uint32_t, 3>> all;
    for (const auto& site : sites_) {
      mass::Multiset<4, 3> multiset;
      for (const std::uint32_t element : site) EXPECT_TRUE(multiset.add(element));
      all.push_back({multiset[0], multiset[1], multiset[2]});
    }
    return all;
  }

 private:
  mass::Shape<D> shape_;
  mass::Border border_;
  std::uint64_t seed_;
  std::vector<std::vector<std::uint32_t>> sites_;
};

/// Form of the rule of a test: one call for each place, or for each element.
enum class By { places, elements };

/// Returns one to seven devices of one rank, and ranks. @param setting further setting
std::vector<RankSetup> splits(const std::string& setting) {
  std::vector<RankSetup> setups;
  for (const std::vector<int>& devices :
       std::vector<std::vector<int>>{{1}, {2}, {3}, {4}, {7}, {1, 1}, {1, 3}, {2, 1, 1, 3}})
    setups.push_back({.devices = devices, .threads = 2, .more = {setting}});
  return setups;
}

template <int D, int Reach = 1>
void expectSameAsPlainLoops(mass::Shape<D> shape, int each, int steps) {
  for (const auto border : {mass::Border::periodic, mass::Border::fixed, mass::Border::mirrored}) {
    PlainWorld<D, Reach> plain(shape, border, 42);
    plain.scatter(each);
    for (int step = 0; step < steps; ++step) {
      plain.walk(static_cast<std::uint64_t>(step) + 1);
    }
    const auto words = plain.words();
    for (const RankSetup& setup : splits("seed=42")) {
      if (setup.deviceCount() > shape[0]) continue;
      onRanks(setup, [&](Mass& mass) {
        using S = Site<D, Reach>;
        auto world = mass.createPlaces<S>(shape, mass::borders<S>(border));
        world.template callAll<&S::scatter>(each);
        const auto start = world.template download<&S::particles>();
        for (const By by : {By::places, By::elements}) {
          world.template upload<&S::particles>(start);
          world.setStep(1);
          if (by == By::places) world.template callAll<&S::walk>(mass::steps(steps));
          if (by == By::elements) world.template callAll<&S::hop>(mass::steps(steps));
          EXPECT_EQ(world.template download<&S::particles>(), words)
              << "border " << static_cast<int>(border) << ", by "
              << (by == By::places ? "places" : "elements");
        }
      });
    }
  }
}

TEST(Scatter, EqualsPlainLoopsIn3D) {
  expectSameAsPlainLoops<3>({7, 5, 3}, 2, 9);
  expectSameAsPlainLoops<3>({11, 1, 67}, 1, 6);
  expectSameAsPlainLoops<3>({1, 4, 33}, 1, 5);
}

TEST(Scatter, EqualsPlainLoopsIn2D) {
  expectSameAsPlainLoops<2>({13, 40}, 2, 8);
  expectSameAsPlainLoops<2>({1, 1}, 3, 4);
  expectSameAsPlainLoops<2>({2, 131}, 1, 7);
}

TEST(Scatter, SendsUpToTheReach) {
  expectSameAsPlainLoops<3, 2>({9, 4, 5}, 1, 6);
  expectSameAsPlainLoops<2, 3>({7, 9}, 1, 6);
}

using Site3 = Site<3>;

TEST(Scatter, TwoRulesInOneStepEqualTwoSteps) {
  for (const int devices : {1, 3}) {
    for (const int each : {0, 1, 3}) {
      auto mass = makeMass(devices, 2);
      auto world = mass.createPlaces<Site3>({9, 6, 21});
      world.callAll<&Site3::scatter>(each);
      const auto start = world.download<&Site3::particles>();
      constexpr int steps = 30;
      for (int step = 0; step < steps; ++step) {
        world.callAll<&Site3::grow>();
        world.callAll<&Site3::drift>();
      }
      const auto grown = world.download<&Site3::particles>();
      EXPECT_EQ(grown == start, each == 0);
      world.upload<&Site3::particles>(start);
      world.callAll<&Site3::grown, &Site3::driftOne>(mass::steps(steps));
      EXPECT_EQ(world.download<&Site3::particles>(), grown);

      world.upload<&Site3::particles>(start);
      for (int step = 0; step < steps; ++step) {
        world.callAll<&Site3::breed>();
        world.callAll<&Site3::drift>();
      }
      const auto bred = world.download<&Site3::particles>();
      EXPECT_NE(bred, start);
      world.upload<&Site3::particles>(start);
      world.callAll<&Site3::bred, &Site3::driftOneOfAny>(mass::steps(steps));
      EXPECT_EQ(world.download<&Site3::particles>(), bred);
    }
  }
}

TEST(Scatter, LosesNoParticleOnOverflow) {
  for (const int devices : {1, 3}) {
    auto mass = makeMass(devices, 2);
    auto world = mass.createPlaces<Site3>({12, 20, 30});
    world.callAll<&Site3::scatter>(3);
    std::vector<std::int64_t> before;
    for (std::uint32_t element = 1; element < 16; ++element) {
      before.push_back(world.reduce<&Site3::of>(mass::sum, element));
    }
    world.callAll<&Site3::walk>(mass::steps(150));
    for (std::uint32_t element = 1; element < 16; ++element) {
      EXPECT_EQ(world.reduce<&Site3::of>(mass::sum, element), before[element - 1]);
    }
    // The number of particles of a site has a Poisson distribution with mean 3. The expected excess
    // over the 8 elements of a first word is e^-3 sum_{n>8} 3^n/n! (n - 8) = 0.0055 per site, 40
    // for 7200 sites in each step.
    EXPECT_NEAR(static_cast<double>(world.overflowedWords()), 150 * 40, 150 * 8);
  }
}

TEST(Scatter, CountsOverflowsAcrossACheckpoint) {
  const mass::testing::TemporaryFolder folder;
  const auto file = folder / "state.h5";
  auto whole = makeMass(1, 2), part = makeMass(2, 2), rest = makeMass(3, 2);
  auto straight = whole.createPlaces<Site3>({10, 6, 7});
  straight.callAll<&Site3::scatter>(4);
  straight.callAll<&Site3::walk>(mass::steps(50));
  auto first = part.createPlaces<Site3>({10, 6, 7});
  first.callAll<&Site3::scatter>(4);
  first.callAll<&Site3::walk>(mass::steps(20));
  part.saveCheckpoint(file, "model");
  auto then = rest.createPlaces<Site3>({10, 6, 7});
  (void)rest.restoreCheckpoint(file, "model");
  EXPECT_GT(then.overflowedWords(), 0U);
  then.callAll<&Site3::walk>(mass::steps(30));
  EXPECT_EQ(then.hash(), straight.hash());
  EXPECT_EQ(then.overflowedWords(), straight.overflowedWords());
}

TEST(Scatter, CountsOverflowsIndependentlyOfTheSplit) {
  for (const RankSetup& setup : splits("seed=1")) {
    expectSameOnRanks({setup}, [](Mass& mass, Record& record) {
      auto world = mass.createPlaces<Site3>({10, 6, 7});
      world.callAll<&Site3::scatter>(4);
      world.callAll<&Site3::walk>(mass::steps(61));
      EXPECT_GT(world.overflowedWords(), 100U);
      record.add("overflowed words", world.overflowedWords());
      record.add("hash", world.hash());
    });
  }
}

/// Twelve elements of each of two places arrive at one place, on another rank in part.
TEST(Scatter, CountsTheOverflowsOfHalosOfOtherRanksOnce) {
  using S = Site<2>;
  expectSameOnRanks({{.devices = {1, 1, 1}}, {.devices = {1, 2}}}, [](Mass& mass, Record& record) {
    auto world = mass.createPlaces<S>({3, 1}, mass::borders<S>(mass::Border::fixed));
    const std::array<std::uint32_t, 3> twelve{0x22222222, 0x2222, 0}, none{};
    const auto way = mass.share(std::vector<int>{1, -1});
    world.upload<&S::particles>(std::vector{none, twelve, twelve});
    for (const int which : {0, 1}) {
      world.callAll<&S::next>(way, which);
      record.add("particles", world.map<&S::count>());
      record.add("overflowed words", world.overflowedWords());
    }
  });
}

/// All ranks throw the error of the ranks that own the full places.
TEST(Scatter, ThrowsOnAllRanksIfAMultisetIsFull) {
  using S = Site<2>;
  onRanks({.devices = {1, 1, 1}}, [](Mass& mass) {
    auto world = mass.createPlaces<S>({3, 1}, mass::borders<S>(mass::Border::fixed));
    const std::array<std::uint32_t, 3> twelve{0x22222222, 0x2222, 0}, none{},
        sixteen{0x22222222, 0x22222222, 0};
    world.upload<&S::particles>(std::vector{none, sixteen, twelve});
    const auto way = mass.share(std::vector<int>{1});
    const std::string message =
        messageOf<mass::OverflowError>([&] { world.callAll<&S::next>(way, 0); });
    EXPECT_TRUE(contains(message, "4 elements"));
    world.upload<&S::particles>(std::vector{twelve, none, none});
    world.callAll<&S::next>(mass::steps(2), way, 0);
    EXPECT_EQ(world.map<&S::count>(), (std::vector<std::int64_t>{0, 0, 12}));
  });
}

TEST(Scatter, ThrowsIfAMultisetIsFull) {
  auto mass = makeMass(2, 2);
  auto world = mass.createPlaces<Site3>({2, 1, 13});
  world.callAll<&Site3::scatter>(1);
  const auto ones = mass.share(std::vector<int>{0, 1});
  world.callAll<&Site3::stay>();
  std::vector<std::array<std::uint32_t, 3>> full(26);
  for (auto& words : full) words = {0x22222222, 0x22222222, 0x22222222};
  world.upload<&Site3::particles>(full);
  world.callAll<&Site3::next>(ones, 0);
  EXPECT_EQ(world.reduce<&Site3::count>(mass::sum), 26 * 24);
  full[3] = {0x02222222, 0, 0};
  world.upload<&Site3::particles>(full);
  EXPECT_THROW(world.callAll<&Site3::walk>(), mass::DeviceError);
  // The world remains usable.
  for (auto& words : full) words = {0x2, 0, 0};
  world.upload<&Site3::particles>(full);
  world.callAll<&Site3::walk>(mass::steps(3));
  EXPECT_EQ(world.reduce<&Site3::count>(mass::sum), 26);
}

TEST(Scatter, VisitsEmptyPlacesOnRequest) {
  for (const int devices : {1, 2}) {
    auto mass = makeMass(devices, 2);
    auto world = mass.createPlaces<Site3>({4, 3, 35});
    std::vector<std::uint8_t> kinds(static_cast<std::size_t>(world.size()));
    for (std::size_t i = 0; i < kinds.size(); i += 10) kinds[i] = 7;
    world.upload<&Site3::kind>(kinds);
    world.callAll<&Site3::walk>(mass::steps(3));
    EXPECT_EQ(world.reduce<&Site3::count>(mass::sum), 0);
    world.callAll<&Site3::walkAndGrow>(mass::steps(5));
    EXPECT_EQ(world.reduce<&Site3::count>(mass::sum), 5 * 42);
    EXPECT_EQ(world.reduce<&Site3::of>(mass::sum, 9U), 5 * 42);
  }
}

TEST(Scatter, RemovesElementsThatAreNotSent) {
  auto mass = makeMass(2, 2);
  auto world = mass.createPlaces<Site3>({5, 3, 4});
  world.callAll<&Site3::scatter>(2);
  const auto far = mass.share(std::vector<int>{0, 1});
  const auto even = [&] {
    std::int64_t sum = 0;
    for (std::uint32_t element = 2; element < 16; element += 2) {
      sum += world.reduce<&Site3::of>(mass::sum, element);
    }
    return sum;
  };
  const std::int64_t before = even();
  world.callAll<&Site3::next>(mass::steps(4), far, 1);
  EXPECT_EQ(even(), before);
  EXPECT_EQ(world.reduce<&Site3::count>(mass::sum), before);
}

TEST(Scatter, WorksWithRulesThatChangeMultisets) {
  std::map<int, std::uint64_t> hashes;
  for (const int devices : {1, 3}) {
    auto mass = makeMass(devices, 2);
    auto world = mass.createPlaces<Site3>({6, 5, 4});
    world.callAll<&Site3::scatter>(2);
    for (int round = 0; round < 4; ++round) {
      const std::int64_t ones = world.reduce<&Site3::of>(mass::sum, 1U);
      const std::int64_t twos = world.reduce<&Site3::of>(mass::sum, 2U);
      world.callAll<&Site3::change>(1U);
      EXPECT_EQ(world.reduce<&Site3::of>(mass::sum, 2U), ones + twos);
      world.callAll<&Site3::walk>(mass::steps(3));
      world.callAll<&Site3::stay>();
      EXPECT_EQ(world.reduce<&Site3::seen>(mass::sum), 0);  // neighbours have empty multisets
    }
    hashes[devices] = world.hash();
  }
  EXPECT_EQ(hashes[3], hashes[1]);
}

TEST(Scatter, LeavesNoElementOfAReplacedState) {
  for (const int devices : {1, 3}) {
    auto mass = makeMass(devices, 2);
    auto world = mass.createPlaces<Site3>({6, 5, 4});
    world.callAll<&Site3::scatter>(2);
    for (int round = 0; round < 4; ++round) {
      world.callAll<&Site3::walk>();
      world.callAll<&Site3::growBeside>();
      world.callAll<&Site3::walk>();
      EXPECT_EQ(world.reduce<&Site3::count>(mass::sum), 2 * 120) << round;
    }
  }
}

/// The halo exchange of growBeside() copies multisets to ghost rows.
TEST(Scatter, LeavesNoElementInHalosOfOtherRanks) {
  expectSameOnRanks({{.devices = {1, 1}}, {.devices = {1, 2, 1}}}, [](Mass& mass, Record& record) {
    auto world = mass.createPlaces<Site3>({6, 5, 4});
    world.callAll<&Site3::scatter>(2);
    for (int round = 0; round < 3; ++round) {
      world.callAll<&Site3::growBeside>(mass::steps(3));
      world.callAll<&Site3::walk>(mass::steps(3));
      EXPECT_EQ(world.reduce<&Site3::count>(mass::sum), 2 * 120) << round;
      record.add("hash", world.hash());
    }
  });
}

TEST(Scatter, WorksAfterARuleHasThrown) {
  if (mass::testing::testBackend() == "cuda") GTEST_SKIP() << "rules cannot throw on GPUs";
  for (const int devices : {1, 2}) {
    auto mass = makeMass(devices, 2);
    auto world = mass.createPlaces<Site3>({6, 5, 4});
    world.callAll<&Site3::scatter>(2);
    const auto start = world.download<&Site3::particles>();
    world.callAll<&Site3::walk>();
    EXPECT_THROW(world.callAll<&Site3::failAt>(std::int64_t{70}), std::runtime_error);
    world.upload<&Site3::particles>(start);
    world.callAll<&Site3::walk>();
    EXPECT_EQ(world.reduce<&Site3::count>(mass::sum), 2 * 120);
  }
}

TEST(Scatter, IsUnchangedByLoadBalancing) {
  auto one = makeMass(1, 2);
  auto whole = one.createPlaces<Site3>({31, 5, 6});
  whole.callAll<&Site3::scatter>(3);
  whole.callAll<&Site3::walk>(mass::steps(211));
  for (const int devices : {2, 3}) {
    if (!haveDevices(devices)) continue;
    std::vector<double> weights(static_cast<std::size_t>(devices), 1);
    weights[1] = 3;  // the first partition is unbalanced
    auto mass = makeMass(devices, 3, weights);
    auto world = mass.createPlaces<Site3>({31, 5, 6});
    world.callAll<&Site3::scatter>(3);
    int moves = 0;
    (void)mass.rebalance(mass::Balance::time, 0);
    for (const int steps : {1, 2, 3, 200, 5}) {
      for (const int part : {steps / 2, steps - steps / 2}) {  // the second part is not timed again
        world.callAll<&Site3::walk>(mass::steps(part));
      }
      const auto results = mass.rebalance(mass::Balance::time, 0);
      ASSERT_EQ(results.size(), 1U);
      moves += results[0].after == results[0].before ? 0 : 1;
    }
    EXPECT_GT(moves, 0);
    EXPECT_EQ(world.hash(), whole.hash());
    EXPECT_EQ(world.overflowedWords(), whole.overflowedWords());
  }
}

TEST(Scatter, ContinuesAfterRepartition) {
  if (!haveDevices(3)) GTEST_SKIP() << "there are no 3 devices";
  auto one = makeMass(1, 2);
  auto whole = one.createPlaces<Site3>({12, 5, 6});
  whole.callAll<&Site3::scatter>(3);
  whole.callAll<&Site3::walk>(mass::steps(21));
  auto mass = makeMass(3, 2);
  auto world = mass.createPlaces<Site3>({12, 5, 6});
  world.callAll<&Site3::scatter>(3);
  world.callAll<&Site3::walk>(mass::steps(5));
  mass.repartition(world, {1, 10, 1});
  world.callAll<&Site3::walk>(mass::steps(6));
  mass.repartition(world, {4, 1, 7});
  world.callAll<&Site3::walk>(mass::steps(10));
  EXPECT_EQ(world.hash(), whole.hash());
  EXPECT_EQ(world.overflowedWords(), whole.overflowedWords());
}

}  // namespace
