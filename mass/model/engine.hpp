#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/dispatch/agent_executor.hpp>
#include <mass/dispatch/device_times.hpp>
#include <mass/dispatch/dispatcher.hpp>
#include <mass/dispatch/events/event_clock.hpp>
#include <mass/dispatch/idle_trial.hpp>
#include <mass/dispatch/migration/agent_launches.hpp>
#include <mass/dispatch/schedule/schedule_clock.hpp>
#include <mass/launch/identity_launch.hpp>
#include <mass/memory/agent_fields.hpp>
#include <mass/memory/agent_io.hpp>
#include <mass/memory/place_fields.hpp>
#include <mass/memory/request_list.hpp>
#include <mass/model/identity_views.hpp>
#include <mass/model/rank_checkpoint.hpp>
#include <mass/partition/place_mask.hpp>
#include <mass/rules/attribute_info.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/shared.hpp>
#include <mass/support/element_type.hpp>
#include <mass/support/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace mass::detail {

struct PlacesState;
struct AgentsState;

/// Devices and executors of one Mass, shared by its Places and Agents.
struct Engine {
  /// Creates the executor of places for the devices given.
  using MakeExecutor = std::function<std::unique_ptr<Executor>(const DeviceConfig&)>;

  Engine(DeviceConfig config, const MakeExecutor& makeExecutor, std::uint64_t randomSeed)
      : devices(std::move(config)),
        dispatcher(makeExecutor(devices)),
        agentExecutor(dispatcher.makeAgentExecutor(devices)),
        seed(randomSeed) {}

  DeviceConfig devices;
  Dispatcher dispatcher;
  std::unique_ptr<AgentExecutor> agentExecutor;
  std::uint64_t seed;
  EventSettings events;
  std::map<std::string, std::string> restartTexts;  ///< by name; see Mass::requireOnRestart
  /// Bytes of the pieces in which checkpoints are read and written, and sent between ranks.
  std::size_t pieceBytes = defaultPieceBytes;
  std::vector<std::weak_ptr<PlacesState>> places{};  ///< all, in the order of creation
  std::vector<std::weak_ptr<AgentsState>> agents{};  ///< all, in the order of creation
};

/// Copies an array to every device.
/// @throws DeviceError if the memory is too small
template <class T>
SharedSource<T> shared(const std::shared_ptr<Engine>& engine, const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
  return {engine, SharedArray(engine->devices, values.data(), values.size() * sizeof(T)),
          static_cast<std::int64_t>(values.size())};
}

/// Measurements of the looks before, see balanceSpeeds().
struct SpeedBalance {
  std::vector<double> unpackShares{};  ///< by device
  IdleTrial idle{};
};

/// State of a Places, without its C++ type.
struct PlacesState {
  std::string name;
  /// RandomKey::population: the index among the Places of its Mass.
  std::uint32_t number = 0;
  /// Number of the first Places whose cuts between devices go together with these; see shareCuts().
  std::uint32_t cutGroup = 0;
  std::vector<AttributeInfo> attributes;
  std::vector<std::string> rules;  ///< names of mass::Rules
  /// Offsets of Places::setNeighbors in rows, lines and columns.
  std::vector<std::array<int, 3>> neighbors;
  std::shared_ptr<Engine> engine;  // before `fields`, whose memory its devices own
  std::unique_ptr<PlaceFields> fields;
  /// Set if only some places of a box exist. `fields` has a row of one place for each of them.
  std::optional<PlaceMask> mask;
  std::optional<DeviceTimes> times;  ///< set once Mass::rebalance measures
  SpeedBalance speeds{};             ///< balance of processors beside GPUs
  /// Set by the first call of Places::hopRate or runEvents.
  std::unique_ptr<EventClock> events;
  std::unique_ptr<ScheduleClock> schedule{};      ///< set if the events of the class are scheduled
  ScheduleKernel (*scheduleKernel)() = nullptr;   ///< likewise
  std::shared_ptr<const Network> firstNetwork{};  ///< set once rules have changed edges
  EdgeCounts edgeCounts{};                 ///< edges that the last rule with Edges has changed
  std::map<int, RequestList> edgeLists{};  ///< by local device: changes that the rule requests
  std::vector<RequestView> edgeViews{};    ///< by device: arguments of the current rule

  /// Returns `times`; null if nothing is measured.
  DeviceTimes* timesOrNull() { return times ? &*times : nullptr; }
};

/// Returns the scheduled events of places, without any. All ranks call it together.
/// @pre the events of the class are scheduled
MASS_EXPORT std::unique_ptr<ScheduleClock> makeSchedule(const PlacesState& places);

