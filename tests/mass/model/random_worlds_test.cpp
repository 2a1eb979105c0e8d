// Random models on random ranks, compared with one device.

#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>
#include <mass/support/hash.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

using mass::Border;
using mass::Coordinates;
using mass::Mass;
using mass::Offset;
using mass::Shape;
using mass::detail::mix;
using mass::testing::RankSetup;
using mass::testing::Record;

template <int D, int Reach, int Kind>
class Mover;

template <int D>
MASS_FN Offset<D> randomOffset(mass::Random& random, int far) {
  Offset<D> offset{};
  for (int axis = 0; axis < D; ++axis)
    offset[axis] = static_cast<int>(random.below(static_cast<std::uint32_t>(2 * far + 1))) - far;
  return offset;
}

/// Place whose bits depend on everything that its rules can read.
template <int D, int Reach>
class Field : public mass::Place<D> {
 public:
  static constexpr int reach = Reach;
  std::uint64_t value = 1;
  mass::Multiset<4, 3> load;
  bool flag = false;
  double level = 0.5;
  std::int16_t soil[2] = {3, 4};
  using Attributes = mass::Attributes<&Field::value, &Field::load, &Field::flag, &Field::level,
                                      mass::constant<&Field::soil>>;

  MASS_FN void absorb(const Field& there) {
    value = mix(value ^ there.value) + (there.flag ? 7U : 0U) +
            static_cast<std::uint64_t>(there.soil[0] * 3 + there.soil[1]);
    level = 0.75 * level + 0.1 * there.level;
  }
  MASS_FN void spread(const mass::Neighborhood<Field>& near) {
    auto random = near.random();
    for (int look = 0; look < 4; ++look) absorb(near(randomOffset<D>(random, Reach)));
    for (int axis = 0; axis < D; ++axis) {
      for (const int along : {-Reach, -1, 1, Reach}) {
        Offset<D> offset{};
        offset[axis] = along;
        absorb(near(offset));
      }
    }
    flag = value % 3 == 0;
  }
  MASS_FN void addChosen(const mass::Neighborhood<Field>& near,
                         const mass::Shared<std::uint32_t>& factors) {
    for (int i = 0; i < near.size(); ++i) value += near[i].value * factors[i];
  }
  MASS_FN void grow(const mass::Here<D>& here, int amount) {
    auto random = here.random();
    value = mix(value + static_cast<std::uint64_t>(here.index()));
    level += 0.01 * amount;
    if (load.size() < 2) load.add(1 + random.below(15));
  }
  MASS_FN void walk(const mass::Neighborhood<Field>& near, const mass::Scatter<Field>& out) const {
    for (int i = 0; i < load.size(); ++i) {
      auto random = near.random(near.step(), static_cast<std::uint32_t>(i));
      if (random.below(9) > 0) out.send(randomOffset<D>(random, Reach), load.element(i));
    }
  }
  template <class A>
  MASS_FN void feed(const mass::Residents<A>& here) {
    for (const auto& agent : here) value = mix(value ^ agent.soul);
  }
  MASS_FN double slope(const mass::Neighborhood<Field>& near) const {
    Offset<D> above{};
    above[0] = -Reach;
    return level - near(above).level;
  }
};

/// Agent whose bits depend on everything that its rules can read. Kind 0 moves nearby, kind 1 to
/// any free place.
template <int D, int Reach, int Kind>
class Mover : public mass::Agent<Field<D, Reach>> {
 public:
  using Home = Field<D, Reach>;
  static constexpr std::int64_t capacity = 2 - Kind;
  static constexpr int travel = Kind == 0 ? 2 : mass::anywhere;
  static constexpr bool seeksFreePlaces = Kind == 1;
  static constexpr int reach = Kind == 0 ? Reach : 0, offspring = 2;
  std::uint64_t soul = 1;
  double mood = 0.25;
  std::int16_t marks[3] = {1, 2, 3};
  using Attributes = mass::Attributes<&Mover::soul, &Mover::mood, &Mover::marks>;

