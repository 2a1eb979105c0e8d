// Random worlds, rates and settings against the engine that executes one event after the other.

#include "../../../support/mass_on_ranks.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using mass::Balance;
using mass::Border;
using mass::Mass;
using mass::detail::mix;

/// Kinds of particles that hop, and one that does not. A source bears particles; two that meet
/// become one; many decay, and four of kind 0 vanish at once.
template <int Kinds>
class World : public mass::Place<2> {
 public:
  std::int32_t n[std::size_t{Kinds}] = {};
  std::int32_t bound = 0;
  bool isSource = false;
  using Attributes = mass::Attributes<&World::n, &World::bound, mass::constant<&World::isSource>>;

  MASS_FN double meeting(double rate) const { return rate * n[0] * n[Kinds - 1]; }
  MASS_FN void meet() { --n[0], --n[Kinds - 1], ++bound; }
  MASS_FN double birth(double rate) const { return isSource ? 4 * rate : 0; }
  MASS_FN void bear() { n[0] += 2; }
  MASS_FN double decay() const { return bound == 0 ? 0 : 2.0 * bound / (1 + n[0]); }
  MASS_FN void fallApart() { --bound, ++n[Kinds - 1]; }
  MASS_FN bool isCrowded() const { return n[0] >= 4; }
  MASS_FN void vanish() { n[0] -= 4; }

  template <std::size_t... K>
  static auto eventsOf(std::index_sequence<K...> /*kinds*/)
      -> mass::Events<mass::event<&World::meeting, &World::meet, mass::reads<&World::n>>,
                      mass::event<&World::birth, &World::bear, mass::reads<>>,
                      mass::event<&World::decay, &World::fallApart>,
                      mass::whenever<&World::isCrowded, &World::vanish>,
                      mass::hop<&World::n, static_cast<int>(K)>...>;
  using Events = decltype(eventsOf(std::make_index_sequence<std::size_t{Kinds}>()));
};

/// Random numbers of one world, by name and coordinates.
struct Dice {
  std::uint64_t seed = 0;
  std::uint64_t below(std::uint64_t limit, std::uint64_t name, std::int64_t a = 0,
                      std::int64_t b = 0) const {
    const std::uint64_t place =
        mix(mix(static_cast<std::uint64_t>(a)) ^ static_cast<std::uint64_t>(b));
    return mix(mix(seed ^ mix(name)) ^ place) % limit;
  }
};

struct Result {
  std::vector<std::uint64_t> hashes;
  std::vector<std::int64_t> events;
  std::uint64_t windows = 0;
  friend bool operator==(const Result&, const Result&) = default;
};

/// Runs a world in several calls, between which sources, particles, rates and cuts change.
template <int Kinds>
Result runWorld(Mass& mass, const Dice& dice) {
  using P = World<Kinds>;
  const mass::Shape<2> shape{4 + static_cast<std::int64_t>(dice.below(9, 1)),
                             1 + static_cast<std::int64_t>(dice.below(9, 2))};
  mass::PlacesOptions<P> options;
  options.borders = {dice.below(2, 3) == 0 ? Border::periodic : Border::fixed,
                     dice.below(2, 4) == 0 ? Border::periodic : Border::mirrored};
  const auto places = mass.createPlaces<P>(shape, options);
  Result result;
  for (std::uint64_t call = 1; call <= 3; ++call) {
    const std::uint64_t name = 100 * call, sparse = 1 + 40 * dice.below(3, name);
    if (dice.below(2, name + 1) == 0 || call == 1)
      places.template initialise<&P::bound>([&](const auto& at) {
        return static_cast<std::int32_t>(dice.below(sparse, name + 2, at[0], at[1]) == 0 ? 2 : 0);
      });
    places.template initialise<&P::isSource>(
        [&](const auto& at) { return dice.below(2 * sparse, name + 3, at[0], at[1]) == 0; });
    places.template hopRate<&P::n>(0.7 * static_cast<double>(dice.below(3, name + 4)));
    places.template hopRate<&P::n, Kinds - 1>([&](const auto& from, const auto& to) {
      return from[0] > to[0] ? 0.0
                             : 0.5 * static_cast<double>(dice.below(4, name + 5, to[0], to[1]));
    });
    places.runEvents(mass::seconds(0.8), 0.5 * static_cast<double>(dice.below(3, name + 6)));
    result.hashes.push_back(places.hash());
    (void)mass.rebalance(dice.below(2, name + 7) == 0 ? Balance::rate : Balance::time, 0.02);
  }
  result.events = mass.eventReports().front().events;
  result.windows = places.step();
  return result;
}

template <int Kinds>
void expectSame(std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Dice dice{mix(seed)};
    std::vector<std::string> more;
    if (dice.below(3, 5) == 0) more.emplace_back("events.tick_bits=4");
    if (dice.below(3, 6) == 0) more.emplace_back("events.window=0.1");
    std::vector<std::string> ofReference = more;
    ofReference.emplace_back("events.engine=reference");
    Mass reference = mass::testing::makeMass(1, 1, {}, ofReference);
    const Result expected = runWorld<Kinds>(reference, dice);
    for (const std::string engine : {"windows", "time_warp"}) {
      std::vector<std::string> ofEngine = more;
      ofEngine.emplace_back("events.engine=" + engine);
      for (const auto& devices : {std::vector<int>{1}, {1, 2}}) {
        if (engine == "time_warp" && devices.size() > 1 && seed % 4 != 0) continue;  // takes time
        mass::testing::onRanks({.devices = devices, .threads = 2, .more = ofEngine},
                               [&](Mass& mass) {
                                 EXPECT_TRUE(runWorld<Kinds>(mass, dice) == expected)
                                     << "world " << seed << ' ' << engine;
                               });
      }
    }
  }
}

TEST(EventBits, OfRandomWorlds) {
  expectSame<2>(0, 8);
  expectSame<6>(100, 8);
}

}  // namespace
