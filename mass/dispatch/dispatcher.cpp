#include <mass/dispatch/dispatcher.hpp>

#include <mass/dispatch/agent_executor.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Returns the components with two buffers for the rules. @param all all that they write
std::vector<int> doubleBufferedBy(Turn turn, bool all) {
  std::set<int> components;
  for (const Kernel& kernel : turn) {
    if (all || kernel.isDoubleBuffered())
      components.insert(kernel.written.begin(), kernel.written.end());
  }
  return {components.begin(), components.end()};
}

/// Returns the elements of `components` that are not in `excluded`.
std::vector<int> without(const std::vector<int>& excluded, std::vector<int> components) {
  std::erase_if(components, [&](int number) { return std::ranges::count(excluded, number) > 0; });
  return components;
}

/// Returns a rule that streams in place by the AA pattern; nothing if it cannot.
std::optional<Kernel> byAaPattern(const PlaceFields& fields, const Kernel& rule) {
  if (rule.aaKernel == nullptr) return std::nullopt;
  Kernel kernel = rule;
  kernel.traversal = Traversal::aaPattern;
  kernel.function = rule.aaKernel->even;
  kernel.swappedFunction = rule.aaKernel->odd;
  kernel.gpu = rule.aaKernel->gpu;
  std::ranges::copy_if(rule.written, std::back_inserter(kernel.inPlace), [&](int component) {
    return fields.component(component).storage == Storage::aaInPlace;
  });
  return kernel.inPlace.empty() ? std::nullopt : std::optional(std::move(kernel));
}

/// Returns the bytes of a component for a place of a face, one way.
double bytesOfFace(const PlaceFields& fields, int number) {
  const Component& component = fields.component(number);
  if (component.storage == Storage::multiset) return 0;
  const auto depth = [&](int rows) { return rows < 0 ? fields.domain().reach : rows; };
  const int rows = depth(component.haloDepthBelow) + depth(component.haloDepthAbove);
  return static_cast<double>(component.elementSize) * rows / 2;
}

/// Adds the bytes of a turn across a cut.
void countTurn(PlaceFields& fields, Turn turn) {
  FaceTraffic& faces = *fields.faces;
  for (const Kernel& kernel : turn) {
    if (kernel.readsNeighbors) {
      for (const int component : faces.changed) faces.bytes += bytesOfFace(fields, component);
      faces.changed.clear();
    }
    faces.changed.insert(kernel.written.begin(), kernel.written.end());
  }
}

/// Adds the bytes of some turns, of which all but the first send as much.
void countFaces(PlaceFields& fields, Turn turn, std::int64_t turns) {
  if (turns > 0) countTurn(fields, turn);
  if (turns < 2) return;
  const double before = fields.faces->bytes;
  countTurn(fields, turn);
  fields.faces->bytes += (fields.faces->bytes - before) * static_cast<double>(turns - 2);
}

/// Runs a batch, and adds its time to `batch.times`.
BatchResult runTimed(Executor& executor, const PlaceFields& fields, Turn turn,
                     const StepBatch& batch) {
  const auto start = std::chrono::steady_clock::now();
  BatchResult result = executor.run(fields, turn, batch);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  if (batch.times != nullptr) batch.times->addSteps(result.steps, time.count());
  return result;
}

/// Makes what a batch has written the state.
void accept(PlaceFields& fields, const std::vector<int>& written, const BatchResult& result) {
  for (const int component : result.swapped)
    fields.setFront(component, 1 - fields.front(component));
  for (const int component : written) {
    fields.setFreshRows(
        component,
        result.ghostsFresh ? std::max<std::int64_t>(fields.domain().reach, result.freshRows) : 0);
    if (!result.paddingFresh) fields.refreshPadding(component);
  }
}

}  // namespace

void Dispatcher::run(PlaceFields& fields, Turn turn, std::int64_t turns, std::uint64_t seed,
                     std::uint32_t population, DeviceTimes* times) const {
  if (turn.size() == 1 && turn.front().written.empty()) turns = std::min<std::int64_t>(turns, 1);
  if (fields.faces) countFaces(fields, turn, turns);
  const auto rules = static_cast<std::int64_t>(turn.size());
  const bool isOneBatch = rules == 1 || runsInTurn(fields, turn, times != nullptr);
  while (turns > 0) {
    StepBatch batch{.seed = seed, .population = population, .times = times};
    if (isOneBatch) {
      batch.steps = turns * rules;
      turns -= runPart(fields, turn, batch) / rules;
    } else {
      for (const Kernel& kernel : turn) runPart(fields, Turn(&kernel, 1), batch);
      --turns;
    }
  }
}

