#pragma once

#include <mass/dispatch/exchange_report.hpp>
#include <mass/dispatch/row_costs.hpp>
#include <mass/graph/graph.hpp>
#include <mass/io/settings.hpp>
#include <mass/kernels/class_check.hpp>
#include <mass/kernels/components.hpp>
#include <mass/model/agent_file.hpp>
#include <mass/model/agents.hpp>
#include <mass/model/any_places.hpp>
#include <mass/model/places.hpp>
#include <mass/model/places_options.hpp>
#include <mass/rules/no_space.hpp>
#include <mass/rules/node.hpp>
#include <mass/rules/place.hpp>
#include <mass/rules/rules.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace mass {

/// Memory of one device for the agents of one class. If a device has to hold more agents than
/// `capacity`, its arrays are copied to larger ones, of at least 1.5 times the capacity.
struct AgentCapacity {
  std::string agents;         ///< name of the Agents
  std::string device;         ///< name of the device
  std::int64_t capacity = 0;  ///< agents that fit, copies in halo rows included
  std::size_t bytes = 0;      ///< allocated for them on the device
};

namespace detail {
struct ModelRun;
}

/// Owner of the devices, places and agents of a model. A program can have several, independent of
/// each other.
class MASS_EXPORT Mass {
 public:
  /// Opens the devices that the settings describe (`backend`, `devices`, `threads`, `weights`).
  /// @throws SettingsError if `tile` or the number of `weights` is invalid
  /// @throws DeviceError if the machine lacks the GPUs or threads asked for
  explicit Mass(Settings settings) : Mass(std::move(settings), std::make_shared<detail::Ranks>()) {}
  /// Opens the devices of this rank and connects them with those of other ranks. All ranks
  /// construct their Mass together.
  /// @throws SettingsError, DeviceError as above
  Mass(Settings settings, std::shared_ptr<detail::Ranks> ranks);
  Mass(const Mass&) = delete;  // a copy would share places and agents, but not their list
  Mass& operator=(const Mass&) = delete;
  /// Moves the devices, places and agents. Handles to them stay valid.
  Mass(Mass&&) = default;
  /// Replaces the devices, places and agents. Handles to the former ones stay valid.
  Mass& operator=(Mass&&) = default;

  /// Settings given to the constructor. Keys that Schema declares live may change between steps.
  const Settings& settings() const { return settings_; }
  /// Devices of the run and their host threads.
  const detail::DeviceConfig& devices() const { return engine_->devices; }

  /// Creates a grid of places of class P, split into bands of rows (axis 0), one for each device.
  /// @param shape places along each axis, at least 1; at most 2^40 in all
  /// @throws UsageError if the shape is out of range, there are 256 Places and Agents already, or
  /// the name is taken, contains '/', is "simulation", starts with "simulation." or ends in
  /// ".agents"
  /// @throws SettingsError if P::reach exceeds the setting `MAX_PLACE_EXCHANGE`, or there are more
  /// devices than rows
  /// @throws DeviceError if the memory is too small
  template <class P>
  Places<P> createPlaces(Shape<P::dimensions> shape, PlacesOptions<P> options = {});
  /// Creates some places of a box only, such as those inside a neuron. Values and results of all
  /// places are in the order of `indices`. Particles hop between places that are adjacent in the
  /// box; rules that read neighbours are refused, and so are agents and pictures.
  /// @param shape places of the box along each axis
  /// @param indices row-major indices of the places, ascending
  /// @throws UsageError if an index is not in the box, or they are not ascending; otherwise as
  /// above
  template <class P>
  Places<P> createPlaces(Shape<P::dimensions> shape, std::vector<std::int64_t> indices,
                         PlacesOptions<P> options = {});

  /// Creates the nodes of a network, as places of class P, split into parts with about equally many
  /// links and few links between them, one for each device. Values and results are in the order of
  /// the nodes. Rules read other nodes along links, see Links.
  /// @tparam P class derived from Node
  /// @param name name in messages, file names and checkpoints; the name of class P if empty
  /// @throws UsageError if the name is invalid as in createPlaces
  /// @throws SettingsError if there are more devices than nodes
  /// @throws DeviceError if the memory is too small
  template <class P>
  Places<P> createGraph(Graph graph, std::string name = {});