  MASS_FN void act(const mass::Neighborhood<Home>& near, const mass::Neighbors<Mover>& own,
                   mass::Intent<Mover>& intent) {
    auto random = intent.random();
    for (int look = 0; look < 3; ++look) {
      soul = mix(soul ^ near(randomOffset<D>(random, Reach)).value);
      const auto others = own(randomOffset<D>(random, reach));
      for (std::int64_t i = 0; i < others.size(); ++i) {
        soul = mix(soul ^ others.id(i)) + others[i].soul;
        mood = 0.5 * mood + 0.001 * others[i].marks[look];
      }
    }
    marks[intent.step() % 3] = static_cast<std::int16_t>(soul);
    if constexpr (Kind == 0) intent.move(randomOffset<D>(random, travel));
    if constexpr (Kind == 1) {
      if (random.below(2) == 0) intent.moveToFree();
    }
    for (int child = 0; child < offspring && random.bernoulli(0.15); ++child) {
      Mover young;
      young.soul = mix(soul);
      intent.spawn(young, randomOffset<D>(random, 2));
    }
    if (random.bernoulli(0.2)) intent.kill();
  }
  MASS_FN double score(double factor) const { return factor * mood; }
};

/// Velocities: rest, and both directions along each axis.
template <int D>
struct Velocities {
  static constexpr int size = 2 * D + 1;
  MASS_FN static constexpr Offset<D> velocity(int k) {
    Offset<D> way{};
    if (k > 0) way[(k - 1) / 2] = k % 2 == 1 ? 1 : -1;
    return way;
  }
};

/// Place of a lattice gas with solid places.
template <int D>
class Flow : public mass::Place<D> {
 public:
  static constexpr int size = Velocities<D>::size;
  mass::FlowCell kind = mass::FlowCell::interior;
  std::uint32_t f[static_cast<std::size_t>(size)] = {};
  std::uint32_t mark = 0;
  using Attributes = mass::Attributes<mass::constant<&Flow::kind>,
                                      mass::streamed<&Flow::f, Velocities<D>>, &Flow::mark>;

  MASS_FN mass::FlowCell flowCell() const { return kind; }
  MASS_FN void begin(const mass::Here<D>& here) {
    for (int k = 0; k < size; ++k) f[k] = static_cast<std::uint32_t>(here.index() * 31 + k);
  }
  MASS_FN void advance(const mass::Streaming<Flow>&) {
    for (int k = 0; k < size; ++k) {
      f[k] = f[k] * 31U + static_cast<std::uint32_t>(k);
      mark = mark * 3 + f[k];
    }
  }
};

/// Random choices of a test, the same on each rank.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : random_(seed) {}
  /// Returns a number of [0, bound).
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
  }
  template <int D>
  Offset<D> offset(int far) {
    Offset<D> offset{};
    for (int axis = 0; axis < D; ++axis) offset[axis] = static_cast<int>(below(2 * far + 1)) - far;
    return offset;
  }
  /// Returns bands of at least one row for each device.
  std::vector<std::int64_t> bands(int devices, std::int64_t rows) {
    std::vector<std::int64_t> bands(static_cast<std::size_t>(devices), 1);
    const std::int64_t all = below(3) == 0 ? 1 : devices;  // sometimes one has the rest
    for (std::int64_t row = devices; row < rows; ++row)
      ++bands[static_cast<std::size_t>(below(all))];
    return bands;
  }

 private:
  std::mt19937_64 random_;
};

/// World of one trial, and the calls of its program.
template <int D, int Reach>
class RandomWorld {
 public:
  using P = Field<D, Reach>;
  using Near = Mover<D, Reach, 0>;
  using Far = Mover<D, Reach, 1>;
  using Wind = Flow<D>;

  RandomWorld(Mass& mass, Record& record, std::uint64_t seed, std::int64_t rows,
              const std::string& folder)
      : mass_(mass), record_(record), choices_(seed), file_(folder + "/world.h5") {
    for (int axis = 0; axis < D; ++axis) shape_[axis] = axis == 0 ? rows : 1 + choices_.below(7);
    for (std::size_t axis = 0; axis < borders_.size(); ++axis)
      borders_[axis] = static_cast<Border>(choices_.below(3));
  }

  void run(int calls) {
    create();
    for (int call = 0; call < calls; ++call) {
      const std::int64_t kind = choices_.below(14);
      try {
        callPlaces(kind);
        callAgents(kind);
        callMass(kind, call);
      } catch (const mass::OverflowError& error) {
        record_.add("overflow", static_cast<int>(std::string(error.what()).size()));
        return;
      }
      record_.add(fmt::format("hash after call {} of kind {}", call, kind), mass_.hash());
    }
    recordAgents(near_);
    recordAgents(far_);
    record_.add("words", places_.overflowedWords());
  }

