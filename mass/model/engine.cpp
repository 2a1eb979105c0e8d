#include <mass/model/engine.hpp>

#include <mass/model/together.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace mass::detail {
namespace {

/// @throws UsageError if a rule reads neighbours, and only some places of a box exist
void requireNeighbors(const PlacesState& places, bool reads) {
  if (reads && places.mask) {
    throw UsageError(
        "callAll on '{}': a rule reads neighbours; places that were created by their "
        "indices have none, but for hops of events",
        places.name);
  }
}

}  // namespace

void runKernels(PlacesState& places, std::span<Kernel> turn, std::int64_t turns) {
  if (turns < 0) {
    throw UsageError("callAll on '{}': the number of steps is {}; it must be 0 or more",
                     places.name, turns);
  }
  for (Kernel& kernel : turn) {
    requireNeighbors(places, kernel.readsNeighbors);
    kernel.neighborSteps = neighborSteps(places);
  }
  prepareTogether(places, turn, turns);
  places.engine->dispatcher.run(*places.fields, turn, turns, places.engine->seed, places.number,
                                places.timesOrNull());
}

void reserveBuffers(const PlacesState& places, const Kernel& rule) {
  places.engine->dispatcher.reserve(*places.fields, rule);
}

void requireNoSteps(const AgentsState& agents) {
  requireNotInEvents(agents, "schedule");
  const std::uint64_t steps = agents.synchronizedFields().step;
  if (steps > 0 || agents.hasPendingRequests())
    throw UsageError(
        "schedule of agents '{}': they have made {} steps; agents are either in events or step, so "
        "schedule agents that do not step",
        agents.name, steps);
}

void requireNotInEvents(const AgentsState& agents, std::string_view use) {
  if (!agents.areInEvents) return;
  throw UsageError(
      "{} of agents '{}': they are in events, and agents are either in events or step; create "
      "other agents for it",
      use, agents.name);
}

void runKernel(const AgentsState& agents, AgentKernel& kernel) {
  requireNotInEvents(agents, "callAll");
  kernel.neighborSteps = neighborSteps(*agents.home);
  prepareTogether(agents, kernel);
  agents.engine->agentExecutor->run(agents.run(), kernel);
}

void manage(const AgentsState& agents) {
  requireNotInEvents(agents, "manageAll");
  requireAlone(*agents.engine, "manageAll");
  agents.engine->agentExecutor->manage(agents.run());
}

void requireAlone(const Engine& engine, std::string_view use) {
  if (engine.dispatcher.deferred() == nullptr) return;
  throw UsageError("{} is not possible among rules that act together: call it after them", use);
}

std::unique_ptr<ScheduleClock> makeSchedule(const PlacesState& places) {
  const Engine& engine = *places.engine;
  return std::make_unique<ScheduleClock>(*places.fields, places.mask ? &*places.mask : nullptr,
                                         places.name, engine.seed, places.number, engine.events,
                                         places.scheduleKernel());
}

void requireAllPlaces(const PlacesState& places, std::string_view use) {
  if (!places.mask) return;
  throw UsageError("'{}' has some places of a box only, and {} need all: create the whole box",
                   places.name, use);
}

void requireGrid(const PlacesState& places, std::string_view use) {
  if (places.fields->links() == nullptr) return;
  throw UsageError("'{}' are nodes of a network, and {} need a grid", places.name, use);
}

void requireMixable(const std::string& name, const Domain& domain,
                    std::span<const Component> components, bool isNetwork) {
  const auto refuse = [&](const char* reason) {
    throw UsageError(
        "'{}' cannot have places on processors and on GPUs: {}; set 'ranks.cpu' to 0 and the same "
        "'backend' on all ranks",
        name, reason);
  };
  if (isNetwork) refuse("they are nodes of a network, which each kind divides in another order");
  if (haveMultiset(components))
    refuse("elements of a Multiset move in another order of messages on each");
  if (!domain.hasSameBitsOnGpus)
    refuse(
        "their class has attributes that are no whole numbers, and does not declare 'static "
        "constexpr bool sameBitsOnGpus = true', which promises that its rules call no functions of "
        "the mathematics library but sqrt, and are compiled without CONTRACT");
}

void requireRowCuts(const PlacesState& places, std::string_view use) {
  if (!places.fields->areBlocks()) return;
  throw UsageError(
      "'{}' is cut along several axes, and {} need bands of rows: set 'partition' to rows",
      places.name, use);
}

void recordEdge(const PlacesState& places, float edge) {
  if (!(edge > 0) || !std::isfinite(edge)) {
    throw UsageError("spaceOf: the edge of a bin is {}; it must be a finite number above 0", edge);
  }
  places.engine->restartTexts["edge of the bins of '" + places.name + "'"] =
      fmt::format("{}", edge);
}

}  // namespace mass::detail
