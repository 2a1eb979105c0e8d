#include <mass/dispatch/cpu_agents.hpp>

#include <mass/dispatch/failure.hpp>
#include <mass/support/error.hpp>
#include <mass/support/hash.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace mass {
namespace {

/// Where an agent or a child lies: on a device, at a number.
struct Origin {
  int device = 0;
  std::int64_t index = 0;
  bool isChild = false;
};

/// An agent that wants to be on a place.
struct Claim {
  std::int64_t bin = 0;  ///< on the device that owns the place
  std::uint64_t id = 0;
  std::uint64_t priority = 0;  ///< the lowest come in first; no two are equal
  Origin origin;
};

constexpr auto byPriority = [](const Claim& a, const Claim& b) {
  return std::pair(a.bin, a.priority) < std::pair(b.bin, b.priority);
};
constexpr auto byIdentity = [](const Claim& a, const Claim& b) {
  return std::pair(a.bin, a.id) < std::pair(b.bin, b.id);
};

/// Copies elements of `size` bytes, numbered by `from`, one after the other.
template <class From>
void gather(const From& from, std::int64_t count, std::size_t size, char* to) {
  const auto copy = [&](auto bytes) {
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * bytes, from(i), bytes);
  };
  switch (size) {
    case 1:
      return copy(std::integral_constant<int, 1>());
    case 4:
      return copy(std::integral_constant<int, 4>());
    case 8:
      return copy(std::integral_constant<int, 8>());
    default:
      for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(to + static_cast<std::size_t>(i) * size, from(i), size);
      }
  }
}

/// Fewer agents are seen to before other threads would have come.
constexpr std::int64_t fewAgents = 4096;

/// Runs `work` for each device, on one thread each; rethrows what the first has thrown.
void onEachDevice(const AgentFields& agents, const std::function<void(int device)>& work) {
  if (agents.devices() == 1 || agents.alive() < fewAgents) {
    for (int device = 0; device < agents.devices(); ++device) work(device);
    return;
  }
  Failure failure;
  agents.places().devices().run([&](const Worker& worker) {
    if (!worker.leads()) return;
    try {
      work(worker.device());
    } catch (...) {
      failure.record(0, worker);
    }
  });
  if (failure.exception()) std::rethrow_exception(failure.exception());
}

/// Sets where the agents of each bin of a band begin, from the bins of its own agents; there are no
/// ghosts yet.
void indexBins(AgentBand& band) {
  std::int64_t* const first = band.first.data();
  std::int64_t agent = 0;
  for (std::int64_t bin = 0; bin < band.bins.own(); ++bin) {
    first[bin] = agent;
    while (agent < band.own && band.bin[agent] == bin) ++agent;
  }
  std::fill(first + band.bins.own(), first + band.bins.size() + 1, band.own);
  band.ghosts = 0;
}

void clearIntents(AgentBand& band) {
  std::fill_n(band.targets.data(), band.own, stays);
  std::fill_n(band.births.data(), band.own, std::uint8_t{0});
}

/// The intents of all agents, to be given back if a rule that changes them fails.
class Wishes {
 public:
  explicit Wishes(const AgentFields& agents) {
    if (!agents.hasIntents) return;  // then there are none
    for (int device = 0; device < agents.devices(); ++device) {
      const AgentBand& band = agents.band(device);
      targets_.emplace_back(band.targets.data(), band.targets.data() + band.own);
      births_.emplace_back(band.births.data(), band.births.data() + band.own);
    }
  }
  void restore(AgentFields& agents) const {
    for (int device = 0; device < agents.devices(); ++device) {
      AgentBand& band = agents.band(device);
      if (targets_.empty()) {
        clearIntents(band);
        continue;
      }
      const auto at = static_cast<std::size_t>(device);
      std::copy(targets_[at].begin(), targets_[at].end(), band.targets.data());
      std::copy(births_[at].begin(), births_[at].end(), band.births.data());
    }
  }

 private:
  std::vector<std::vector<std::int64_t>> targets_;
  std::vector<std::vector<std::uint8_t>> births_;
};