  /// Creates agents of class A on places drawn at random. A place with a limited capacity receives
  /// at most that many. Identities are 0, 1, ... in row-major order of the places.
  /// @param count number of agents, at least 0
  /// @param name name in messages, file names and checkpoints; the name of class A if empty
  /// @throws UsageError if `count` is negative or exceeds the capacity of the places, `places`
  /// belong to another Mass, a static constant of A is negative, or the name is invalid as in
  /// createPlaces
  /// @throws SettingsError if A::travel exceeds the setting `MAX_AGENT_TRAVEL`, or A::reach the
  /// setting `MAX_PLACE_EXCHANGE`
  /// @throws DeviceError if the memory is too small
  template <class A>
  Agents<A> createAgents(const Places<typename A::Home>& places, std::int64_t count,
                         std::string name = {});
  /// Order of the identities of new agents.
  enum class IdentityOrder {
    byPlace,  ///< row-major order of the places
    shuffled  ///< order drawn at random by the setting `seed`, so that it does not follow the
              ///< places
  };
  /// Creates agents as the overload above, with identities in an order.
  template <class A>
  Agents<A> createAgents(const Places<typename A::Home>& places, std::int64_t count,
                         IdentityOrder order, std::string name = {});
  /// Creates agents without space, with the identities 0, 1, ... They find each other by identity;
  /// see ById and Give. Their places, named `NAME.places`, are in the order of identities.
  /// @param count number of agents, at least 0
  /// @throws UsageError if `count` is negative; otherwise as the overload above
  template <class A>
  requires std::is_same_v<typename A::Home, NoSpace> Agents<A> createAgents(std::int64_t count,
                                                                            std::string name = {});
  /// Creates one agent for each element of `where`, with the identities 0, 1, ... in that order.
  /// @param where places, which may repeat
  /// @throws UsageError if a place is outside the world or would exceed its capacity; otherwise as
  /// the overload above
  template <class A>
  Agents<A> createAgents(const Places<typename A::Home>& places,
                         const std::vector<Coordinates<A::Home::dimensions>>& where,
                         std::string name = {});
  /// Creates `function(coordinates)` agents on each place, with identities 0, 1, ... in row-major
  /// order.
  /// @param function returns the number of agents of a place, at least 0; called once for each
  /// place on the host
  /// @throws UsageError if a number is negative or exceeds the capacity; otherwise as above
  template <class A, class F>
  requires std::is_invocable_r_v<std::int64_t, F, Coordinates<A::Home::dimensions>> Agents<A>
  createAgents(const Places<typename A::Home>& places, F&& function, std::string name = {});
  /// Options of loadAgents().
  struct LoadOptions {
    /// Step of the rows to load from a table of Simulation::agentTable; the last one if empty.
    std::optional<std::int64_t> step{};
    /// Name in messages, file names and checkpoints; the name of class A if empty.
    std::string name{};
  };

  /// Creates the agents of a file, one for each row: a CSV file (see CsvReader), or a table that
  /// Simulation::agentTable wrote, as CSV or HDF5. Columns:
  /// - `row`, `line`, `column`: coordinates from 0, as many as the world has axes (1-D: `row`; 2-D:
  ///   `row`, `column`); required.
  /// - `id`: identity from 0, below 2^40; without this column 0, 1, ... in the order of lines.
  ///   Children born later have higher identities than all agents of the file.
  /// - `step`, if that is no attribute: only rows of one step are agents.
  /// - attributes, as `age` or `position.0`; an attribute without a column has its initial value.
  /// @throws InputError with the row if a column is unknown or missing, a cell is no number, an
  /// attribute is NaN or infinite and the setting `output.allow_nan` is false, a place is outside
  /// the world or full, an identity is there twice, or no row has the step; otherwise as above
  template <class A>
  Agents<A> loadAgents(const Places<typename A::Home>& places, const std::filesystem::path& file,
                       LoadOptions options);
  /// Creates the agents of a file, as above, of the last step if it has steps.
  template <class A>
  Agents<A> loadAgents(const Places<typename A::Home>& places, const std::filesystem::path& file,
                       std::string name = {});