 private:
  void create() {
    mass::PlacesOptions<P> options;
    options.borders = borders_;
    options.outside.value = 5;
    options.outside.level = 2;
    places_ = mass_.createPlaces<P>(shape_, options);
    places_.template initialise<&P::soil>([](const Coordinates<D>& at) {
      return std::array<std::int16_t, 2>{static_cast<std::int16_t>(at[0]),
                                         static_cast<std::int16_t>(3 * at[D - 1])};
    });
    mass::PlacesOptions<Wind> flowOptions;
    flowOptions.borders = borders_;
    flow_ = mass_.createPlaces<Wind>(shape_, flowOptions);
    std::int64_t place = 0;
    flow_.template initialise<&Wind::kind>([&](const auto&) {
      return ++place % 5 == 1 ? mass::FlowCell::solid : mass::FlowCell::nearSolid;
    });
    flow_.template callAll<&Wind::begin>();
    near_ = mass_.createAgents<Near>(places_, places_.size() / 2, "near");
    far_ = mass_.createAgents<Far>(
        places_, [](const Coordinates<D>& at) { return at[0] % 2 == 0 && at[D - 1] < 3 ? 1 : 0; },
        "far");
  }
  mass::Steps steps() { return mass::steps(choices_.below(4)); }

  void callPlaces(std::int64_t kind) {
    if (kind == 0) places_.template callAll<&P::spread>(steps());
    if (kind == 1) places_.template callAll<&P::grow>(steps(), 3);
    if constexpr (D > 1) {  // Scatter needs two axes
      if (kind == 2) places_.template callAll<&P::walk>(steps());
    }
    if (kind == 3) {
      std::vector<Offset<D>> offsets(static_cast<std::size_t>(choices_.below(3)));
      for (auto& offset : offsets) offset = choices_.template offset<D>(Reach);
      places_.setNeighbors(offsets);
      places_.template callAll<&P::addChosen>(steps(),
                                              mass_.share(std::vector<std::uint32_t>{3, 5, 7}));
    }
    if (kind == 4) flow_.template callAll<&Wind::advance>(steps());
    if (kind == 5) setValues();
    if (kind == 6) readValues();
  }
  void callAgents(std::int64_t kind) {
    if (kind == 7 || kind == 8) near_.template callAll<&Near::act>(near_);
    if (kind == 9) far_.template callAll<&Far::act>(far_);
    if (kind == 10) places_.template callAll<&P::template feed<Near>>(near_);
    if (kind == 10) places_.template callAll<&P::template feed<Far>>(far_);
    if (kind == 11) near_.template deposit<&Near::mood, &P::level>();
    // The cuts move while requests are pending.
    if (kind == 8) repartition();
    if (kind == 7 || kind == 8) manage(near_);
    if (kind == 9) manage(far_);
  }
  void callMass(std::int64_t kind, int call) {
    if (kind == 12) {
      repartition();
      (void)mass_.rebalance(mass::Balance::agents, 0.05);
    }
    if (kind == 13 && call % 2 == 0) {
      mass_.saveCheckpoint(file_, "world");
      repartition();
      places_.template callAll<&P::spread>();
      (void)mass_.restoreCheckpoint(file_, "world");
    }
  }

