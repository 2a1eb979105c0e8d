#pragma once

#include <mass/dispatch/row_costs.hpp>
#include <mass/io/settings.hpp>
#include <mass/kernels/components.hpp>
#include <mass/kernels/member_check.hpp>
#include <mass/model/agent_file.hpp>
#include <mass/model/agents.hpp>
#include <mass/model/places.hpp>
#include <mass/rules/place.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mass {

/// How a grid of places is set up beyond its shape.
template <class P>
struct PlacesOptions {
  /// What lies beyond the two ends of each axis; periodic unless said otherwise.
  std::array<Border, static_cast<std::size_t>(P::dimensions)> borders{};
  /// The place behind fixed borders.
  P outside{};
  /// The name in files; the class's own when empty.
  std::string name{};
};

/// The same border on every axis.
template <class P>
PlacesOptions<P> borders(Border border, const P& outside = {}) {
  PlacesOptions<P> options;
  options.borders.fill(border);
  options.outside = outside;
  return options;
}

/// The room that a device has for agents of one class. When they become more, it makes room for
/// half as many again, and copies them all.
struct AgentCapacity {
  std::string agents;         ///< their name
  std::string device;         ///< the device's
  std::int64_t capacity = 0;  ///< for so many, those of its ghost rows among them
  std::size_t bytes = 0;      ///< that they take there
};

/// A simulation: devices, places, and the state of all of them. Several can live in one program.
class Mass {
 public:
  /// Takes devices, threads, weights, seed and MAX_PLACE_EXCHANGE from the settings.
  explicit Mass(Settings settings);

  const Settings& settings() const { return settings_; }
  const detail::DeviceConfig& devices() const { return engine_->devices; }

  /// A grid of places of class P, split row-wise over the devices.
  /// @throws UsageError when an axis has no places, there are more than 2^40 places or 256 Places
  /// and Agents, or the name is taken, holds a '/', ends in ".agents" or is "simulation";
  /// SettingsError when P reads further than MAX_PLACE_EXCHANGE or there are more devices than
  /// rows; DeviceError when the places do not fit into memory.
  template <class P>
  Places<P> createPlaces(Shape<P::dimensions> shape, PlacesOptions<P> options = {});

  /// `count` agents of class A, each on a place drawn at random that is not full; their identities
  /// are 0, 1, ... in the order of their places.
  /// @throws UsageError when there are more than places hold, or the name is taken; SettingsError
  /// when A travels further than MAX_AGENT_TRAVEL or reads further than MAX_PLACE_EXCHANGE.
  template <class A>
  Agents<A> createAgents(const Places<typename A::Home>& places, std::int64_t count,
                         std::string name = {});
  /// One agent on each of these places (which may be there several times), with the identities 0,
  /// 1, ... in this order. @throws UsageError for a place outside the world, too.
  template <class A>
  Agents<A> createAgents(const Places<typename A::Home>& places,
                         const std::vector<Coordinates<A::Home::dimensions>>& where,
                         std::string name = {});
  /// As many agents on every place as a function of its coordinates says: none, or more.
  /// @throws UsageError for fewer, too.
  template <class A, class F>
  requires std::is_invocable_r_v<std::int64_t, F, Coordinates<A::Home::dimensions>> Agents<A>
  createAgents(const Places<typename A::Home>& places, F&& function, std::string name = {});
  /// The agents of a CSV file, a line each. The first line names the columns: `row`, `line` and
  /// `column`, as many as there are axes, say where an agent is; attributes (`age`, `position.0`)
  /// what it has, initial values where there is none; `id` who it is, or else they are 0, 1, ... in
  /// the order of lines. Those who are born have higher identities than all of the file.
  /// @throws InputError, with the line, for a column that agents do not have, a number that is
  /// none, a place outside the world or full, an identity that is there twice; as above, too.
  template <class A>
  Agents<A> loadAgents(const Places<typename A::Home>& places, const std::filesystem::path& file,
                       std::string name = {});

  /// An array on every device, for rules that take a `const Shared<T>&`. @throws DeviceError.
  template <class T>
  SharedSource<T> share(const std::vector<T>& values) const {
    return detail::shared(engine_, values);
  }

  /// Splits the rows of places over the devices anew: device d gets `rows[d]` of them, in order,
  /// and the agents there. Nothing else changes, and no result does.
  /// @throws UsageError when a device is to have no row, or the rows are not those of the places,
  /// or these are another Mass's; DeviceError when there is not enough memory. Then all are where
  /// they were.
  template <class P>
  void repartition(const Places<P>& places, const std::vector<std::int64_t>& rows) {
    splitAnew(*places.sharedPopulation(), rows);
  }
  /// Shares rows out anew where a device has more to do than the mean by more than `threshold`
  /// (0.1: a tenth). By `Balance::time`: as rules and managements have taken since the last such
  /// call; the first one begins to measure. On GPUs, rules of agents are not measured. By
  /// `Balance::agents`: as agents are on them. Nothing is moved where memory is short. No result
  /// changes. Returns what was done, for each Places whose rows cost anything. @throws what the
  /// agents' last manageAll has left to throw.
  std::vector<Rebalance> rebalance(detail::Balance by, double threshold = 0.1);

  /// A hash of the state of all places and agents, the same for any devices and threads.
  std::uint64_t hash() const;
  /// Places in all, and the names of all Places, in the order of their creation.
  std::int64_t size() const;
  std::vector<std::string> placesNames() const;
  /// For all agents, and each device by device. Programs note on stderr where there is more.
  std::vector<AgentCapacity> agentCapacities() const;

