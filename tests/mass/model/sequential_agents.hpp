#pragma once

// Sequential reference of agents on places: maps and plain loops, without devices, halos and bins.

#include <mass/mass.hpp>
#include <mass/support/hash.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace mass::testing {

inline constexpr int capacityOf[] = {1, 0};  // by kind of agent, 0 and 1
inline constexpr int travelOf[] = {2, 3};
inline constexpr int reachOf[] = {3, 1};
inline constexpr int offspringOf[] = {3, 1};
inline constexpr int placeReach = 2;

/// Returns an offset drawn with components from -far to far.
template <int D>
MASS_FN Offset<D> randomOffset(Random& random, int far) {
  Offset<D> offset{};
  for (int axis = 0; axis < D; ++axis) {
    offset[axis] = static_cast<int>(random.below(static_cast<std::uint32_t>(2 * far + 1))) - far;
  }
  return offset;
}

/// Rule of an agent, shared by the library and the reference. Returns the new soul.
/// @tparam Kind kind of the agent, 0 or 1
/// @param world access to the surroundings and the intent of the agent
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // the reference is host code
#endif
template <int D, int Kind, class World>
MASS_FN std::uint64_t act(std::uint64_t soul, World& world) {
  constexpr int ownReach = reachOf[Kind], otherReach = reachOf[1 - Kind];
  constexpr int travel = travelOf[Kind], offspring = offspringOf[Kind];
  auto random = world.random();
  for (int look = 0; look < 3; ++look) {
    soul = detail::mix(soul ^ world.soil(randomOffset<D>(random, placeReach)));
    world.template forEach<Kind>(
        randomOffset<D>(random, ownReach),
        [&](std::uint64_t id, std::uint64_t other) { soul = detail::mix(soul ^ id) + other; });
    world.template forEach<1 - Kind>(
        randomOffset<D>(random, otherReach),
        [&](std::uint64_t id, std::uint64_t other) { soul = detail::mix(soul + id) ^ other; });
  }
  if (random.bernoulli(0.9)) soul += world.move(randomOffset<D>(random, travel)) ? 1U : 0U;
  for (int child = 0; child < offspring && random.bernoulli(0.2); ++child) {
    soul += world.spawn(detail::mix(soul), randomOffset<D>(random, travel)) ? 2U : 0U;
  }
  if (random.bernoulli(0.2)) world.kill();
  return soul;
}

/// Rule of a place that creates agents, shared by the library and the reference. Returns the new
/// soil. @param add add(soul) creates an agent
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <class Add>
MASS_FN std::uint64_t bleed(std::uint64_t soil, Random random, Add&& add) {
  for (std::uint64_t child = 0; child < 2 && random.bernoulli(0.15); ++child)
    add(detail::mix(soil + child));
  return detail::mix(soil);
}
/// Rule of an agent that creates at most one agent of the other kind. Returns the new soul.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <class Add>
MASS_FN std::uint64_t breed(std::uint64_t soul, Random random, Add&& add) {
  if (random.bernoulli(0.2)) add(soul + 1);
  return detail::mix(soul);
}

/// Agent of the reference.
struct Creature {
  std::uint64_t soul = 1;
  std::int64_t target = detail::targetStay;
  std::vector<std::pair<std::uint64_t, std::int64_t>> children{};  ///< soul and place of each
};
/// Agent of the reference that is born in the next manageAll.
struct Newborn {
  std::int64_t place;
  std::uint64_t id, soul;
};
/// Agents by place and identity.
using Herd = std::map<std::int64_t, std::map<std::uint64_t, Creature>>;

/// State of the reference: soil of each place, and two kinds of agents.
template <int D>
struct Model {
  Shape<D> shape{};
  std::array<Border, static_cast<std::size_t>(D)> borders{};
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> soil;
  Herd herds[2], before[2];
  std::uint64_t steps[2]{}, next[2]{}, soilSteps = 0;
  std::vector<Newborn> newborns[2];

  /// Returns the index of the place at an offset; -1 beyond a fixed border, and beyond a mirrored
  /// one unless `mirrors`.
  std::int64_t placeAt(std::int64_t from, Offset<D> offset, bool mirrors) const {
    auto at = coordinatesOf<D>(from, shape);
    for (int axis = 0; axis < D; ++axis) {
      at[axis] += offset[axis];
      const Border border = borders[static_cast<std::size_t>(axis)];
      while (at[axis] < 0 || at[axis] >= shape[axis]) {
        if (border == Border::fixed || (border == Border::mirrored && !mirrors)) return -1;
        const std::int64_t length = at[axis] < 0 ? shape[axis] : -shape[axis];
        at[axis] = border == Border::periodic ? at[axis] + length
                   : at[axis] < 0             ? -1 - at[axis]
                                              : 2 * shape[axis] - 1 - at[axis];
      }
    }
    return indexOf<D>(at, shape);
  }

  /// Surroundings and intent of one agent.
  struct World {
    Model& model;
    std::int64_t place;
    detail::RandomKey key;
    Creature* self;