/// One manageAll.
class Management {
 public:
  explicit Management(const AgentRun& run)
      : agents_(run.agents), key_(mix(mix(run.seed) ^ run.agents->step) ^ mix(run.population)) {
    const auto count = static_cast<std::size_t>(agents_->devices());
    desks_.resize(count);
    for (Desk& desk : desks_) desk.outgoing.resize(count);
  }

  Census operator()();

 private:
  /// What one device does, written by it alone (but for `leaves`).
  struct Desk {
    std::vector<std::vector<Claim>> outgoing;  ///< by the device that owns the place
    std::vector<Claim> incoming;               ///< those that come in here
    std::vector<char> leaves;                  ///< by agent: it dies, or moves elsewhere
    std::int64_t children = 0;
    Census census;
    std::uint64_t identities = 0;  ///< a sum that no agent may be missing from, or be in twice
  };

  Desk& desk(int device) { return desks_[static_cast<std::size_t>(device)]; }
  std::uint64_t priorityOf(std::uint64_t id) const { return mix(id ^ key_); }
  void submit(int device, std::int64_t place, std::uint64_t id, Origin origin);
  void claimMoves(int device);
  void claimBirths(int device);
  void settle(int device, bool births);
  std::int64_t residents(int device, std::int64_t bin, bool afterMoves) const;
  void makeRoom(int device);
  void build(int device);
  void finish(int device);
  const char* element(const Origin& origin, std::size_t component, std::size_t size) const;
  Census conclude();

  AgentFields* agents_;
  std::uint64_t key_;
  std::vector<Desk> desks_;
};

void Management::submit(int device, std::int64_t place, std::uint64_t id, Origin origin) {
  const std::int64_t rowSize = agents_->band(device).bins.rowSize();
  const int owner = agents_->places().partition().owner(place / rowSize);
  const std::int64_t bin = place - agents_->band(owner).bins.place(0);
  desk(device).outgoing[static_cast<std::size_t>(owner)].push_back(
      {bin, id, priorityOf(id), origin});
}

void Management::claimMoves(int device) {
  const AgentBand& band = agents_->band(device);
  Desk& mine = desk(device);
  mine.leaves.assign(static_cast<std::size_t>(band.own), 0);
  for (std::int64_t i = 0; i < band.own; ++i) {
    const std::uint64_t id = band.ids[i];
    mine.identities -= mix(id);
    mine.children += band.births[i];
    if (band.targets[i] == dies) {
      mine.leaves[static_cast<std::size_t>(i)] = 1;
      mine.identities += mix(id);
      ++mine.census.died;
    } else if (band.targets[i] != stays) {
      submit(device, band.targets[i], id, {device, i, false});
    }
  }
}

/// Gives the children their identities, in the order of their parents' places and identities.
void Management::claimBirths(int device) {
  const AgentBand& band = agents_->band(device);
  for (auto& claims : desk(device).outgoing) claims.clear();
  std::uint64_t id = agents_->nextId;
  for (int before = 0; before < device; ++before) {
    id += static_cast<std::uint64_t>(desk(before).children);
  }
  const int offspring = agents_->traits().offspring;
  for (std::int64_t i = 0; i < band.own; ++i) {
    for (int k = 0; k < band.births[i]; ++k) {
      const std::int64_t slot = i * offspring + k;
      submit(device, band.birthplaces[slot], id++, {device, slot, true});
    }
  }
}

/// How many agents that do not die are on a place, before or after the moves.
std::int64_t Management::residents(int device, std::int64_t bin, bool afterMoves) const {
  const AgentBand& band = agents_->band(device);
  const Desk& here = desks_[static_cast<std::size_t>(device)];
  std::int64_t count = 0;
  for (std::int64_t i = band.first[bin]; i < band.first[bin + 1]; ++i) {
    if (afterMoves ? here.leaves[static_cast<std::size_t>(i)] == 0 : band.targets[i] != dies) {
      ++count;
    }
  }
  if (!afterMoves) return count;
  const auto [first, last] =
      std::equal_range(here.incoming.begin(), here.incoming.end(),
                       Claim{.bin = bin, .id = 0, .priority = 0, .origin = {}},
                       [](const Claim& a, const Claim& b) { return a.bin < b.bin; });
  return count + (last - first);
}

