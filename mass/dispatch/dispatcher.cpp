#include <mass/dispatch/dispatcher.hpp>

#include <mass/support/error.hpp>

#include <algorithm>
#include <exception>

namespace mass {
namespace {

std::vector<int> staleComponents(const PlaceFields& fields) {
  std::vector<int> stale;
  for (int component = 0; component < fields.components(); ++component) {
    if (fields.stale(component) && !fields.component(component).isMultiset)
      stale.push_back(component);
  }
  return stale;
}

/// Those of some components that a round does not move in place.
std::vector<int> staying(const PlaceFields& fields, const Round& round,
                         std::vector<int> components) {
  if (!round.movesInPlace) return components;
  std::erase_if(components, [&](int number) { return fields.component(number).moves; });
  return components;
}

}  // namespace

void Dispatcher::run(PlaceFields& fields, const Kernel& kernel, std::int64_t steps,
                     std::uint64_t seed, std::uint32_t population, DeviceTimes* times) const {
  if (kernel.written.empty()) steps = std::min<std::int64_t>(steps, 1);
  if (steps <= 0) return;
  Round round{.steps = steps,
              .exchanges = (kernel.readsNeighbors || kernel.sends) && !fields.ghostPlan().empty(),
              .movesInPlace = kernel.moving != nullptr && fields.domain().movesInPlace,
              .seed = seed,
              .population = population,
              .times = times};
  if (!round.movesInPlace) settle(fields);
  if (!kernel.inPlace) round.doubled = staying(fields, round, kernel.written);
  for (const int component : round.doubled) {
    kernel.sends ? fields.needEmptyBack(component) : fields.needBack(component);
  }
  if (round.exchanges) round.stale = staying(fields, round, staleComponents(fields));
  const Outcome outcome = executor_->run(fields, kernel, round);
  for (const int component : round.stale) fields.setStale(component, false);
  for (const int component : round.doubled) {
    if (outcome.steps % 2 == 1) fields.setFront(component, 1 - fields.front(component));
  }
  for (const int component : kernel.written) {
    const bool moved = round.movesInPlace && fields.component(component).moves;
    fields.setStale(component, moved || !outcome.ghostsFresh);
  }
  if (round.movesInPlace) {
    fields.unsettled = kernel.moving;
    fields.isOdd ^= outcome.steps % 2 == 1;
  }
  if (!kernel.written.empty()) fields.step += static_cast<std::uint64_t>(outcome.steps);
  fields.overflowedWords += outcome.overflowedWords;
  if (kernel.sends && (outcome.failure || outcome.lost > 0)) {
    for (const int component : kernel.written) fields.needBack(component);  // no longer empty ones
  }
  if (outcome.failure) std::rethrow_exception(outcome.failure);
  if (outcome.lost > 0) {
    throw OverflowError(
        "{} of the codes that places were sent did not fit into their bags: the state is lost; "
        "give the bags more words",
        outcome.lost);
  }
}

void Dispatcher::settle(PlaceFields& fields) const {
  if (fields.unsettled == nullptr) return;
  if (fields.isOdd) executor_->settle(fields);
  for (int component = 0; component < fields.components(); ++component) {
    if (fields.component(component).moves) fields.refreshSides(component);
  }
  fields.unsettled = nullptr;
  fields.isOdd = false;
}

void Dispatcher::refreshGhosts(PlaceFields& fields) const {
  settle(fields);
  const std::vector<int> stale = staleComponents(fields);
  if (stale.empty() || fields.ghostPlan().empty()) return;
  executor_->refresh(fields, stale);
  for (const int component : stale) fields.setStale(component, false);
}

}  // namespace mass