  /// What a checkpoint must have been written with for its numbers to mean what they mean here,
  /// such as names in the order of their codes: restoreCheckpoint refuses another text of that
  /// name. `what` is its name in messages, without '/'.
  void requireOnRestart(const std::string& what, std::string text);
  /// Writes the state of all places, and `counters` with it, to a file that appears whole or not at
  /// all. `model` is the program's name. @throws OutputError.
  void saveCheckpoint(const std::filesystem::path& file, const std::string& model,
                      const std::map<std::string, std::uint64_t>& counters = {}) const;
  /// Makes the state of all places that of a checkpoint, written on any number of devices, and
  /// returns the counters. @throws CheckpointError when the file is damaged, of another model, of
  /// other places, or was written with other texts (requireOnRestart) or constant attributes than
  /// the model has set up; nothing has changed then, unless data was found damaged.
  std::map<std::string, std::uint64_t> restoreCheckpoint(const std::filesystem::path& file,
                                                         const std::string& model);

 private:
  std::shared_ptr<detail::PlacesState> addPopulation(std::string name, const detail::Domain& domain,
                                                     std::vector<detail::Component> components,
                                                     std::vector<detail::AttributeInfo> attributes);

  /// They are of this Mass once they are among agents_.
  std::shared_ptr<detail::AgentsState> makeAgents(std::string name,
                                                  std::shared_ptr<detail::PlacesState> home,
                                                  detail::AgentTraits traits,
                                                  std::vector<detail::AttributeInfo> attributes);
  void splitAnew(detail::PlacesState& places, const std::vector<std::int64_t>& rows);
  /// The agents that live on some places.
  std::vector<detail::AgentFields*> residentsOf(const detail::PlacesState& places) const;
  /// @throws UsageError when there are 256 Places and Agents, or a name is taken or not fit for
  /// files.
  void requireAnother(const std::string& name) const;
  /// Agents of class A, which a function makes.
  template <class A>
  Agents<A> populateAgents(const Places<typename A::Home>& places, std::string name,
                           const std::function<void(detail::AgentsState&)>& populate);

  Settings settings_;
  std::shared_ptr<detail::Engine> engine_;
  std::vector<std::shared_ptr<detail::PlacesState>> populations_;
  std::vector<std::shared_ptr<detail::AgentsState>> agents_;
};

template <class P>
Places<P> Mass::createPlaces(Shape<P::dimensions> shape, PlacesOptions<P> options) {
  static_assert(detail::listsEveryMember<P, Place<P::dimensions>>(),
                "a data member of this Place is missing in its Attributes (or listed twice, or, in "
                "a class with a constructor, not in the order of declaration)");
  const detail::Domain domain = detail::domainOf<P>(shape, options.borders);
  if (options.name.empty()) options.name = detail::typeName<P>();
  const P initial{};
  return Places<P>(addPopulation(std::move(options.name), domain,
                                 detail::componentsOf(initial, options.outside),
                                 detail::attributesOf<P>()));
}

template <class A>
Agents<A> Mass::populateAgents(const Places<typename A::Home>& places, std::string name,
                               const std::function<void(detail::AgentsState&)>& populate) {
  static_assert(detail::listsEveryMember<A, Agent<typename A::Home>>(),
                "a data member of this Agent is missing in its Attributes (or listed twice, or, in "
                "a class with a constructor, not in the order of declaration)");
  if (name.empty()) name = detail::typeName<A>();
  const A initial{};
  const auto components = detail::componentsOf(initial, initial);
  const auto population = makeAgents(
      name, places.sharedPopulation(),
      {name, components, A::reach, A::travel, A::capacity, A::offspring, A::seeksFreePlaces},
      detail::attributesOf<A>());
  populate(*population);
  agents_.push_back(population);
  return Agents<A>(population);
}

template <class A>
Agents<A> Mass::createAgents(const Places<typename A::Home>& places, std::int64_t count,
                             std::string name) {
  return populateAgents<A>(places, std::move(name), [&](detail::AgentsState& population) {
    detail::populate(population, detail::placesAtRandom(population, count));
  });
}

template <class A>
Agents<A> Mass::createAgents(const Places<typename A::Home>& places,
                             const std::vector<Coordinates<A::Home::dimensions>>& where,
                             std::string name) {
  const auto shape = places.shape();
  std::vector<std::int64_t> chosen;
  for (const auto& place : where) {
    for (int axis = 0; axis < A::Home::dimensions; ++axis) {
      if (place[axis] < 0 || place[axis] >= shape[axis]) {
        throw UsageError("agent {} is to be at {} along axis {}, where there are {} places",
                         chosen.size(), place[axis], axis, shape[axis]);
      }
    }
    chosen.push_back(indexOf<A::Home::dimensions>(place, shape));
  }
  return populateAgents<A>(places, std::move(name),
                           [&](auto& population) { detail::populate(population, chosen); });
}

template <class A, class F>
requires std::is_invocable_r_v<std::int64_t, F, Coordinates<A::Home::dimensions>> Agents<A>
Mass::createAgents(const Places<typename A::Home>& places, F&& function, std::string name) {
  const auto shape = places.shape();
  std::vector<std::int64_t> chosen;
  for (std::int64_t index = 0; index < places.size(); ++index) {
    const std::int64_t here = function(coordinatesOf<A::Home::dimensions>(index, shape));
    detail::addPlace(chosen, index, here, places.population().fields->domain());
  }
  return populateAgents<A>(places, std::move(name),
                           [&](auto& population) { detail::populate(population, chosen); });
}

template <class A>
Agents<A> Mass::loadAgents(const Places<typename A::Home>& places,
                           const std::filesystem::path& file, std::string name) {
  return populateAgents<A>(places, std::move(name),
                           [&](auto& population) { detail::populateFrom(population, file); });
}

}  // namespace mass
