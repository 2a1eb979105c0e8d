#include <mass/dispatch/dispatcher.hpp>

#include <mass/support/error.hpp>

#include <algorithm>
#include <exception>

namespace mass {
namespace {

std::vector<int> staleComponents(const PlaceFields& fields) {
  std::vector<int> stale;
  for (int component = 0; component < fields.components(); ++component) {
    if (fields.stale(component) && !fields.component(component).isBag) stale.push_back(component);
  }
  return stale;
}

}  // namespace

void Dispatcher::run(PlaceFields& fields, const Kernel& kernel, std::int64_t steps,
                     std::uint64_t seed, std::uint32_t population, DeviceTimes* times) const {
  if (kernel.written.empty()) steps = std::min<std::int64_t>(steps, 1);
  if (steps <= 0) return;
  if (!kernel.inPlace) {
    for (const int component : kernel.written) {
      kernel.sends ? fields.needEmptyBack(component) : fields.needBack(component);
    }
  }
  Round round{.steps = steps,
              .exchanges = (kernel.readsNeighbors || kernel.sends) && !fields.ghostPlan().empty(),
              .stale = {},
              .seed = seed,
              .population = population,
              .times = times};
  if (round.exchanges) round.stale = staleComponents(fields);
  const Outcome outcome = executor_->run(fields, kernel, round);
  for (const int component : round.stale) fields.setStale(component, false);
  for (const int component : kernel.written) {
    if (!kernel.inPlace && outcome.steps % 2 == 1) {
      fields.setFront(component, 1 - fields.front(component));
    }
    fields.setStale(component, !outcome.ghostsFresh);
  }
  if (!kernel.written.empty()) fields.step += static_cast<std::uint64_t>(outcome.steps);
  fields.spilled += outcome.spilled;
  if (kernel.sends && (outcome.failure || outcome.lost > 0)) {
    for (const int component : kernel.written) fields.needBack(component);  // no longer empty ones
  }
  if (outcome.failure) std::rethrow_exception(outcome.failure);
  if (outcome.lost > 0) {
    throw DeviceError(
        "{} of the codes that places were sent did not fit into their bags: the state is lost; "
        "give "
        "the bags more words",
        outcome.lost);
  }
}

void Dispatcher::refreshGhosts(PlaceFields& fields) const {
  const std::vector<int> stale = staleComponents(fields);
  if (stale.empty() || fields.ghostPlan().empty()) return;
  executor_->refresh(fields, stale);
  for (const int component : stale) fields.setStale(component, false);
}

}  // namespace mass
