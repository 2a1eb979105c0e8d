#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/dispatch/exchange_tuner.hpp>
#include <mass/dispatch/executor.hpp>
#include <mass/dispatch/first_failure.hpp>
#include <mass/dispatch/pass_memory.hpp>
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
  int perPass = 1;  ///< steps of a pass: whole turns, or 1
  /// Steps of a cycle: whole turns, or 1; `perPass` if there is one group of devices (groupOf()).
  int perExchange = 1;
  bool isTimed = false;  ///< measures each cycle
};

/// Steps of a batch on the CPU threads of this rank.
class CpuBatch {
 public:
  /// @param bitRule makes passes on bits; null: kernels make the steps
  /// @param passMemory memory of each worker for passes of several steps
  CpuBatch(const PlaceFields& fields, Turn turn, const BitRule* bitRule, const StepBatch& batch,
           HaloTransport& transport, std::vector<PassMemory>& passMemory);

  /// Runs the steps that `plan` allows, from `firstStep` of the batch on; whole turns.
  /// @return number of steps; 0 after a failure
  std::int64_t runPart(const ThreadPlan& plan, const CycleSteps& cycle, std::int64_t firstStep);
  /// Returns the times of the cycles of the last part. @pre its CycleSteps::isTimed
  const std::vector<CycleTimes>& cycleTimes() const { return cycleTimes_; }
  /// Returns the times of all cycles of the last part. @pre there are several groups of devices
  const CycleTimes& partTimes() const { return partTimes_; }
  /// Returns the bytes that devices of this rank have sent to other devices in the last part.
  double partBytes() const { return partBytes_; }
  /// Returns the result of all parts, which is the same on all ranks.
  BatchResult result();

 private:
  /// First step of a pass.
  struct Position {
    std::int64_t step;
    std::int64_t passes;  ///< passes before it since the buffers were prepared
  };
  /// Numbers of the front buffers by component.
  using Fronts = std::vector<int>;
  /// Rounds of the transport, one for each state of the buffers; the last round is a single one.
  enum Round : std::size_t {
    stepRound,   ///< ghosts that a rule reads, written since the last rule that reads any
    innerRound,  ///< stepRound within each group of devices
    cycleRound,  ///< ghosts that a cycle reads, of components that the rules write
    firstRound,  ///< cycleRound, and other components that are not fresh
    staleRound,  ///< stale ghosts that the first step after prepare() reads
  };

  void prepare(const CycleSteps& cycle, std::int64_t firstStep);
  void prepareTransport();
  double bytesSent(const std::vector<HaloMessage>& messages) const;
  std::size_t stateAt(const Position& at) const;
  std::size_t roundOf(Round round, const Position& at) const {
    return round * fronts_.size() + (round == staleRound ? 0 : stateAt(at));
  }
  const Kernel& ruleAt(std::int64_t step) const {
    return turn_[static_cast<std::size_t>(step) % turn_.size()];
  }
  std::vector<int> writtenBefore(std::size_t rule) const;
  std::vector<int> staleBefore(std::int64_t depth) const;
  std::vector<GhostField> ghostsAt(std::size_t state, const std::vector<int>& components) const;

  void runCycles(const Worker& worker, const CycleSteps& cycle, std::int64_t firstStep,
                 PartEnd& end);
  std::optional<WorkerPass> passOf(const Worker& worker, const CycleSteps& cycle) const;
  bool takesSingleSteps(const WorkerPass* pass) const;
  bool runCycle(const Worker& worker, WorkerPass* pass, int steps, Position& at, PartEnd& end);
  std::optional<std::size_t> roundBefore(const Position& at, int steps,
                                         std::int64_t otherDepth) const;
  void refresh(const Worker& worker, const Position& at, std::size_t round, bool isSent = false);
  void send(const Worker& worker, std::size_t round);
  template <class Work>
  void measure(const Worker& worker, double ExchangeTimes::*times, const Work& work);
  template <class Work>
  void compute(const Worker& worker, const Position& at, const Work& work);
  void runStep(const Worker& worker, const Position& at);
  void runAndSend(const Worker& worker, const Position& at, const Launch& launch);
  KernelFunction functionAt(const Position& at) const {
    return ruleAt(at.step).functionIn((at.step % 2 == 1) != fields_->isSwapped());
  }
  void runPass(const Worker& worker, WorkerPass& pass, const Position& at, int steps,
               std::int64_t margin);
  void deliver(const Worker& worker, const Position& at);
  RowRange rowsOf(const Worker& worker, std::int64_t margin) const;
  PassMemory& memoryOf(const Worker& worker) const;
  /// Returns a launch of a pass. @param number number of the rule and, within it, of the device
  Launch launchAt(const Position& at, std::size_t number) const {
    return launchPairs_[number].at(at.step, stateAt(at) >= fronts_.size() / 2 ? 1 : 0);
  }
  std::vector<Launch> launchesAt(const Position& at, std::size_t firstRule,
                                 std::size_t rules) const;
  /// True if the ghost rows for the step after this one are sent before this one ends.
  bool sendsEarlyAt(const Position& at) const {
    return sendsEarly_ && (refreshesAtEnd_ || at.step < lastStep_) &&
           ruleAt(at.step + 1).readsNeighbors &&
           !(fields_->areBlocks() && ruleAt(at.step).readsPopulations);  // see onPart()
  }
  /// True if each pass makes whole turns.
  bool hasWholeTurns() const { return turn_.size() == 1 || cycle_.perPass > 1; }
  std::int64_t reachOfSteps(std::int64_t first, std::int64_t end) const;
  /// Returns the ghost rows that a cycle reads.
  std::int64_t cycleDepth() const { return reachOfSteps(0, cycle_.perExchange); }

  const PlaceFields* fields_;
  Turn turn_;
  const BitRule* bitRule_;
  const StepBatch* batch_;
  HaloTransport* transport_;
  // Halos are refreshed only for rules that exchange: stale components before step 0, written ones
  // before each later step. Scatter and AA rules write into rows of other devices themselves.
  bool exchangesLater_;
  bool isAlone_;  // there is one group of devices
  // Places that other ranks read are computed first, and sent while the others are computed.
  bool sendsEarly_;
  bool refreshesAtEnd_;       // ghost rows are fresh after the batch, as on GPUs of other ranks
  std::vector<int> written_;  // components that the rules write, but Kernel::inPlace
  std::optional<ScatterExchange> scatter_;
  std::vector<PassMemory>* passMemory_;
  CycleSteps cycle_{0, 0};         // cycles for which buffers and rounds are prepared
  std::int64_t preparedStep_ = 0;  // first step of these
  // By state: before each step of two turns, or before even and odd passes of whole turns.
  std::vector<Fronts> fronts_;
  std::vector<LaunchPair> launchPairs_;  // by rule and local device
  std::int64_t otherDepth_ = 0;  // fresh ghost rows of components that the rules do not write
  std::int64_t passes_ = 0;      // completed passes since preparedStep_
  Fronts current_;               // front buffers after the last part
  bool isSent_ = false;          // the ghost rows of the next step are on their way
  std::int64_t lastStep_ = 0;    // step after which no ghost rows are sent early
  double computeSeconds_ = 0;    // compute time of the current cycle
  double moveSeconds_ = 0;       // CycleTimes::move of the current cycle
  CycleTimes partTimes_;
  double partBytes_ = 0;
  std::vector<double> roundBytes_;  // bytesSent() by round
  std::vector<CycleTimes> cycleTimes_;
  std::optional<FirstFailure> failure_;
  std::uint64_t overflowedWords_ = 0, lost_ = 0;
};

}  // namespace mass::detail
