#pragma once

#include <mass/program/model_run.hpp>
#include <mass/program/steering.hpp>
#include <mass/support/chunk.hpp>

#include <cstdint>

namespace mass::detail {

/// Owner of a run whose steps a StepLoop makes. All ranks call its functions together.
class StepOwner {
 public:
  virtual ~StepOwner() = default;

  /// Called before each chunk of steps, and during pauses.
  /// @param chunk number of steps of a chunk so far; receives that on which all ranks agree
  /// @return false to end the steps
  virtual bool goesOn(std::int64_t& chunk) = 0;
  /// Returns the step at which the next chunk ends, above the present one.
  /// @param chunk number of its steps, unless something is due before @param limit largest step
  virtual std::int64_t nextStop(std::int64_t chunk, std::int64_t limit) const = 0;
  /// Called after each chunk of steps.
  virtual void chunkMade() = 0;
  /// Writes a checkpoint that a Steering asks for.
  virtual void checkpointWanted() = 0;
};

/// Loop of the steps of a run, as its Steerings plan them.
class StepLoop {
 public:
  /// The references must outlive this.
  /// @param seconds compute time of a chunk, the steps between two calls of the owner
  StepLoop(ModelRun& model, StepOwner& owner, double seconds)
      : model_(model), owner_(owner), seconds_(seconds) {}

  /// Makes steps up to `last`, or until a condition ends the run (ModelRun::endedBy). Asks the
  /// Steerings before the first step, between chunks and at `last`. @return their last plan, which
  /// `ends` if they or the owner end the steps before
  SteeringPlan makeSteps(std::int64_t last);
  /// Waits at the present step until no Steering pauses. @param plan result of makeSteps()
  void wait(SteeringPlan plan);

 private:
  SteeringPlan steer();
  void makeChunk(std::int64_t limit);

  ModelRun& model_;
  StepOwner& owner_;
  double seconds_;
  Chunk chunk_{.mostGrowth = 16};
};

}  // namespace mass::detail