    Random random() { return Random(key); }
    std::uint64_t soil(Offset<D> offset) {
      const std::int64_t at = model.placeAt(place, offset, true);
      return at < 0 ? 1 : model.soil[static_cast<std::size_t>(at)];
    }
    template <int Kind, class F>
    void forEach(Offset<D> offset, F&& f) {
      const auto there = model.before[Kind].find(model.placeAt(place, offset, false));
      if (there == model.before[Kind].end()) return;
      for (const auto& [id, creature] : there->second) f(id, creature.soul);
    }
    bool move(Offset<D> offset) {
      const std::int64_t to = model.placeAt(place, offset, false);
      self->target = to == place ? detail::targetStay : to;
      return to >= 0;
    }
    bool spawn(std::uint64_t soul, Offset<D> offset) {
      const std::int64_t to = model.placeAt(place, offset, false);
      if (to >= 0) self->children.emplace_back(soul, to);
      return to >= 0;
    }
    void kill() { self->target = detail::targetDie; }
  };

  /// Applies the rule to all agents of a kind.
  template <int Kind>
  void changeAgents() {
    std::copy_n(herds, 2, before);
    for (auto& [place, creatures] : herds[Kind]) {
      for (auto& [id, creature] : creatures) {
        World world{*this, place, {seed, id, steps[Kind], 0, 255 - Kind, 128}, &creature};
        creature.soul = act<D, Kind>(creature.soul, world);
      }
    }
    ++steps[Kind];
  }
  /// Mixes the souls of agents of kind 1 into the soil of their places.
  void feed() {
    ++soilSteps;
    for (const auto& [place, creatures] : herds[1]) {
      auto& there = soil[static_cast<std::size_t>(place)];
      for (const auto& [id, creature] : creatures) there = detail::mix(there ^ creature.soul);
    }
  }
  /// Creates an agent, which joins in the next manage().
  void add(int kind, std::int64_t place, std::uint64_t soul) {
    newborns[kind].push_back({place, next[kind]++, soul});
  }
  /// Applies bleed() to all places. @param kind kind of the new agents
  void bleedAll(int kind) {
    for (std::uint64_t place = 0; place < soil.size(); ++place) {
      const Random random({seed, place, soilSteps, 0, 0, 0});
      soil[place] = bleed(soil[place], random, [&](std::uint64_t soul) {
        add(kind, static_cast<std::int64_t>(place), soul);
      });
    }
    ++soilSteps;
  }
  /// Applies breed() to all agents of a kind.
  void breedAll(int kind) {
    for (auto& [place, creatures] : herds[kind]) {
      for (auto& [id, creature] : creatures) {
        const Random random({seed, id, steps[kind], 0, static_cast<unsigned>(255 - kind), 128});
        creature.soul = breed(creature.soul, random,
                              [&, at = place](std::uint64_t soul) { add(1 - kind, at, soul); });
      }
    }
    ++steps[kind];
  }
  /// Carries out the intents of the agents of a kind.
  Census manage(int kind);
};

/// Request of an agent to enter a place.
struct Claim {
  std::int64_t from;       ///< place of an agent that moves; -1 for a child
  std::uint64_t id, soul;  ///< identity; soul of a child
};
/// Requests by place and priority.
using Claims = std::map<std::int64_t, std::map<std::uint64_t, Claim>>;

template <int D>
Census Model<D>::manage(int kind) {
  Herd& herd = herds[kind];
  const std::uint64_t key = detail::mix(detail::mix(seed) ^ steps[kind]++) ^
                            detail::mix(static_cast<unsigned>(255 - kind));
  Claims moves, births;
  for (const auto& [place, creatures] : herd) {
    for (const auto& [id, creature] : creatures) {
      if (creature.target >= 0) moves[creature.target][detail::mix(id ^ key)] = {place, id, 0};
      for (const auto& [soul, at] : creature.children) {
        births[at][detail::mix(next[kind] ^ key)] = {-1, next[kind], soul};
        ++next[kind];
      }
    }
  }
  for (const Newborn& newborn : newborns[kind])
    births[newborn.place][detail::mix(newborn.id ^ key)] = {-1, newborn.id, newborn.soul};
  newborns[kind].clear();
  Census census;
  for (auto& [place, creatures] : herd) {
    census.died += static_cast<std::int64_t>(std::erase_if(
        creatures, [](const auto& one) { return one.second.target == detail::targetDie; }));
    for (auto& [id, creature] : creatures) creature = {creature.soul};
  }
  const auto enter = [&](const Claims& claims, std::int64_t& in, std::int64_t& out, auto&& come) {
    const Herd there = herd;
    for (const auto& [place, list] : claims) {
      const auto residents = there.contains(place) ? there.at(place).size() : 0;
      std::int64_t room = capacityOf[kind] - static_cast<std::int64_t>(residents);
      for (const auto& [priority, claim] : list) {
        const bool isFull = capacityOf[kind] > 0 && room-- <= 0;
        ++(isFull ? out : in);
        if (!isFull) come(claim, herd[place]);
      }
    }
  };
  enter(moves, census.moved, census.blocked, [&](const Claim& claim, auto& place) {
    place.insert(herd.at(claim.from).extract(claim.id));
  });
  enter(births, census.born, census.unborn,
        [](const Claim& claim, auto& place) { place[claim.id] = {claim.soul}; });
  std::erase_if(herd, [](const auto& place) { return place.second.empty(); });
  for (const auto& place : herd) census.alive += static_cast<std::int64_t>(place.second.size());
  return census;
}

}  // namespace mass::testing