  /// Copies an array to every device. The result is an argument of callAll for a parameter
  /// `const Shared<T>&` of a rule.
  /// @throws DeviceError if the memory is too small
  template <class T>
  SharedSource<T> share(const std::vector<T>& values) const {
    return detail::shared(engine_, values);
  }

  /// Lets rules act at the same time: all that `rules` calls read the state before, and their
  /// changes become the state together, after the last of them.
  ///
  ///     mass.together([&] {
  ///       sheep.callAll<&Sheep::flee>(wolves);
  ///       wolves.callAll<&Wolf::chase>(sheep);
  ///     });
  ///
  /// Each class of places or agents is changed by one rule at most, in one step. Requests, such as
  /// moves and births, are made as usual. Reductions and downloads among the calls see the state
  /// before. Each class that is changed needs a back buffer.
  /// @param rules calls rules by callAll, once
  /// @throws UsageError if two rules change a class; for calls with several steps, rules in turn,
  /// that stream, send, take from a Resource, or have Give or Edges, or on places of mass::Bits;
  /// and for anything else that changes the state, as manageAll and upload. No attribute has
  /// changed after an exception.
  void together(const std::function<void()>& rules) const;

  /// Splits the rows of places over the devices anew and migrates the agents that live there. The
  /// state does not change. If an exception is thrown, nothing has moved.
  /// @param rows number of rows of each device, in device order, at least 1 each
  /// @throws UsageError if `rows` does not fit the devices and the places, or `places` belong to
  /// another Mass
  /// @throws DeviceError if the memory is too small
  template <class P>
  void repartition(const Places<P>& places, const std::vector<std::int64_t>& rows) {
    repartitionRows(*places.sharedPopulation(), rows);
  }
  /// Balances the load: splits rows anew if the cost of the most loaded device exceeds the mean by
  /// more than `threshold`. The state does not change. Nothing moves if the memory is too small.
  /// @param by cost model. Balance::time: compute time of rules and of manageAll since the last
  /// call, on GPUs of rules of places only; the first call starts the measurement. Balance::agents:
  /// number of agents in each row. Balance::rate: events that Places::runEvents expects in a window
  /// of each row, and its places.
  /// @param threshold tolerated excess as a fraction of the mean; 0.1: one tenth
  /// @return one element for each Places with a cost above 0
  /// @throws UsageError if `by` is Balance::rate and no class of Places has events
  /// @throws Error if the last manageAll of agents failed; see Agents::manageAll
  std::vector<Rebalance> rebalance(Balance by, double threshold = 0.1);

  /// Returns reports on the events of each Places whose class has any, with those of all ranks,
  /// which call it together.
  std::vector<EventReport> eventReports() const;
  /// Returns reports on the exchanges of ghost rows between ranks, one for each rule that may make
  /// several steps per exchange; none if there is one rank, or on GPUs.
  std::vector<ExchangeReport> exchangeReports() const;

  /// Hash of the attributes of all places and agents, of the agents' identities and places, and of
  /// scheduled events that have not happened. It depends on Places::step(), but not on devices or
  /// threads.
  std::uint64_t hash() const;
  /// Total number of places, summed over all Places.
  std::int64_t size() const;
  /// Number of agents of all Agents; -1 if there are no Agents.
  std::int64_t agentCount() const;
  /// All Places in the order of creation, for access to their attributes by name.
  std::vector<AnyPlaces> places() const;
  /// All Agents in the order of creation, for access to their attributes by name.
  std::vector<AnyAgents> agents() const;
  /// Names of all Places in the order of creation.
  /// @param withEvents true: of those only whose class has events
  std::vector<std::string> placesNames(bool withEvents = false) const;
  /// Capacities of all Agents in the order of creation, with one element for each device of this
  /// rank.
  std::vector<AgentCapacity> agentCapacities() const;
  /// Former name of agentCapacities().
  [[deprecated("use agentCapacities()")]] std::vector<AgentCapacity> agentRooms() const {
    return agentCapacities();
  }

