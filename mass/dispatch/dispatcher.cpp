#include <mass/dispatch/dispatcher.hpp>

#include <mass/dispatch/agent_executor.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <exception>

namespace mass::detail {
namespace {

/// Returns the components with stale halos. Words of Multisets are never read by other places.
std::vector<int> staleComponents(const PlaceFields& fields) {
  std::vector<int> stale;
  for (int component = 0; component < fields.components(); ++component) {
    if (fields.stale(component) && !fields.component(component).isMultiset)
      stale.push_back(component);
  }
  return stale;
}

/// Removes streamed components from `components` if the batch streams in place.
std::vector<int> withoutStreamed(const PlaceFields& fields, const StepBatch& batch,
                                 std::vector<int> components) {
  if (!batch.streamsInPlace) return components;
  std::erase_if(components, [&](int number) { return fields.component(number).isStreamed; });
  return components;
}

}  // namespace

void Dispatcher::run(PlaceFields& fields, const Kernel& kernel, std::int64_t steps,
                     std::uint64_t seed, std::uint32_t population, DeviceTimes* times) const {
  if (kernel.written.empty()) steps = std::min<std::int64_t>(steps, 1);
  while (steps > 0) {
    steps -= runPart(fields, kernel,
                     {.steps = steps, .seed = seed, .population = population, .times = times});
  }
}

/// Runs the first steps of a batch, or all. @return number of steps
std::int64_t Dispatcher::runPart(PlaceFields& fields, const Kernel& kernel, StepBatch batch) const {
  batch.exchanges = (kernel.readsNeighbors || kernel.isScatter()) && !fields.ghostPlan().empty();
  batch.streamsInPlace = kernel.aaKernel != nullptr && fields.domain().streamsInPlace;
  if (!batch.streamsInPlace) restoreLayout(fields);
  if (kernel.isDoubleBuffered())
    batch.doubleBuffered = withoutStreamed(fields, batch, kernel.written);
  for (const int component : batch.doubleBuffered) {
    kernel.isScatter() ? fields.allocateZeroedBackBuffer(component)
                       : fields.allocateBackBuffer(component);
  }
  if (batch.exchanges) batch.stale = withoutStreamed(fields, batch, staleComponents(fields));
  const BatchResult result = executor_->run(fields, kernel, batch);
  for (const int component : batch.stale) fields.setStale(component, false);
  for (int component = 0; component < fields.components(); ++component)
    fields.setFreshRows(component, std::max(fields.freshRows(component), result.freshRows));
  for (const int component : batch.doubleBuffered) {
    if (result.swaps % 2 == 1) fields.setFront(component, 1 - fields.front(component));
  }
  for (const int component : kernel.written) {
    const bool isStreamed = batch.streamsInPlace && fields.component(component).isStreamed;
    fields.setStale(component, isStreamed || !result.ghostsFresh);
    if (!result.paddingFresh) fields.refreshPadding(component);
  }
  if (batch.streamsInPlace) {
    fields.aaKernel = kernel.aaKernel;
    fields.aaSwapped ^= result.steps % 2 == 1;
  }
  if (!kernel.written.empty()) fields.step += static_cast<std::uint64_t>(result.steps);
  fields.overflowedWords += result.overflowedWords;
  if (kernel.isScatter() && (result.failure || result.lost > 0)) {
    for (const int component : kernel.written)
      fields.allocateBackBuffer(component);  // back buffers are no longer zeroed
  }
  if (result.failure) std::rethrow_exception(result.failure);
  if (result.lost > 0) {
    throw OverflowError(
        "{} elements that were sent did not fit into the Multisets of their places: the state is "
        "lost; give the Multisets more words",
        result.lost);
  }
  return result.steps;
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

std::unique_ptr<AgentExecutor> Dispatcher::makeAgentExecutor(const DeviceConfig& devices) const {
  return executor_->makeAgentExecutor(devices);
}

}  // namespace mass::detail
