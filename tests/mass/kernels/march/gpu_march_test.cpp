// Marches on a GPU, compared with loops over arrays and with single steps on CPUs.

#include <mass/backend/gpus.hpp>
#include <mass/mass.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using mass::Border;
using mass::Coordinates;
using mass::Mass;

/// Settings of a run.
struct Way {
  std::string backend, stepsPerPass;
  int devices = 1;
  std::string exchange = "auto", exchangeEvery = "auto";
};

Mass makeMass(const Way& way) {
  mass::Settings settings;
  settings.set("backend=" + way.backend);
  settings.set("steps_per_pass=" + way.stepsPerPass);
  settings.set("exchange_every=" + way.exchangeEvery);
  settings.set("exchange=" + way.exchange);
  settings.set(fmt::format("devices={}", way.devices));
  settings.set("threads=1");
  settings.set("seed=5");
  return Mass(settings);
}
std::string nameOf(const Way& way) {
  return fmt::format("{} devices, exchange {} every {}, {} steps a pass", way.devices, way.exchange,
                     way.exchangeEvery, way.stepsPerPass);
}

/// Place of 5 bytes whose asymmetric rule reads all that marches provide.
class Cell : public mass::Place<2> {
 public:
  static constexpr int reach = 1;
  std::uint8_t value = 0;
  float warmth = 0;
  using Attributes = mass::Attributes<&Cell::value, &Cell::warmth>;

  MASS_FN void mix(const mass::Neighborhood<Cell>& near, std::uint32_t salt) {
    std::uint32_t sum = salt + (near.random()() & 3U) + static_cast<std::uint32_t>(near.step());
    for (const auto& offset : mass::moore<2>) sum = sum * 5 + near(offset).value;
    sum += static_cast<std::uint32_t>(near.coordinates()[0] * 3 + near.coordinates()[1]);
    value = static_cast<std::uint8_t>(sum >> 3);
    warmth = 0.25F * (near.get<&Cell::warmth>({-1, 0}) + near({0, 1}).warmth) +
             static_cast<float>(sum % 9);
  }
  MASS_FN void warm(const mass::Neighborhood<Cell>& near) {
    warmth = 0.5F * near.sum<&Cell::warmth>(mass::vonNeumann<2>) - static_cast<float>(value);
  }
};

class Bit : public mass::Place<2> {
 public:
  static constexpr int reach = 1;
  bool alive = false;
  using Attributes = mass::Attributes<&Bit::alive>;

  MASS_FN void live(const mass::Neighborhood<Bit>& near) {
    const auto living = near.count<&Bit::alive>(mass::moore<2>);
    alive = living == 3 || (alive && living == 2);
  }
};

template <class Real>
class Heat : public mass::Place<2> {
 public:
  static constexpr int reach = 1;
  Real temperature = 0;
  using Attributes = mass::Attributes<&Heat::temperature>;

  MASS_FN void diffuse(const mass::Neighborhood<Heat>& near, Real r) {
    Real around = 0;
    for (auto offset : mass::vonNeumann<2>) around += near(offset).temperature;
    temperature += r * (around - 4 * temperature);
  }
};

std::uint32_t mixed(std::int64_t number) {
  auto x = static_cast<std::uint32_t>(number) * 2654435761U;
  x ^= x >> 15;
  return x * 2246822519U;
}

bool isEmulated() {
  return std::getenv("EMULATED_GPUS") != nullptr;
}

struct World {
  std::int64_t rows, columns;
  Border ofRows, ofColumns;

  /// True for worlds of more tiles than a GPU makes several steps by: they march.
  bool isLarge() const { return columns >= (isEmulated() ? 236 : 1600); }
};

std::string nameOf(const World& world) {
  return fmt::format("{} x {}, borders {} {}", world.rows, world.columns,
                     static_cast<int>(world.ofRows), static_cast<int>(world.ofColumns));
}

/// Returns runs of a world on several GPUs; one of them on emulated GPUs, which are slow.
std::vector<Way> waysOnSeveral(const World& world) {
  std::vector<Way> ways{{"cuda", "4", 2, "store"},     {"cuda", "8", 2, "store"},
                        {"cuda", "8", 2, "copy"},      {"cuda", "4", 2, "host"},
                        {"cuda", "auto", 2, "auto"},   {"cuda", "8", 3, "store"},
                        {"cuda", "4", 3, "host"},      {"cuda", "8", 2, "auto", "1"},
                        {"cuda", "8", 2, "auto", "4"}, {"cuda", "auto", 3, "copy", "8"}};
  std::erase_if(ways, [&](const Way& way) {
    const bool isRefused = way.exchangeEvery != "auto" && world.rows < 8 * way.devices;
    return isRefused || way.devices > mass::detail::usableGpus();
  });
  if (!isEmulated() || ways.empty()) return ways;
  static std::size_t next = 0;
  return {ways[next++ % ways.size()]};
}

