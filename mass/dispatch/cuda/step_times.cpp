#include <mass/dispatch/cuda/step_times.hpp>

#include <mass/dispatch/device_group.hpp>

#include <algorithm>

namespace mass::detail {
namespace {

/// Timed steps of a scatter or AA rule between two resets of DeviceTimes: even, so that the steps
/// after them start with the same front buffer.
constexpr std::int64_t measuredStepsPerInterval = 8;

}  // namespace

double slowestOf(const PlaceFields& fields, double seconds) {
  const DeviceConfig& devices = fields.devices();
  if (devices.ranks().count() == 1 || areOnOneDevice(fields)) return seconds;
  const auto times = devices.allGather(std::vector<double>(devices.local().size(), seconds));
  return *std::ranges::max_element(times);
}

void measureReplay(const Kernel& kernel, const DeviceBatch& deviceBatch, const StepBatch& batch,
                   const LaunchShape& shape, const Worker& worker) {
  double seconds = 0;
  batch.times->leaveOut(worker, [&] {
    seconds = batch.times->stepSeconds(worker.device(), kernel.gpu, [&] {
      constexpr int runs = 2;
      deviceBatch.millisecondsAlone(shape, 1);  // loads the code
      return deviceBatch.millisecondsAlone(shape, runs) / 1000;
    });
  });
  batch.times->add(worker, seconds * static_cast<double>(batch.steps));
}

std::int64_t measureInPlace(const Kernel& kernel, const DeviceBatch& deviceBatch,
                            const StepBatch& batch, const LaunchShape& shape, const Worker& worker,
                            const GpuGuard& guard, FirstFailure& failure) {
  const int device = worker.device();
  const std::int64_t steps = batch.times->hasStepSeconds(device, kernel.gpu)
                                 ? 0
                                 : std::min(batch.steps, measuredStepsPerInterval);
  double seconds = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    guard.run(failure, worker, step, [&] {
      const double now = deviceBatch.millisecondsOf(step, shape) / 1000;
      seconds = step == 0 ? now : std::min(seconds, now);
    });
    worker.barrier();
    if (failure.hasFailedBy(step)) return step + 1;
  }
  if (steps > 0) guard.run(failure, worker, steps, [&] { deviceBatch.countSteps(steps); });
  seconds = batch.times->stepSeconds(device, kernel.gpu, [&] { return seconds; });
  batch.times->add(worker, seconds * static_cast<double>(batch.steps));
  return steps;
}

}  // namespace mass::detail
