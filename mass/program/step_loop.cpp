#include <mass/program/step_loop.hpp>

#include <algorithm>

namespace mass::detail {

SteeringPlan StepLoop::makeSteps(std::int64_t last) {
  SteeringPlan plan = steer();
  while (!plan.ends && model_.endedBy.empty() && model_.step < last) {
    if (!owner_.goesOn(chunk_.steps)) return {.ends = true};
    if (!plan.pauses) makeChunk(std::min(plan.stop, last));
    plan = steer();
  }
  return plan;
}

void StepLoop::wait(SteeringPlan plan) {
  while (!plan.ends && plan.pauses && owner_.goesOn(chunk_.steps)) plan = steer();
}

/// Asks all Steerings. @return their plans as one
SteeringPlan StepLoop::steer() {
  SteeringPlan all;
  for (const auto& steering : model_.steerings) {
    const SteeringPlan plan = steering->plan(model_);
    all.stop = std::min(all.stop, plan.stop);
    all.pauses |= plan.pauses;
    all.wantsCheckpoint |= plan.wantsCheckpoint;
    all.ends |= plan.ends;
  }
  if (all.wantsCheckpoint) owner_.checkpointWanted();
  return all;
}

/// Makes a chunk of steps, and adapts the length of chunks. @param limit largest step
void StepLoop::makeChunk(std::int64_t limit) {
  const std::int64_t stop = owner_.nextStop(chunk_.steps, limit);
  chunk_.make(stop - model_.step, seconds_, [&] { model_.advanceTo(stop); });
  if (!model_.isWithinStep) owner_.chunkMade();
}

}  // namespace mass::detail