/// Decides which of all claims on the places of a device succeed.
void Management::settle(int device, bool births) {
  std::vector<Claim> claims;
  for (Desk& other : desks_) {
    const auto& theirs = other.outgoing[static_cast<std::size_t>(device)];
    claims.insert(claims.end(), theirs.begin(), theirs.end());
  }
  std::sort(claims.begin(), claims.end(), byPriority);
  Desk& mine = desk(device);
  const std::int64_t capacity = agents_->traits().capacity;
  std::vector<Claim> accepted;
  for (std::size_t i = 0; i < claims.size();) {
    const std::int64_t bin = claims[i].bin;
    std::int64_t room = capacity == 0 ? static_cast<std::int64_t>(claims.size())
                                      : capacity - residents(device, bin, births);
    for (; i < claims.size() && claims[i].bin == bin; ++i) {
      const Claim& claim = claims[i];
      if (room-- <= 0) {
        ++(births ? mine.census.unborn : mine.census.blocked);
        continue;
      }
      accepted.push_back(claim);
      ++(births ? mine.census.born : mine.census.moved);
      if (births) {
        mine.identities -= mix(claim.id);
      } else {
        desk(claim.origin.device).leaves[static_cast<std::size_t>(claim.origin.index)] = 1;
      }
    }
  }
  mine.incoming.insert(mine.incoming.end(), accepted.begin(), accepted.end());
}

void Management::makeRoom(int device) {
  AgentBand& band = agents_->band(device);
  Desk& mine = desk(device);
  std::sort(mine.incoming.begin(), mine.incoming.end(), byIdentity);
  const auto leaving = std::count(mine.leaves.begin(), mine.leaves.end(), 1);
  band.grow(band.own - leaving + static_cast<std::int64_t>(mine.incoming.size()));
}

const char* Management::element(const Origin& origin, std::size_t component,
                                std::size_t size) const {
  const AgentBand& band = agents_->band(origin.device);
  const auto& array = origin.isChild ? band.children[component] : band.front[component];
  return array.data() + static_cast<std::size_t>(origin.index) * size;
}

/// Puts those that stay and those that come in together, sorted, beside the old state.
void Management::build(int device) {
  AgentBand& band = agents_->band(device);
  const Desk& mine = desk(device);
  std::vector<Origin> origins;
  std::int64_t count = 0;
  auto next = mine.incoming.begin();
  const auto add = [&](std::int64_t bin, std::uint64_t id, const Origin& origin) {
    band.nextBin[count] = bin;
    band.nextIds[count++] = id;
    origins.push_back(origin);
  };
  const auto addIncoming = [&] {
    add(next->bin, next->id, next->origin);
    ++next;
  };
  for (std::int64_t i = 0; i < band.own; ++i) {
    if (mine.leaves[static_cast<std::size_t>(i)] != 0) continue;
    const auto stayer = std::pair(band.bin[i], band.ids[i]);
    while (next != mine.incoming.end() && std::pair(next->bin, next->id) < stayer) addIncoming();
    add(stayer.first, stayer.second, {device, i, false});
  }
  while (next != mine.incoming.end()) addIncoming();
  for (std::size_t k = 0; k < band.back.size(); ++k) {
    const std::size_t size = agents_->traits().components[k].elementSize;
    gather([&](std::int64_t i) { return element(origins[static_cast<std::size_t>(i)], k, size); },
           count, size, band.back[k].data());
  }
}

/// Makes the new state the present one.
void Management::finish(int device) {
  AgentBand& band = agents_->band(device);
  Desk& mine = desk(device);
  const auto leaving = std::count(mine.leaves.begin(), mine.leaves.end(), 1);
  band.own += static_cast<std::int64_t>(mine.incoming.size()) - leaving;
  std::swap(band.ids, band.nextIds);
  std::swap(band.bin, band.nextBin);
  std::swap(band.front, band.back);
  indexBins(band);
  clearIntents(band);
  mine.census.alive = band.own;
  for (std::int64_t i = 0; i < band.own; ++i) mine.identities += mix(band.ids[i]);
}