/// Returns runs with some numbers of steps a pass on a GPU; one of them on emulated GPUs.
std::vector<Way> waysOnOne(const std::vector<std::string>& stepsPerPass) {
  std::vector<Way> ways;
  for (const std::string& steps : stepsPerPass) ways.push_back({"cuda", steps});
  if (!isEmulated()) return ways;
  static std::size_t next = 0;
  return {ways[next++ % ways.size()]};
}

/// Returns worlds with all borders, small and large; fewer on emulated GPUs, which are slow.
std::vector<World> worlds() {
  std::vector<World> all;
  for (const Border ofRows : {Border::periodic, Border::fixed, Border::mirrored}) {
    for (const Border ofColumns : {Border::periodic, Border::fixed, Border::mirrored}) {
      all.push_back({37, 32, ofRows, ofColumns});
      if (isEmulated()) all.push_back({34, 236, ofRows, ofColumns});
      if (isEmulated()) continue;
      all.push_back({50, 236, ofRows, ofColumns});
      all.push_back({32, 484, ofRows, ofColumns});
    }
  }
  all.push_back({3, 8, Border::periodic, Border::periodic});  // too few rows: single steps
  all.push_back({20, 23, Border::periodic, Border::fixed});   // no whole packs: single steps
  if (isEmulated()) return all;
  all.push_back({20, 1056, Border::periodic, Border::periodic});
  all.push_back({300, 456, Border::mirrored, Border::mirrored});
  all.push_back({2000, 96, Border::fixed, Border::periodic});
  all.push_back({2000, 1600, Border::mirrored, Border::fixed});
  return all;
}

template <class P>
mass::Places<P> placesOf(Mass& mass, const World& world, const P& outside) {
  // Emulated GPUs run few tiles at a time, so that worlds are large which take little time.
  ::setenv("EMULATED_MULTIPROCESSORS", world.isLarge() ? "1" : "6", 1);
  auto options = mass::borders(Border::periodic, outside);
  options.borders = {world.ofRows, world.ofColumns};
  return mass.createPlaces<P>({world.rows, world.columns}, options);
}

class GpuMarch : public ::testing::Test {
 protected:
  void SetUp() override {
    if (mass::detail::usableGpus() == 0) GTEST_SKIP() << "no GPU";
  }
};

std::uint64_t hashOfCells(const Way& way, const World& world) {
  Mass mass = makeMass(way);
  Cell outside;
  outside.value = 77;
  outside.warmth = 3;
  const auto cells = placesOf(mass, world, outside);
  cells.initialise<&Cell::value>([&](const Coordinates<2>& at) {
    return static_cast<std::uint8_t>(mixed(at[0] * world.columns + at[1]));
  });
  std::uint64_t hash = 0;
  for (const int steps : {3, 29, 16}) {
    cells.callAll<&Cell::mix>(mass::steps(steps), std::uint32_t{9});
    cells.callAll<&Cell::warm>(mass::steps(9), mass::writes<&Cell::warmth>);
    hash = hash * 31 + cells.hash();
  }
  return hash;
}

TEST_F(GpuMarch, HasTheBitsOfSingleStepsOnCpus) {
  for (const World& world : worlds()) {
    const std::uint64_t expected = hashOfCells({"cpu", "1"}, world);
    for (const std::string stepsPerPass : {"1", "4", "8", "auto"})
      EXPECT_EQ(hashOfCells({"cuda", stepsPerPass}, world), expected)
          << nameOf(world) << ", " << stepsPerPass << " steps a pass";
  }
}

TEST_F(GpuMarch, OnSeveralGpusHasTheBitsOfSingleStepsOnCpus) {
  for (const World& world : worlds()) {
    const std::uint64_t expected = hashOfCells({"cpu", "1"}, world);
    for (const Way& way : waysOnSeveral(world))
      EXPECT_EQ(hashOfCells(way, world), expected) << nameOf(world) << ", " << nameOf(way);
  }
}

TEST_F(GpuMarch, CountsBools) {
  const World world{64, 248, Border::fixed, Border::periodic};
  const auto hashOf = [&](const Way& way) {
    Mass mass = makeMass(way);
    const auto bits = placesOf(mass, world, Bit{});
    bits.initialise<&Bit::alive>(
        [&](const Coordinates<2>& at) { return mixed(at[0] * world.columns + at[1]) % 3 == 0; });
    bits.callAll<&Bit::live>(mass::steps(43));
    return bits.hash();
  };
  const auto expected = hashOf({"cpu", "1"});
  EXPECT_EQ(hashOf({"cuda", "4"}), expected);
  EXPECT_EQ(hashOf({"cuda", "8"}), expected);
  for (const Way& way : waysOnSeveral(world)) EXPECT_EQ(hashOf(way), expected) << nameOf(way);
}