  /// Names of the agents that rules looked for by identity in vain, and the number of times; see
  /// Agents::missing(). All ranks call it together.
  std::vector<std::pair<std::string, std::uint64_t>> missingAgents() const;
  /// Names of the agents with requests that no manageAll has carried out; a checkpoint cannot store
  /// them.
  std::vector<std::string> pendingAgents() const;

  /// Stores a text in checkpoints and compares it on restart: restoreCheckpoint rejects a file with
  /// another text under the same name. For facts on which the meaning of stored numbers depends,
  /// such as the names of states in the order of their values.
  /// @param name name of the text in messages, without '/'
  /// @param text replaces an earlier text of that name
  void requireOnRestart(const std::string& name, std::string text);
  /// Writes the state of all places and agents, and the scheduled events, to a checkpoint. The file
  /// is replaced atomically.
  /// @param file path of the checkpoint
  /// @param model name of the program, which restoreCheckpoint compares
  /// @param counters values that restoreCheckpoint returns
  /// @param texts further texts, which restoreCheckpoint does not compare; names without '/'
  /// @param run description of the run, the attribute `run` of the file; empty for none
  /// @throws OutputError if the file cannot be written
  /// @throws UsageError if agents have intents that no manageAll has carried out, or a scheduled
  /// rule has failed
  void saveCheckpoint(const std::filesystem::path& file, const std::string& model,
                      const std::map<std::string, std::uint64_t>& counters = {},
                      const std::map<std::string, std::string>& texts = {},
                      const std::string& run = {}) const;
  /// Replaces the state of all places and agents, and the scheduled events, by those of a
  /// checkpoint, which may have been written on other devices.
  /// @return the counters given to saveCheckpoint, and those of the library
  /// @throws CheckpointError if the file is damaged, belongs to another model, has other places,
  /// agents, texts (requireOnRestart) or constant attributes, or has agents that do not fit into
  /// their places, or scheduled events of other rules. The state is unchanged unless array data are
  /// damaged, or agents or scheduled events do not fit.
  std::map<std::string, std::uint64_t> restoreCheckpoint(const std::filesystem::path& file,
                                                         const std::string& model);

 private:
  friend struct detail::ModelRun;  // changes settings during a run
  std::shared_ptr<detail::PlacesState> addPlaces(
      std::string name, const detail::Domain& domain, std::vector<detail::Component> components,
      std::vector<detail::AttributeInfo> attributes,
      std::shared_ptr<const detail::Network> network = nullptr);
  /// Creates the state of the nodes of a network.
  std::shared_ptr<detail::PlacesState> addNodes(std::string name, Graph graph,
                                                std::vector<detail::Component> components,
                                                std::vector<detail::AttributeInfo> attributes);
  /// Creates the state of the places of a mask. @param box world of all places of the box
  std::shared_ptr<detail::PlacesState> addPlaces(std::string name, detail::PlaceMask mask,
                                                 const detail::Domain& box,
                                                 std::vector<detail::Component> components,
                                                 std::vector<detail::AttributeInfo> attributes);
  /// Returns agents without members. The caller adds them to agents_ once they are populated.
  std::shared_ptr<detail::AgentsState> makeAgents(std::string name,
                                                  std::shared_ptr<detail::PlacesState> home,
                                                  detail::AgentTraits traits,
                                                  std::vector<detail::AttributeInfo> attributes);
  void repartitionRows(detail::PlacesState& places, const std::vector<std::int64_t>& rows);
  /// @throws UsageError if there are 256 Places and Agents, or `name` is taken or reserved.
  void requireFreeName(const std::string& name) const;
  /// Creates Agents of class A, filled by `populate`.
  template <class A>
  Agents<A> populateAgents(const Places<typename A::Home>& places, std::string name,
                           const std::function<void(detail::AgentsState&)>& populate);

  Settings settings_;
  std::shared_ptr<detail::Engine> engine_;
  std::vector<std::shared_ptr<detail::PlacesState>> places_;
  std::vector<std::shared_ptr<detail::AgentsState>> agents_;
};

}  // namespace mass

#include <mass/model/mass_impl.hpp>
