#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/dispatch/exchange_tuner.hpp>
#include <mass/dispatch/executor.hpp>
#include <mass/dispatch/first_failure.hpp>
#include <mass/dispatch/scatter_exchange.hpp>
#include <mass/dispatch/thread_tuner.hpp>
#include <mass/dispatch/worker_pass.hpp>
#include <mass/exchange/halo_transport.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mass::detail {

class PartEnd;

/// Steps of a part of a batch. A part consists of cycles: an exchange of ghost rows and the steps
/// that these allow, in one or several passes over memory.
struct CycleSteps {
  int perPass = 1;       ///< steps of a pass; whole turns
  int perExchange = 1;   ///< steps of a cycle; at most `perPass` if there is one rank
  bool isTimed = false;  ///< measures each cycle
};

/// Steps of a batch on the CPU threads of this rank.
class CpuBatch {
 public:
  /// @param bitRule makes passes on bits; null: kernels make the steps
  /// @param passMemory memory of each worker for passes of several steps
  CpuBatch(const PlaceFields& fields, Turn turn, const BitRule* bitRule, const StepBatch& batch,
           HaloTransport& transport, std::vector<std::vector<char>>& passMemory);

  /// Runs the steps that `plan` allows, from `firstStep` of the batch on.
  /// @return number of steps; 0 after a failure
  std::int64_t runPart(const ThreadPlan& plan, const CycleSteps& cycle, std::int64_t firstStep);
  /// Returns the times of the cycles of the last part. @pre its CycleSteps::isTimed
  const std::vector<CycleTimes>& cycleTimes() const { return cycleTimes_; }
  /// Returns the times of all cycles of the last part. @pre there are several ranks
  const CycleTimes& partTimes() const { return partTimes_; }
  /// Returns the result of all parts, which is the same on all ranks.
  BatchResult result();

 private:
  /// First step of a pass.
  struct Position {
    std::int64_t step;
    std::int64_t swaps;  ///< swaps of the buffers before it: one for each pass

    /// Number of the buffers' round: 0 or 1.
    std::size_t round() const { return static_cast<std::size_t>(swaps % 2); }
  };
  /// Rounds of the transport. All but the last are the first of two: before even and odd passes.
  enum Round : std::size_t {
    stepRound = 0,   ///< ghost rows that a step reads, of components that the rule writes
    innerRound = 2,  ///< the same within this rank
    cycleRound = 4,  ///< ghost rows that a cycle reads, of components that the rule writes
    firstRound = 6,  ///< the same, and those of other components that are not fresh
    staleRound = 8,  ///< stale ghost rows that the first step reads
    rounds = 9,
  };

  void prepareTransport(int stepsPerExchange);
  void runCycles(const Worker& worker, const CycleSteps& cycle, std::int64_t firstStep,
                 PartEnd& end);
  std::optional<WorkerPass> passOf(const Worker& worker, const CycleSteps& cycle) const;
  bool runCycle(const Worker& worker, WorkerPass* pass, int stepsPerPass, int steps, Position& at,
                PartEnd& end);
  std::optional<std::size_t> roundBefore(const Position& at, int steps,
                                         std::int64_t otherDepth) const;
  void refresh(const Worker& worker, const Position& at, std::size_t round, bool isSent = false);
  template <class Work>
  void compute(const Worker& worker, const Position& at, const Work& work);
  void runStep(const Worker& worker, const Position& at);
  void runPass(const Worker& worker, WorkerPass& pass, const Position& at, int steps,
               std::int64_t margin);
  void deliver(const Worker& worker, const Position& at);
  RowRange rowsOf(const Worker& worker, std::int64_t margin) const;
  std::vector<char>& memoryOf(const Worker& worker) const;
  std::vector<Launch> launchesAt(const Position& at) const;
  bool sendsEarlyAt(const Position& at) const { return sendsEarly_ && at.step < lastStep_; }
  /// Returns the ghost rows that steps read. @param steps whole turns
  std::int64_t depthOf(int steps) const {
    return steps / static_cast<int>(turn_.size()) * turnReach_;
  }
  /// Returns the ghost rows that a cycle reads.
  std::int64_t cycleDepth() const { return depthOf(stepsPerExchange_); }

  const PlaceFields* fields_;
  Turn turn_;
  std::int64_t turnReach_;  // ghost rows that a turn reads
  const BitRule* bitRule_;
  const StepBatch* batch_;
  HaloTransport* transport_;
  // Halos are refreshed only for rules that exchange: stale components before step 0, written ones
  // before each later step. Scatter and AA rules write into rows of other devices themselves.
  bool exchangesLater_;
  bool isAlone_;  // there is one rank
  // Rows that other ranks read are computed first, and sent while the others are computed.
  bool sendsEarly_;
  std::vector<LaunchPair> launchPairs_;  // by rule and local device
  std::optional<ScatterExchange> scatter_;
  std::vector<std::vector<char>>* passMemory_;
  int stepsPerExchange_ = 0;     // steps for which the transport is prepared
  std::int64_t otherDepth_ = 0;  // fresh ghost rows of components that the rule does not write
  std::int64_t swaps_ = 0;       // swaps by completed passes
  bool isSent_ = false;          // the ghost rows of the next step are on their way
  std::int64_t lastStep_ = 0;    // step after which no ghost rows are sent early
  double computeSeconds_ = 0;    // of the current cycle
  CycleTimes partTimes_;
  std::vector<CycleTimes> cycleTimes_;
  std::optional<FirstFailure> failure_;
  std::uint64_t overflowedWords_ = 0, lost_ = 0;
};

}  // namespace mass::detail