  /// Moves the cuts. They depend on the number of devices, but the next choices do not.
  void repartition() {
    Choices cuts(static_cast<std::uint64_t>(choices_.below(1 << 30)));
    mass_.repartition(places_, cuts.bands(mass_.devices().size(), shape_[0]));
    mass_.repartition(flow_, cuts.bands(mass_.devices().size(), shape_[0]));
  }
  template <class A>
  void manage(const mass::Agents<A>& agents) {
    agents.manageAll();
    record_.add("census", agents.census());
  }
  void setValues() {
    const auto offset = static_cast<double>(choices_.below(100));
    std::vector<double> levels(static_cast<std::size_t>(places_.size()));
    for (double& level : levels) level = offset / static_cast<double>(1 + choices_.below(99));
    places_.template upload<&P::level>(levels);
    std::uint64_t count = 0;
    places_.template initialise<&P::value>([&](const auto&) { return ++count; });
    near_.template initialise<&Near::soul>([](std::uint64_t id) { return mix(id); });
  }
  void readValues() {
    record_.add("sum", places_.template reduce<&P::level>(mass::sum));
    record_.add("sum of slopes", places_.template reduce<&P::slope>(mass::sum));
    record_.add("map", places_.template map<&P::slope>());
    if constexpr (D > 1) record_.add("rows", places_.template reduceRows<&P::level>(mass::sum));
    record_.add("score", near_.template reduce<&Near::score>(mass::sum, 0.3));
    record_.add("scores", near_.template map<&Near::score>(0.7));
    Coordinates<D> low{}, high{};
    for (int axis = 0; axis < D; ++axis) {
      low[axis] = choices_.below(shape_[axis] + 1);
      high[axis] = low[axis] + choices_.below(shape_[axis] - low[axis] + 1);
    }
    std::vector<std::uint64_t> values;
    for (const P& place : places_.download(low, high)) values.push_back(place.value);
    record_.add("box", values);
  }
  template <class A>
  void recordAgents(const mass::Agents<A>& agents) {
    record_.add("identities", agents.ids());
    record_.add("souls", agents.template download<&A::soul>());
    std::vector<std::int64_t> places;
    for (const auto& at : agents.coordinates()) places.push_back(mass::indexOf<D>(at, shape_));
    record_.add("places", places);
  }

  Mass& mass_;
  Record& record_;
  Choices choices_;
  std::string file_;
  Shape<D> shape_{};
  std::array<Border, static_cast<std::size_t>(D)> borders_{};
  mass::Places<P> places_{{}};
  mass::Places<Wind> flow_{{}};
  mass::Agents<Near> near_{{}};
  mass::Agents<Far> far_{{}};
};

/// Returns up to six ranks with at most `rows` devices in all.
RankSetup randomRanks(Choices& choices, std::int64_t rows) {
  RankSetup setup;
  setup.devices.assign(static_cast<std::size_t>(1 + choices.below(6)), 1);
  for (int& devices : setup.devices) {
    devices += static_cast<int>(std::min(choices.below(3), rows - setup.deviceCount()));
  }
  setup.threads = static_cast<int>(choices.below(5));
  if (choices.below(2) == 0) {
    for (int device = 0; device < setup.deviceCount(); ++device)
      setup.weights.push_back(static_cast<double>(1 + choices.below(9)));
  }
  setup.network.seed = static_cast<std::uint64_t>(choices.below(1 << 30));
  setup.network.longestDelay = std::chrono::microseconds(choices.below(3) * 100);
  setup.network.eagerBytes = choices.below(2) == 0 ? 64 : 4096;
  return setup;
}

template <int D, int Reach>
void runTrial(std::uint64_t number) {
  SCOPED_TRACE(fmt::format("trial {}, {} dimensions", number, D));
  Choices choices(mix(number));
  const std::int64_t rows = 6 + choices.below(12);
  RankSetup setup = randomRanks(choices, rows);
  setup.more = {fmt::format("seed={}", number)};
  const mass::testing::TemporaryFolder folder;
  mass::testing::expectSameOnRanks({setup}, [&](Mass& mass, Record& record) {
    RandomWorld<D, Reach>(mass, record, number, rows, folder.path().string()).run(12);
  });
}

/// Returns the number in an environment variable, or `otherwise`.
std::uint64_t numberFrom(const char* variable, std::uint64_t otherwise) {
  const char* const number = std::getenv(variable);
  return number == nullptr ? otherwise : std::stoull(number);
}

/// MASS_TEST_FIRST: first trial, to repeat one that failed. MASS_TEST_TRIALS: number of trials.
TEST(RandomWorlds, AreTheSameOnRanks) {
  const std::uint64_t first = numberFrom("MASS_TEST_FIRST", 0);
  const std::uint64_t end = first + numberFrom("MASS_TEST_TRIALS", 20);
  for (std::uint64_t number = first; number < end && !HasFailure(); ++number) {
    if (number % 3 == 0) runTrial<1, 3>(number);
    if (number % 3 == 1) runTrial<2, 2>(number);
    if (number % 3 == 2) runTrial<3, 1>(number);
  }
}

}  // namespace