Census Management::conclude() {
  Census sum;
  std::uint64_t identities = 0;
  std::int64_t children = 0;
  for (const Desk& desk : desks_) {
    sum.alive += desk.census.alive;
    sum.died += desk.census.died;
    sum.moved += desk.census.moved;
    sum.blocked += desk.census.blocked;
    sum.born += desk.census.born;
    sum.unborn += desk.census.unborn;
    identities += desk.identities;
    children += desk.children;
  }
  agents_->nextId += static_cast<std::uint64_t>(children);
  ++agents_->step;
  agents_->hasIntents = false;
  agents_->ghostsStale = true;
  if (identities != 0) {
    throw Error(
        "agents of class {} were lost or doubled in manageAll: {} are left, {} died, {} "
        "were born. This is an error of the library; please report it",
        agents_->traits().name, sum.alive, sum.died, sum.born);
  }
  return sum;
}

Census Management::operator()() {
  const auto each = [&](auto&& work) { onEachDevice(*agents_, work); };
  each([&](int device) { claimMoves(device); });
  each([&](int device) { settle(device, false); });
  if (agents_->traits().offspring > 0) {
    each([&](int device) { claimBirths(device); });
    each([&](int device) {
      std::sort(desk(device).incoming.begin(), desk(device).incoming.end(), byIdentity);
      settle(device, true);
    });
  }
  each([&](int device) { makeRoom(device); });
  each([&](int device) { build(device); });
  each([&](int device) { finish(device); });
  return conclude();
}

/// @throws UsageError when agents cannot be where they are to be.
void checkNewcomers(const AgentFields& agents, const std::vector<Newcomer>& newcomers,
                    const std::vector<std::size_t>& order) {
  const std::string& name = agents.traits().name;
  const auto& shape = agents.places().domain().shape;
  const std::int64_t places = shape[0] * shape[1] * shape[2];
  std::int64_t here = 0;  // agents on the place of the one at hand
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Newcomer& newcomer = newcomers[order[i]];
    if (newcomer.place < 0 || newcomer.place >= places) {
      throw UsageError("agent {} of class {} is to be on place {}, and there are {} places",
                       newcomer.id, name, newcomer.place, places);
    }
    const bool samePlace = i > 0 && newcomers[order[i - 1]].place == newcomer.place;
    here = samePlace ? here + 1 : 1;
    const std::int64_t capacity = agents.traits().capacity;
    if (capacity > 0 && here > capacity) {
      throw UsageError("place {} holds {} agents of class {}, and more are to be there",
                       newcomer.place, capacity, name);
    }
  }
  std::vector<std::uint64_t> ids;
  for (const Newcomer& newcomer : newcomers) ids.push_back(newcomer.id);
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) {
    throw UsageError("there are two agents of class {} with the identity {}", name, *twice);
  }
}

/// The place of a row in a band, from its number in the world, which may lie outside it.
std::int64_t rowIn(const AgentBand& band, std::int64_t row) {
  return row - band.bins.firstRow;
}

/// The agents of some rows of a device.
std::pair<std::int64_t, std::int64_t> agentsOf(const AgentBand& band, const GhostCopy& rows) {
  const std::int64_t begin = band.bins.ofRow(rowIn(band, rows.fromRow));
  return {band.first[begin], band.first[begin + rows.count * band.bins.rowSize()]};
}

}  // namespace

void AgentViews::update(const AgentFields& agents) {
  pointers.resize(static_cast<std::size_t>(agents.devices()));
  byDevice.resize(pointers.size());
  for (int device = 0; device < agents.devices(); ++device) {
    const AgentBand& band = agents.band(device);
    auto& components = pointers[static_cast<std::size_t>(device)];
    components.clear();
    for (const auto& array : band.front) components.push_back(array.data());
    byDevice[static_cast<std::size_t>(device)] = {band.bins, components.data(), band.ids.data(),
                                                  band.first.data()};
  }
}

