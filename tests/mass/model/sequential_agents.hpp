#pragma once

// A sequential model of agents on places: maps and plain loops, without devices, ghosts, bins or
// claims of other devices.

#include <mass/mass.hpp>
#include <mass/support/hash.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace mass::testing {

inline constexpr int capacityOf[] = {1, 0};  // of the two kinds of agents
inline constexpr int travelOf[] = {2, 3};
inline constexpr int reachOf[] = {3, 1};
inline constexpr int offspringOf[] = {3, 1};
inline constexpr int placeReach = 2;

template <int D>
MASS_FN Offset<D> randomOffset(Random& random, int far) {
  Offset<D> offset{};
  for (int axis = 0; axis < D; ++axis) {
    offset[axis] = static_cast<int>(random.below(static_cast<std::uint32_t>(2 * far + 1))) - far;
  }
  return offset;
}

/// The rule of an agent of a kind, for both: `world` is what it sees and can do.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // the world of the sequential model is the host's
#endif
template <int D, int Kind, class World>
MASS_FN std::uint64_t act(std::uint64_t soul, World& world) {
  constexpr int ownReach = reachOf[Kind], otherReach = reachOf[1 - Kind];
  constexpr int travel = travelOf[Kind], offspring = offspringOf[Kind];
  auto random = world.random();
  for (int look = 0; look < 3; ++look) {
    soul = mix(soul ^ world.soil(randomOffset<D>(random, placeReach)));
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

/// An agent of the sequential model.
struct Creature {
  std::uint64_t soul = 1;
  std::int64_t target = stays;
  std::vector<std::pair<std::uint64_t, std::int64_t>> children{};  ///< their souls and places
};
using Herd = std::map<std::int64_t, std::map<std::uint64_t, Creature>>;  ///< by place and identity

template <int D>
struct Model {
  Shape<D> shape{};
  std::array<Border, static_cast<std::size_t>(D)> borders{};
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> soil;
  Herd herds[2], before[2];
  std::uint64_t steps[2]{}, next[2]{};

  /// The place at an offset from another; -1 beyond a border, which for places may be a mirror.
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
      self->target = to == place ? stays : to;
      return to >= 0;
    }
    bool spawn(std::uint64_t soul, Offset<D> offset) {
      const std::int64_t to = model.placeAt(place, offset, false);
      if (to >= 0) self->children.emplace_back(soul, to);
      return to >= 0;
    }
    void kill() { self->target = dies; }
  };

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
  void feed() {
    for (const auto& [place, creatures] : herds[1]) {
      auto& there = soil[static_cast<std::size_t>(place)];
      for (const auto& [id, creature] : creatures) there = mix(there ^ creature.soul);
    }
  }
  Census manage(int kind);
};

/// Those who want to be on each place, by priority: where they are, who they are, their souls.
struct Claim {
  std::int64_t from;
  std::uint64_t id, soul;
};
using Claims = std::map<std::int64_t, std::map<std::uint64_t, Claim>>;

template <int D>
Census Model<D>::manage(int kind) {
  Herd& herd = herds[kind];
  const std::uint64_t key = detail::mix(detail::mix(seed) ^ steps[kind]++) ^ detail::mix(static_cast<unsigned>(255 - kind));
  Claims moves, births;
  for (const auto& [place, creatures] : herd) {
    for (const auto& [id, creature] : creatures) {
      if (creature.target >= 0) moves[creature.target][mix(id ^ key)] = {place, id, 0};
      for (const auto& [soul, at] : creature.children) {
        births[at][detail::mix(next[kind] ^ key)] = {-1, next[kind], soul};
        ++next[kind];
      }
    }
  }
  Census census;
  for (auto& [place, creatures] : herd) {
    census.died += static_cast<std::int64_t>(
        std::erase_if(creatures, [](const auto& one) { return one.second.target == dies; }));
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
