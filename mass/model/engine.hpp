#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/dispatch/agent_executor.hpp>
#include <mass/dispatch/device_times.hpp>
#include <mass/dispatch/dispatcher.hpp>
#include <mass/dispatch/migration/agent_launches.hpp>
#include <mass/memory/agent_fields.hpp>
#include <mass/memory/place_fields.hpp>
#include <mass/rules/attribute_info.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/shared.hpp>
#include <mass/support/element_type.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace mass::detail {

/// What all Places of one Mass share.
struct Engine {
  using MakeExecutor = std::function<std::unique_ptr<Executor>(const DeviceConfig&)>;

  Engine(DeviceConfig config, const MakeExecutor& makeExecutor, std::uint64_t randomSeed)
      : devices(std::move(config)),
        dispatcher(makeExecutor(devices)),
        agentExecutor(devices.areGpus() ? makeGpuAgentExecutor(devices)
                                        : makeCpuAgentExecutor(devices)),
        seed(randomSeed) {}

  DeviceConfig devices;
  Dispatcher dispatcher;
  std::unique_ptr<AgentExecutor> agentExecutor;
  std::uint64_t seed;
  std::map<std::string, std::string> sameOnRestart;  ///< Mass::requireOnRestart
};

/// Puts an array on every device.
template <class T>
SharedSource<T> shared(const std::shared_ptr<Engine>& engine, const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
  return {engine, SharedArray(engine->devices, values.data(), values.size() * sizeof(T)),
          static_cast<std::int64_t>(values.size())};
}

/// One Places object without its C++ type.
struct PlacesState {
  std::string name;
  std::uint32_t number =
      0;  ///< among the populations of its Mass; part of every random number's key
  std::vector<AttributeInfo> attributes;
  std::vector<std::array<int, 3>> neighbors;  ///< run-time neighbours: rows, lines, columns
  std::shared_ptr<Engine> engine;  // declared before the fields, whose memory is its devices'
  std::unique_ptr<PlaceFields> fields;
  std::optional<DeviceTimes> times;  ///< of rules here, from when they are asked for

  DeviceTimes* measured() { return times ? &*times : nullptr; }
  /// The fields, when all in them is where it belongs: for whoever reads or writes them otherwise
  /// than by the dispatcher.
  PlaceFields& settled() const {
    engine->dispatcher.restoreLayout(*fields);
    return *fields;
  }
};

/// How far the run-time neighbours of some places lie away in memory, by device.
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

/// One Agents object without its C++ type.
struct AgentsState {
  AgentsState() = default;
  AgentsState(const AgentsState&) = delete;
  AgentsState& operator=(const AgentsState&) = delete;
  ~AgentsState() {
    if (fields) engine->agentExecutor->release(*fields);
  }

  /// The agents, when the host knows all of them. @throws what the last manageAll has left to say.
  AgentFields& settled() const {
    engine->agentExecutor->synchronize(*fields);
    return *fields;
  }

  std::string name;
  std::uint32_t number = 0;  ///< as that of a PlacesState, and another one
  std::vector<AttributeInfo> attributes;
  std::shared_ptr<Engine> engine;
  std::shared_ptr<PlacesState> home;    ///< where they live
  std::unique_ptr<AgentFields> fields;  ///< as they are queued
  AgentViews views;                     ///< given to the rule under way
};

[[noreturn]] void failHome(std::string_view agent, const std::string& places);

/// What a rule on the places `home` is given. @throws UsageError when agents live elsewhere.
template <class T>
void requireHome(const T&, const PlacesState&) {}
template <class A>
void requireHome(const AgentSource<A>& agents, const PlacesState& home) {
  if (agents.home != home.fields.get()) failHome(typeName<A>(), home.name);
}
template <class... T>
void requireHome(const std::tuple<T...>& arguments, const PlacesState& home) {
  std::apply([&](const T&... each) { (requireHome(each, home), ...); }, arguments);
}

}  // namespace mass::detail