/// Returns the distances in memory, in elements, to the neighbours of Places::setNeighbors, by
/// device and neighbour; empty if there are none.
inline std::vector<std::vector<std::int64_t>> neighborSteps(const PlacesState& places) {
  std::vector<std::vector<std::int64_t>> steps;
  for (int device = 0; device < places.fields->devices().size() && !places.neighbors.empty();
       ++device) {
    const Layout& layout = places.fields->layout(device);
    auto& distances = steps.emplace_back();
    for (const std::array<int, 3>& offset : places.neighbors) {
      distances.push_back(offset[0] * layout.rowStride + offset[1] * layout.pitch + offset[2]);
    }
  }
  return steps;
}

/// State of an Agents, without its C++ type.
struct AgentsState {
  AgentsState() = default;
  AgentsState(const AgentsState&) = delete;
  AgentsState& operator=(const AgentsState&) = delete;
  ~AgentsState() {
    if (fields) engine->agentExecutor->release(*fields);
  }

  /// Waits for the last manageAll and returns the fields. Use it for every access that the executor
  /// does not make.
  /// @throws Error if that manageAll failed; see Agents::manageAll
  AgentFields& synchronizedFields() const {
    engine->agentExecutor->synchronize(*fields);
    return *fields;
  }

  /// Returns the arguments of a rule or of a manageAll.
  AgentRun run() const {
    return {&engine->dispatcher, home->fields.get(), fields.get(), engine->seed, number,
            home->timesOrNull()};
  }

  /// True if an agent has a request that no manageAll() has executed, or waits to join. Reads the
  /// requests of all agents if a rule could make any.
  bool hasPendingRequests() const {
    AgentFields& agents = synchronizedFields();
    agents.hasIntents = agents.hasIntents && haveRequests(agents);
    return agents.hasIntents || agents.newborns.size() > 0;
  }

  std::string name;
  /// RandomKey::population: counts down from the largest, so that no Places has the same.
  std::uint32_t number = 0;
  std::vector<AttributeInfo> attributes;
  std::vector<std::string> rules;  ///< names of mass::Rules
  std::shared_ptr<Engine> engine;
  std::shared_ptr<PlacesState> home;        ///< places on which the agents live
  std::unique_ptr<AgentFields> fields;      ///< may lag behind a GPU; see synchronizedFields()
  AgentViews views;                         ///< arguments of the current rule
  std::map<int, RequestList> birthLists{};  ///< by local device: agents that the rule creates
  std::vector<RequestView> birthViews{};    ///< by device: arguments of the current rule
  IdentityViews identities{};               ///< arguments of the current rule
  bool areInEvents = false;                 ///< Agents::schedule has made events of them
};

/// @throws UsageError if agents are in events already, or have stepped
MASS_EXPORT void requireNoSteps(const AgentsState& agents);
/// @throws UsageError if agents are in events. @param use purpose, as "callAll"
MASS_EXPORT void requireNotInEvents(const AgentsState& agents, std::string_view use);

/// @throws UsageError if only some places of a box exist. @param use purpose, as "agents"
MASS_EXPORT void requireAllPlaces(const PlacesState& places, std::string_view use);

/// @throws UsageError if the places are nodes of a network. @param use purpose, as "agents"
MASS_EXPORT void requireGrid(const PlacesState& places, std::string_view use);

/// @throws UsageError if devices own blocks, not bands of rows. @param use purpose, as "agents"
MASS_EXPORT void requireRowCuts(const PlacesState& places, std::string_view use);

/// Checks places of a run with ranks of processors beside ranks of GPUs. @param name their name
/// @throws UsageError if their bits may differ on both, or they need another exchange
void requireMixable(const std::string& name, const Domain& domain,
                    std::span<const Component> components, bool isNetwork);

/// @throws UsageError if rules act together (Mass::together). @param use refused use, as "upload"
MASS_EXPORT void requireAlone(const Engine& engine, std::string_view use);

/// Applies kernels of rules one after the other, `turns` times.
/// @throws UsageError if `turns` is negative, or a rule reads neighbours and only some places of a
/// box exist; otherwise as Places::callAll
MASS_EXPORT void runKernels(PlacesState& places, std::span<Kernel> turn, std::int64_t turns);

/// Allocates the back buffers that a changing rule without Scatter needs.
/// @throws DeviceError if memory is exhausted
MASS_EXPORT void reserveBuffers(const PlacesState& places, const Kernel& rule);

/// Carries out the requests of agents.
/// @throws Error as Agents::manageAll
MASS_EXPORT void manage(const AgentsState& agents);
/// Applies the kernel of a changing rule of agents.
/// @throws UsageError if rules act together and this one cannot; otherwise as Agents::callAll
MASS_EXPORT void runKernel(const AgentsState& agents, AgentKernel& kernel);

/// Records the edge of the bins of a space, which a restart compares.
/// @throws UsageError if it is not a finite number above 0
MASS_EXPORT void recordEdge(const PlacesState& places, float edge);

}  // namespace mass::detail
