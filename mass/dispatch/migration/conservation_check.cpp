#include <mass/dispatch/migration/conservation_check.hpp>

#include <mass/random/philox.hpp>
#include <mass/support/error.hpp>

#include <new>

namespace mass::detail::migration {

void check(const AgentFields& agents, const Census& census, std::uint64_t identities,
           std::uint64_t invalidRequests) {
  const std::string& name = agents.traits().name;
  if (identities != 0) {
    throw Error(
        "agents of class {} were lost or duplicated in manageAll: {} remain, {} died, {} were "
        "born. "
        "This is a bug in MASS; please report it",
        name, census.alive, census.died, census.born);
  }
  if (agents.nextId > RandomKey::indices) {
    throw UsageError(
        "children of class {} got identities of 2^40 = {} or more, which random numbers do not "
        "distinguish: give the initial agents lower identities",
        name, RandomKey::indices);
  }
  if (invalidRequests != 0) {
    throw UsageError(
        "{} agents of class {} requested a move farther than their travel or out of the world, or "
        "more children than their offspring, or have positions that are not numbers: run the model "
        "with 'backend: cpu' to locate them",
        invalidRequests, name);
  }
}

void checkFarthest(const AgentFields& agents, int farthest) {
  if (farthest == 0) return;
  throw UsageError(
      "a rule reads agents of class {} up to {} places away, but their reach is {}: raise "
      "`static constexpr int reach` in the class, and MAX_PLACE_EXCHANGE in the settings if it is "
      "lower",
      agents.traits().name, farthest, agents.traits().reach);
}

void rollBack(AgentFields& agents) {
  for (const int device : agents.localDevices()) {
    AgentBand& band = agents.band(device);
    band.scratch.lastClaim.fill(0, band.bins.own(), -1);
    band.scratch.immigrants.fill(0, band.bins.own(), 0);
  }
  agents.markMoved();
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw DeviceError(
        "not enough memory for manageAll of {} agents of class {}; the agents are unchanged",
        agents.alive(), agents.traits().name);
  }
}

}  // namespace mass::detail::migration
