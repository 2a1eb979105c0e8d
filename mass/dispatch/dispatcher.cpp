#include <mass/dispatch/dispatcher.hpp>

#include <mass/support/error.hpp>

#include <algorithm>
#include <exception>

namespace mass::detail {
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
std::vector<int> staying(const PlaceFields& fields, const StepBatch& batch,
                         std::vector<int> components) {
  if (!batch.streamsInPlace) return components;
  std::erase_if(components, [&](int number) { return fields.component(number).isStreamed; });
  return components;
}

}  // namespace

void Dispatcher::run(PlaceFields& fields, const Kernel& kernel, std::int64_t steps,
                     std::uint64_t seed, std::uint32_t population, DeviceTimes* times) const {
  if (kernel.written.empty()) steps = std::min<std::int64_t>(steps, 1);
  if (steps <= 0) return;
  StepBatch batch{
      .steps = steps,
      .exchanges = (kernel.readsNeighbors || kernel.sends) && !fields.ghostPlan().empty(),
      .streamsInPlace = kernel.moving != nullptr && fields.domain().streamsInPlace,
      .seed = seed,
      .population = population,
      .times = times};
  if (!batch.streamsInPlace) restoreLayout(fields);
  if (!kernel.inPlace) batch.doubled = staying(fields, batch, kernel.written);
  for (const int component : batch.doubled) {
    kernel.sends ? fields.allocateZeroedBackBuffer(component)
                 : fields.allocateBackBuffer(component);
  }
  if (batch.exchanges) batch.stale = staying(fields, batch, staleComponents(fields));
  const BatchResult result = executor_->run(fields, kernel, batch);
  for (const int component : batch.stale) fields.setStale(component, false);
  for (const int component : batch.doubled) {
    if (result.steps % 2 == 1) fields.setFront(component, 1 - fields.front(component));
  }
  for (const int component : kernel.written) {
    const bool moved = batch.streamsInPlace && fields.component(component).isStreamed;
    fields.setStale(component, moved || !result.ghostsFresh);
  }
  if (batch.streamsInPlace) {
    fields.aaKernel = kernel.moving;
    fields.aaSwapped ^= result.steps % 2 == 1;
  }
  if (!kernel.written.empty()) fields.step += static_cast<std::uint64_t>(result.steps);
  fields.overflowedWords += result.overflowedWords;
  if (kernel.sends && (result.failure || result.lost > 0)) {
    for (const int component : kernel.written)
      fields.allocateBackBuffer(component);  // no longer empty ones
  }
  if (result.failure) std::rethrow_exception(result.failure);
  if (result.lost > 0) {
    throw OverflowError(
        "{} of the codes that places were sent did not fit into their bags: the state is lost; "
        "give the bags more words",
        result.lost);
  }
}

void Dispatcher::restoreLayout(PlaceFields& fields) const {
  if (fields.aaKernel == nullptr) return;
  if (fields.aaSwapped) executor_->restoreLayout(fields);
  for (int component = 0; component < fields.components(); ++component) {
    if (fields.component(component).isStreamed) fields.refreshPadding(component);
  }
  fields.aaKernel = nullptr;
  fields.aaSwapped = false;
}

void Dispatcher::refreshGhosts(PlaceFields& fields) const {
  restoreLayout(fields);
  const std::vector<int> stale = staleComponents(fields);
  if (stale.empty() || fields.ghostPlan().empty()) return;
  executor_->refresh(fields, stale);
  for (const int component : stale) fields.setStale(component, false);
}

}  // namespace mass::detail