/// Returns the value of a place, or of one beyond a border. @param outside beyond fixed borders
template <class T>
T valueAt(const std::vector<T>& values, const World& world, std::int64_t row, std::int64_t column,
          T outside) {
  const auto inside = [](std::int64_t& x, std::int64_t n, Border border) {
    if (x >= 0 && x < n) return true;
    if (border == Border::periodic) x = x < 0 ? x + n : x - n;
    if (border == Border::mirrored) x = x < 0 ? 0 : n - 1;
    return border != Border::fixed;
  };
  const bool isInside =
      inside(row, world.rows, world.ofRows) && inside(column, world.columns, world.ofColumns);
  return isInside ? values[static_cast<std::size_t>(row * world.columns + column)] : outside;
}

/// Steps of the heat equation by a loop over an array.
template <class Real>
std::vector<Real> heated(std::vector<Real> now, const World& world, int steps, Real r,
                         Real outside) {
  const auto at = [&](std::int64_t row, std::int64_t column) {
    return valueAt(now, world, row, column, outside);
  };
  for (int step = 0; step < steps; ++step) {
    std::vector<Real> next = now;
    for (std::int64_t i = 0; i < world.rows; ++i) {
      for (std::int64_t j = 0; j < world.columns; ++j) {
        // In the order of mass::vonNeumann.
        const Real around = at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1);
        Real& place = next[static_cast<std::size_t>(i * world.columns + j)];
        place += r * (around - 4 * place);
      }
    }
    now = next;
  }
  return now;
}

template <class Real>
void compareHeat() {
  for (const World& world : worlds()) {
    std::vector<Real> start;
    for (std::int64_t i = 0; i < world.rows * world.columns; ++i)
      start.push_back(static_cast<Real>(mixed(i)) / static_cast<Real>(1 << 20));
    const std::vector<Real> expected = heated<Real>(start, world, 24, Real(0.2), Real(5));
    std::vector<Way> ways = waysOnSeveral(world);
    ways.push_back({"cuda", "8"});
    if (!isEmulated()) ways.push_back({"cuda", "4"});
    for (const Way& way : ways) {
      Mass mass = makeMass(way);
      Heat<Real> outside;
      outside.temperature = 5;
      const auto plate = placesOf(mass, world, outside);
      plate.template upload<&Heat<Real>::temperature>(start);
      plate.template callAll<&Heat<Real>::diffuse>(mass::steps(24), Real(0.2));
      EXPECT_EQ(plate.template download<&Heat<Real>::temperature>(), expected)
          << nameOf(world) << ", " << nameOf(way);
    }
  }
}

TEST_F(GpuMarch, OfFloatsHasTheBitsOfLoops) {
  compareHeat<float>();
}
TEST_F(GpuMarch, OfDoublesHasTheBitsOfLoops) {
  compareHeat<double>();
}

/// Place with two rules that read neighbours, and two that do not.
class Pair : public mass::Place<2> {
 public:
  static constexpr int reach = 1;
  std::uint32_t a = 0, b = 0;
  using Attributes = mass::Attributes<&Pair::a, &Pair::b>;

  MASS_FN void stir(const mass::Neighborhood<Pair>& near, std::uint32_t salt) {
    a += near(-1, 0).b * 3 + near(0, 1).a * 5 + near(1, -1).b + salt;
    a += static_cast<std::uint32_t>(near.step() * 7 + static_cast<std::uint64_t>(near.index()));
  }
  MASS_FN void settle(const mass::Here<2>& here) {
    b = b * 9 + (a ^ static_cast<std::uint32_t>(here.step() * 13));
    b += static_cast<std::uint32_t>(here.coordinates()[0] * 5 + here.coordinates()[1]);
  }
  MASS_FN void age(std::uint32_t years) { b += years * (a >> 3); }
  MASS_FN void mingle(const mass::Neighborhood<Pair>& near) {
    b += near(1, 1).a * 7 + near(0, -1).b * 3 + near(-1, 0).a;
    b += static_cast<std::uint32_t>(near.step() * 11);
  }
};