namespace {

/// What the kernels of a rule are given on every device.
class AgentLaunches {
 public:
  AgentLaunches(const AgentRun& run, const AgentKernel& kernel);
  AgentLaunch on(int device) const;

 private:
  const AgentFields* agents_;
  const AgentKernel* kernel_;
  Kernel placeRule_;  // launches point into it
  AgentViews views_;
  std::vector<DeviceLaunches> places_;
  std::vector<std::vector<void*>> out_, children_;  // by device and component
  std::vector<std::int64_t> before_{0};             // agents of the devices before
};

AgentLaunches::AgentLaunches(const AgentRun& run, const AgentKernel& kernel)
    : agents_(run.agents), kernel_(&kernel) {
  views_.update(*agents_);
  placeRule_.arguments = kernel.arguments;
  placeRule_.neighborSteps = kernel.neighborSteps;
  const Round round{
      .steps = 1, .exchanges = false, .stale = {}, .seed = run.seed, .population = run.population};
  for (int device = 0; device < agents_->devices(); ++device) {
    const AgentBand& band = agents_->band(device);
    places_.emplace_back(*run.places, placeRule_, round, device);
    auto& out = out_.emplace_back();
    for (const auto& array : kernel.inPlace ? band.front : band.back) out.push_back(array.data());
    auto& children = children_.emplace_back();
    for (const auto& array : band.children) children.push_back(array.data());
    before_.push_back(before_.back() + band.own);
  }
}

AgentLaunch AgentLaunches::on(int device) const {
  const auto d = static_cast<std::size_t>(device);
  const AgentBand& band = agents_->band(device);
  AgentLaunch launch{.places = places_[d].at(0),
                     .agents = views_.byDevice[d],
                     .bin = band.bin.data(),
                     .out = out_[d].data(),
                     .targets = band.targets.data(),
                     .births = band.births.data(),
                     .children = children_[d].data(),
                     .birthplaces = band.birthplaces.data()};
  launch.places.step = agents_->step;
  launch.places.call = kernel_->reads ? 1 : 0;
  if (kernel_->reads) {
    launch.results = static_cast<char*>(kernel_->results) +
                     static_cast<std::size_t>(before_[d]) * kernel_->resultBytes;
  }
  return launch;
}

/// Makes what a rule has written beside the old state the present one.
void swapWritten(AgentFields& agents, const std::vector<int>& components) {
  for (int device = 0; device < agents.devices(); ++device) {
    AgentBand& band = agents.band(device);
    for (const int component : components) {
      const auto k = static_cast<std::size_t>(component);
      std::swap(band.front[k], band.back[k]);
    }
  }
}

}  // namespace

void runAgents(const AgentRun& run, const AgentKernel& kernel) {
  AgentFields& agents = *run.agents;
  if (kernel.readsPlaces) run.dispatcher->refreshGhosts(*run.places);
  const AgentLaunches launches(run, kernel);
  std::optional<Wishes> wishes;
  if (kernel.hasIntents) wishes.emplace(agents);
  Failure failure;
  run.places->devices().run([&](const Worker& worker) {
    const auto [begin, end] = worker.share(agents.band(worker.device()).own);
    try {
      kernel.function(launches.on(worker.device()), begin, end);
    } catch (...) {
      failure.record(0, worker);
    }
  });
  if (failure.exception()) {
    if (wishes) wishes->restore(agents);
    std::rethrow_exception(failure.exception());
  }
  if (kernel.reads) return;
  if (!kernel.inPlace) swapWritten(agents, kernel.written);
  ++agents.step;
  agents.hasIntents = agents.hasIntents || kernel.hasIntents;
  if (!kernel.written.empty()) agents.ghostsStale = true;
}

