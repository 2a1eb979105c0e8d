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
        "agents of class {} were lost or doubled in manageAll: {} are left, {} died, {} were born. "
        "This is an error of the library; please report it",
        name, census.alive, census.died, census.born);
  }
  if (agents.nextId > RandomKey::indices) {
    throw UsageError(
        "children of class {} got identities of 2^40 = {} and more, which random numbers do not "
        "tell apart: give the agents that there are at first lower ones",
        name, RandomKey::indices);
  }
  if (invalidRequests != 0) {
    throw UsageError(
        "{} agents of class {} wanted to move further than its travel, to a place outside the "
        "world, or to have more children than its offspring: run the model with 'backend: cpu' to "
        "see which",
        invalidRequests, name);
  }
}

void checkFarthest(const AgentFields& agents, int farthest) {
  if (farthest == 0) return;
  throw UsageError(
      "a rule looks for agents of class {} up to {} places away, but their reach is {}: raise "
      "`static constexpr int reach` in the class, and MAX_PLACE_EXCHANGE in the settings if it is "
      "lower",
      agents.traits().name, farthest, agents.traits().reach);
}

void rollBack(AgentFields& agents) {
  for (int device = 0; device < agents.devices(); ++device) {
    AgentBand& band = agents.band(device);
    band.scratch.lastClaim.fill(0, band.bins.own(), -1);
    band.scratch.immigrants.fill(0, band.bins.own(), 0);
  }
  agents.ghostsStale = true;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw DeviceError(
        "there is not enough memory to manage {} agents of class {}; they are as they were before",
        agents.alive(), agents.traits().name);
  }
}

}  // namespace mass::detail::migration