/// Rules of Pair by loops over arrays. Each is a step.
class PairReference {
 public:
  explicit PairReference(const World& world)
      : world_(world), a_(static_cast<std::size_t>(world.rows * world.columns)), b_(a_) {
    for (std::size_t i = 0; i < a_.size(); ++i)
      a_[i] = mixed(static_cast<std::int64_t>(i)), b_[i] = a_[i] >> 7;
  }
  void stir() {
    const std::vector<std::uint32_t> a = a_;
    forEach([&](std::int64_t i, std::int64_t j, std::size_t n) {
      a_[n] += at(b_, i - 1, j, 6) * 3 + at(a, i, j + 1, 4) * 5 + at(b_, i + 1, j - 1, 6) + 11;
      a_[n] += static_cast<std::uint32_t>(step_ * 7 + n);
    });
  }
  void settle() {
    forEach([&](std::int64_t i, std::int64_t j, std::size_t n) {
      b_[n] = b_[n] * 9 + (a_[n] ^ static_cast<std::uint32_t>(step_ * 13));
      b_[n] += static_cast<std::uint32_t>(i * 5 + j);
    });
  }
  void mingle() {
    const std::vector<std::uint32_t> b = b_;
    forEach([&](std::int64_t i, std::int64_t j, std::size_t n) {
      b_[n] += at(a_, i + 1, j + 1, 4) * 7 + at(b, i, j - 1, 6) * 3 + at(a_, i - 1, j, 4);
      b_[n] += static_cast<std::uint32_t>(step_ * 11);
    });
  }
  void age() {
    forEach([&](std::int64_t, std::int64_t, std::size_t n) { b_[n] += 3 * (a_[n] >> 3); });
  }
  const std::vector<std::uint32_t>& a() const { return a_; }
  const std::vector<std::uint32_t>& b() const { return b_; }

 private:
  std::uint32_t at(const std::vector<std::uint32_t>& of, std::int64_t row, std::int64_t column,
                   std::uint32_t outside) const {
    return valueAt(of, world_, row, column, outside);
  }

  /// Calls f(row, column, number of the place) for all places.
  template <class F>
  void forEach(F&& f) {
    for (std::int64_t i = 0; i < world_.rows; ++i)
      for (std::int64_t j = 0; j < world_.columns; ++j)
        f(i, j, static_cast<std::size_t>(i * world_.columns + j));
    ++step_;
  }

  World world_;
  std::uint64_t step_ = 0;
  std::vector<std::uint32_t> a_, b_;
};

/// Compares turns on GPUs with those of a reference.
/// @param call makes some turns of places @param turn makes one of a PairReference
template <class Call, class Turn>
void comparePairs(const World& world, const Way& way, Call&& call, Turn&& turn) {
  SCOPED_TRACE(nameOf(world) + ", " + nameOf(way));
  Mass mass = makeMass(way);
  Pair outside;
  outside.a = 4;
  outside.b = 6;
  const auto pairs = placesOf(mass, world, outside);
  PairReference reference(world);
  pairs.upload<&Pair::a>(reference.a());
  pairs.upload<&Pair::b>(reference.b());
  for (const int turns : {7, 1, 24}) {
    call(pairs, turns);
    for (int k = 0; k < turns; ++k) turn(reference);
    EXPECT_EQ(pairs.download<&Pair::a>(), reference.a()) << turns << " turns";
    EXPECT_EQ(pairs.download<&Pair::b>(), reference.b()) << turns << " turns";
  }
}

constexpr auto stir = mass::writing<&Pair::stir, &Pair::a>;
constexpr auto mingle = mass::writing<&Pair::mingle, &Pair::b>;
constexpr auto age = mass::writing<&Pair::age, &Pair::b>;

TEST_F(GpuMarch, OfARuleAndPointwiseRulesInTurnHasTheBitsOfLoops) {
  const auto call = [](const auto& pairs, int turns) {
    pairs.template callAll<mass::inTurn<stir, &Pair::settle, age>>(mass::steps(turns), 11U, 3U);
  };
  const auto turn = [](PairReference& pairs) {
    pairs.stir();
    pairs.settle();
    pairs.age();
  };
  for (const World& world : worlds())
    for (const Way& way : waysOnOne({"4", "6", "auto"})) comparePairs(world, way, call, turn);
}

TEST_F(GpuMarch, OfRulesInTurnThatReadNeighboursHasTheBitsOfLoops) {
  const auto call = [](const auto& pairs, int turns) {
    pairs.template callAll<mass::inTurn<stir, &Pair::settle, mingle, age>>(mass::steps(turns), 11U,
                                                                           3U);
  };
  const auto turn = [](PairReference& pairs) {
    pairs.stir();
    pairs.settle();
    pairs.mingle();
    pairs.age();
  };
  for (const World& world : worlds()) {
    std::vector<Way> ways = waysOnSeveral(world);
    for (const Way& way : waysOnOne({"4", "6", "auto"})) ways.push_back(way);
    for (const Way& way : ways) comparePairs(world, way, call, turn);
  }
}

}  // namespace
