#include <mass/model/together.hpp>

#include <mass/dispatch/deferred_changes.hpp>
#include <mass/model/engine.hpp>
#include <mass/support/error.hpp>

#include <string>

namespace mass::detail {
namespace {

/// @throws UsageError if places or agents have been changed together with others
void requireFirstChange(const DeferredChanges& changes, const void* fields,
                        const std::string& name) {
  if (!changes.has(fields)) return;
  throw UsageError(
      "together: two rules change '{}': a class changes once, so make one rule of them, or call "
      "together twice",
      name);
}

/// Withdraws the deferral at the end of a scope.
class Deferral {
 public:
  Deferral(Dispatcher& dispatcher, DeferredChanges& changes) : dispatcher_(&dispatcher) {
    dispatcher.defer(&changes);
  }
  ~Deferral() { dispatcher_->defer(nullptr); }
  Deferral(const Deferral&) = delete;
  Deferral& operator=(const Deferral&) = delete;

 private:
  Dispatcher* dispatcher_;
};

}  // namespace

void runTogether(Engine& engine, const std::function<void()>& rules) {
  requireAlone(engine, "together");
  DeferredChanges changes;
  {
    const Deferral deferral(engine.dispatcher, changes);
    rules();
  }
  changes.accept();
}

void prepareTogether(const PlacesState& places, std::span<Kernel> turn, std::int64_t turns) {
  const DeferredChanges* const changes = places.engine->dispatcher.deferred();
  if (changes == nullptr || (turn.size() == 1 && turn.front().written.empty())) return;
  Kernel& kernel = turn.front();
  if (turn.size() > 1 || turns != 1 ||
      (kernel.traversal != Traversal::pointwise && kernel.traversal != Traversal::stencil)) {
    throw UsageError(
        "together: a rule of '{}' runs for several steps, in turn with others, or streams or "
        "sends: "
        "a rule that acts together with others makes one step",
        places.name);
  }
  if (places.fields->areBits()) {
    throw UsageError("together: '{}' are stored as bits: store them as bytes, without mass::Bits",
                     places.name);
  }
  requireFirstChange(*changes, places.fields.get(), places.name);
  kernel.traversal = Traversal::stencil;
}

void prepareTogether(const AgentsState& agents, AgentKernel& kernel) {
  const DeferredChanges* const changes = agents.engine->dispatcher.deferred();
  if (changes == nullptr) return;
  if (!kernel.taken.empty()) requireAlone(*agents.engine, "a rule that takes (Resource)");
  requireFirstChange(*changes, agents.fields.get(), agents.name);
  kernel.inPlace = false;
  // A refresh after the rule could enlarge the memory of the agents, without their next state.
  agents.engine->agentExecutor->refreshGhosts(*agents.fields);
}

}  // namespace mass::detail