/// True if the executor can run several rules together. Each writes, and none streams or scatters.
bool Dispatcher::runsInTurn(const PlaceFields& fields, Turn turn, bool areMeasured) const {
  const bool areSimple = std::ranges::all_of(turn, [](const Kernel& kernel) {
    return !kernel.written.empty() &&
           (kernel.traversal == Traversal::stencil || kernel.traversal == Traversal::pointwise);
  });
  return areSimple && executor_->runsInTurn(fields, turn, areMeasured);
}

/// Runs a batch on the bytes of places that are stored as bits, as runPart().
std::int64_t Dispatcher::runOnBytes(PlaceFields& bits, Turn turn, const StepBatch& batch) const {
  PlaceFields& bytes = bits.asBytes(!writtenBy(turn).empty());
  bytes.step = bits.step;
  try {
    const std::int64_t steps = runPart(bytes, turn, batch);
    bits.step = bytes.step;
    return steps;
  } catch (...) {
    bits.step = bytes.step;
    throw;
  }
}

/// Runs the first turns of a batch, or all. @return number of steps
std::int64_t Dispatcher::runPart(PlaceFields& fields, Turn turn, StepBatch batch) const {
  if (fields.areBits()) {
    if (!executor_->runsOnBits(fields, turn, batch)) return runOnBytes(fields, turn, batch);
    fields.toBits();
  }
  const std::optional<Kernel> aaRule = byAaPattern(fields, turn.front());
  if (aaRule) {
    turn = Turn(&*aaRule, 1);
  } else {
    fields.restoreLayout();
  }
  const bool isScatter = turn.front().traversal == Traversal::scatter;
  const std::vector<int>& inPlace = turn.front().inPlace;
  const std::vector<int> written = writtenBy(turn);
  batch.exchanges = !fields.ghostPlan().empty() &&
                    (isScatter || std::ranges::any_of(turn, &Kernel::readsNeighbors));
  batch.refreshes = batch.exchanges && !isScatter;
  batch.doubleBuffered = without(
      inPlace,
      doubleBufferedBy(turn, turn.size() > 1 && executor_->runsTurnsInPasses(fields, turn, batch)));
  for (const int component : batch.doubleBuffered) {
    isScatter ? fields.allocateZeroedBackBuffer(component) : fields.allocateBackBuffer(component);
  }
  if (batch.exchanges)
    batch.stale = without(inPlace, fields.staleComponents(fields.domain().reach));
  const BatchResult result = runTimed(*executor_, fields, turn, batch);
  for (const int component : batch.stale) fields.setStale(component, false);
  for (int component = 0; component < fields.components(); ++component)
    fields.setFreshRows(component, std::max(fields.freshRows(component), result.freshRows));
  if (deferred_ != nullptr && !written.empty()) {
    if (result.failure) std::rethrow_exception(result.failure);
    deferred_->add(&fields, [&fields, written, result] {
      accept(fields, written, result);
      fields.step += static_cast<std::uint64_t>(result.steps);
    });
    return result.steps;
  }
  accept(fields, written, result);
  for (const int component : inPlace) fields.setStale(component, true);
  if (aaRule) {
    fields.addAaSteps(
        result.steps, inPlace,
        [executor = executor_.get(), kernel = aaRule->aaKernel](const PlaceFields& swapped) {
          executor->restoreLayout(swapped, *kernel);
        });
  }
  if (!written.empty()) fields.step += static_cast<std::uint64_t>(result.steps);
  fields.overflowedWords += result.overflowedWords;
  if (isScatter && (result.failure || result.lost > 0)) {
    for (const int component : written)
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

void Dispatcher::reserve(PlaceFields& fields, const Kernel& rule) const {
  const Kernel kernel = byAaPattern(fields, rule).value_or(rule);
  const Turn turn(&kernel, 1);
  for (const int component : without(kernel.inPlace, doubleBufferedBy(turn, false)))
    fields.allocateBackBuffer(component);
}

void Dispatcher::refreshGhosts(PlaceFields& fields) const {
  fields.restoreLayout();
  const std::vector<int> stale = fields.staleComponents(fields.domain().reach);
  if (stale.empty() || fields.ghostPlan().empty()) return;
  executor_->refresh(fields, stale);
  for (const int component : stale) fields.setStale(component, false);
}

std::unique_ptr<AgentExecutor> Dispatcher::makeAgentExecutor(const DeviceConfig& devices) const {
  return executor_->makeAgentExecutor(devices);
}

}  // namespace mass::detail
