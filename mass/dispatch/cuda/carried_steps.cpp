#include <mass/dispatch/cuda/carried_steps.hpp>

#include <algorithm>

namespace mass::detail {
namespace {

/// Steps between two marks. The host is at most two intervals ahead of its GPU: with more, it would
/// block in the driver, where it cannot detect the failure of another GPU.
constexpr std::int64_t stepsBetweenMarks = 16;

}  // namespace

void CarriedSteps::receive(std::int64_t step, const Worker& worker) const {
  cudaStream_t queue = stream(worker);
  for (const int peer : batch(worker.device()).peers()) {
    MASS_CUDA_CALL(cudaStreamWaitEvent(queue, batch(peer).resources().ghostsSent(step)));
  }
  transport_->receive(worker, round(step), queue);
}

std::int64_t CarriedSteps::mostAhead() const {
  return stepsBetweenMarks;
}

void CarriedSteps::queueEnd(std::int64_t steps, const Worker& worker) const {
  receive(steps - 1, worker);
}

void OverlappedSteps::queue(std::int64_t step, const Worker& worker) const {
  const DeviceBatch& own = batch(worker.device());
  const GpuResources& resources = own.resources();
  cudaStream_t border = resources.borderStream();
  cudaStream_t interior = resources.stream();
  if (step > 0) {
    receive(step - 1, worker);
    MASS_CUDA_CALL(cudaStreamWaitEvent(border, resources.interiorDone(step - 1)));
    MASS_CUDA_CALL(cudaStreamWaitEvent(interior, resources.bordersDone(step - 1)));
  }
  const Layout& layout = own.layout();
  const std::int64_t low = std::min(layout.depth, layout.rows);
  const std::int64_t high = std::max(low, layout.rows - layout.depth);
  own.queue(step, {0, low}, shape_, border);
  own.queue(step, {high, layout.rows}, shape_, border);
  MASS_CUDA_CALL(cudaEventRecord(resources.bordersDone(step), border));
  transport().send(worker, round(step), border);
  MASS_CUDA_CALL(cudaEventRecord(resources.ghostsSent(step), border));
  own.queue(step, {low, high}, shape_, interior);
  MASS_CUDA_CALL(cudaEventRecord(resources.interiorDone(step), interior));
}

void OverlappedSteps::queueEnd(std::int64_t steps, const Worker& worker) const {
  CarriedSteps::queueEnd(steps, worker);
  MASS_CUDA_CALL(cudaStreamWaitEvent(stream(worker),
                                     batch(worker.device()).resources().interiorDone(steps - 1)));
}

void CarriedMarches::queue(std::int64_t pass, const Worker& worker) const {
  if (pass > 0) receive(pass - 1, worker);
  const DeviceBatch& own = batch(worker.device());
  own.queueMarch(pass, turnsPerPass_);
  transport().send(worker, round(pass), stream(worker));
  MASS_CUDA_CALL(cudaEventRecord(own.resources().ghostsSent(pass), stream(worker)));
}

std::int64_t CarriedCycles::mostAhead() const {
  return std::max<std::int64_t>(stepsBetweenMarks / std::ssize(plan_->boxes), 1);
}

void CarriedCycles::queue(std::int64_t cycle, const Worker& worker) const {
  if (cycle > 0) receive(cycle - 1, worker);
  const auto& [batches, shapes, boxes, refreshesBorders] = *plan_;
  cudaStream_t queue = stream(worker);
  const auto device = static_cast<std::size_t>(worker.device());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const std::size_t rule = i % batches.size();
    const std::int64_t step = cycle * std::ssize(boxes) + static_cast<std::int64_t>(i);
    for (const PlaceBox& box : boxes[i][device])
      batchOf(batches[rule], worker.device()).queueBox(step, box, shapes[rule], queue);
    if (refreshesBorders && i + 1 < boxes.size())
      transport().send(worker, static_cast<std::size_t>(step) % (2 * batches.size()), queue);
  }
  transport().send(worker, round(cycle), queue);
  MASS_CUDA_CALL(cudaEventRecord(batch(worker.device()).resources().ghostsSent(cycle), queue));
}

void runCarried(const CarriedSteps& steps, std::int64_t count, const Worker& worker,
                const GpuGuard& guard, FirstFailure& failure) {
  HaloTransport& transport = steps.transport();
  cudaStream_t stream = steps.stream(worker);
  const GpuResources& resources = steps.batch(worker.device()).resources();
  // Numbers of failures: each step has two barriers, and a third one follows the last step.
  const auto numberOf = [](std::int64_t step) { return 2 * step; };
  const std::int64_t last = numberOf(count) + 2;
  for (std::int64_t step = 0; step < count; ++step) {
    guard.run(failure, worker, numberOf(step), [&] {
      if (step % steps.mostAhead() == 0) {
        if (step > 0)
          guard.waitFor([&] { return cudaEventQuery(resources.mark()); }, transport, worker);
        MASS_CUDA_CALL(cudaEventRecord(resources.mark(), stream));
      }
      steps.queue(step, worker);
      if (transport.exchangesOnHost())
        guard.waitFor([&] { return cudaEventQuery(resources.ghostsSent(step)); }, transport,
                      worker);
    });
    // Events are recorded before others wait for them.
    if (!guard.exchangeOnHost(transport, steps.round(step), numberOf(step), worker, failure)) break;
  }
  guard.run(failure, worker, last, [&] {
    if (!failure.hasFailedBy(last)) steps.queueEnd(count, worker);
    guard.waitFor(stream, transport, worker);
  });
  if (guard.hasFailed()) transport.abort(worker.device());
}

}  // namespace mass::detail