void refreshAgentGhosts(AgentFields& agents) {
  if (!agents.ghostsStale) return;
  onEachDevice(agents, [&](int device) {
    AgentBand& band = agents.band(device);
    std::int64_t ghosts = 0;
    for (const GhostCopy& rows : agents.ghostPlan()) {
      if (rows.toDevice != device) continue;
      const auto [begin, end] = agentsOf(agents.band(rows.fromDevice), rows);
      ghosts += end - begin;
    }
    band.ghosts = 0;  // the old ones need not be kept
    band.grow(band.own + ghosts);
  });
  onEachDevice(agents, [&](int device) {
    AgentBand& band = agents.band(device);
    std::vector<GhostCopy> copies;
    for (const GhostCopy& rows : agents.ghostPlan()) {
      if (rows.toDevice == device) copies.push_back(rows);
    }
    const auto binOf = [&](const GhostCopy& rows) {
      return band.bins.ofRow(rowIn(band, rows.toRow));
    };
    std::sort(copies.begin(), copies.end(),
              [&](const GhostCopy& a, const GhostCopy& b) { return binOf(a) < binOf(b); });
    std::int64_t agent = band.own;
    std::int64_t bin = band.bins.own();
    for (const GhostCopy& rows : copies) {
      const AgentBand& source = agents.band(rows.fromDevice);
      const auto [begin, end] = agentsOf(source, rows);
      // Set are the ends of bins: where the first ghost bin begins, others may be reading.
      std::fill(band.first.data() + bin + 1, band.first.data() + binOf(rows) + 1, agent);
      bin = binOf(rows);
      const std::int64_t sourceBin = source.bins.ofRow(rowIn(source, rows.fromRow));
      for (std::int64_t i = 1; i <= rows.count * band.bins.rowSize(); ++i) {
        band.first[++bin] = agent + source.first[sourceBin + i] - begin;
      }
      if (begin == end) continue;  // where there are no agents at all, there is no memory either
      const auto count = static_cast<std::size_t>(end - begin);
      std::memmove(band.ids.data() + agent, source.ids.data() + begin,
                   count * sizeof(std::uint64_t));
      for (std::size_t k = 0; k < band.front.size(); ++k) {
        const std::size_t size = agents.traits().components[k].elementSize;
        std::memmove(band.front[k].data() + static_cast<std::size_t>(agent) * size,
                     source.front[k].data() + static_cast<std::size_t>(begin) * size, count * size);
      }
      agent += end - begin;
    }
    std::fill(band.first.data() + bin + 1, band.first.data() + band.bins.size() + 1, agent);
    band.ghosts = agent - band.own;
  });
  agents.ghostsStale = false;
}

Census manageAgents(const AgentRun& run) {
  try {
    return Management(run)();
  } catch (const std::bad_alloc&) {
    throw DeviceError(
        "there is not enough memory to manage {} agents of class {}; they are as they "
        "were before",
        run.agents->alive(), run.agents->traits().name);
  }
}

void createAgents(AgentFields& agents, const std::vector<Newcomer>& newcomers,
                  const std::vector<const void*>& initial) {
  const PlaceFields& places = agents.places();
  const auto& shape = places.domain().shape;
  const std::int64_t rowSize = shape[1] * shape[2];
  std::vector<std::size_t> order(newcomers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return std::pair(newcomers[i].place, newcomers[i].id); };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
  checkNewcomers(agents, newcomers, order);
  auto next = order.begin();
  for (int device = 0; device < agents.devices(); ++device) {
    AgentBand& band = agents.band(device);
    const std::int64_t end = places.partition().range(device).end * rowSize;
    const auto first = next;
    while (next != order.end() && newcomers[*next].place < end) ++next;
    band.own = 0;
    band.ghosts = 0;
    band.grow(next - first);
    band.own = next - first;
    for (std::int64_t i = 0; i < band.own; ++i) {
      const Newcomer& newcomer = newcomers[first[i]];
      band.bin[i] = newcomer.place - band.bins.place(0);
      band.ids[i] = newcomer.id;
    }
    for (std::size_t k = 0; k < band.front.size(); ++k) {
      const std::size_t size = agents.traits().components[k].elementSize;
      const auto* const values = static_cast<const char*>(initial[k]);
      gather([&](std::int64_t i) { return values + first[i] * size; }, band.own, size,
             band.front[k].data());
    }
    indexBins(band);
    clearIntents(band);
  }
  agents.ghostsStale = true;
}

}  // namespace mass
