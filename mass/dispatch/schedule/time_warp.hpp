#pragma once

#include <mass/dispatch/schedule/rank_gateway.hpp>
#include <mass/dispatch/schedule/schedule_engine.hpp>
#include <mass/dispatch/schedule/sequential_engine.hpp>
#include <mass/dispatch/schedule/warp_worker.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace mass::detail {

/// Executes scheduled events on all threads of all ranks by optimistic synchronisation (Jefferson,
/// "Virtual time", ACM TOPLAS 7, 1985). A worker executes events of its own places.
class TimeWarp : public ScheduleEngine {
 public:
  /// All ranks call it together. @param devices must outlive this
  TimeWarp(const ScheduleKernel& kernel, std::int64_t places, const DeviceConfig& devices);

  void insert(const ScheduledEvent& event) override;
  void cancel(const EventHandle& event) override;
  void run(const ScheduleRun& run) override;
  bool movesBlocks() const override { return map_.workers() > map_.ranks(); }
  ScheduleCounts counts() const override;
  void forEachPending(const std::function<void(const ScheduledEvent&)>& f) const override;
  std::size_t bytes() const override;

 private:
  void runPart(const ScheduleRun& run);
  void balance(const ScheduleRun& run);
  void moveEvents(const ScheduleRun& run);
  bool runTogether(const ScheduleRun& run);
  void exchangeAll();
  void fallBack(const ScheduleRun& run);
  void runInOrder(const ScheduleRun& run);
  std::size_t usedBytes() const;
  void requireMemory(const ScheduleRun& run) const;
  bool isFirst() const { return map_.rank == 0; }

  Ranks* ranks_;
  std::int64_t places_;
  BlockMap map_;
  std::vector<std::int64_t> firstPlaces_;  // by rank
  MessageRings rings_;
  std::unique_ptr<RankGateway> gateway_;              // null for one rank
  std::vector<std::unique_ptr<WarpWorker>> workers_;  // on this rank
  /// Has the events of all ranks, on each of them, once a rule has failed.
  std::unique_ptr<SequentialEngine> inOrder_;
  std::vector<double> work_;  // events of each block since the last balance(), of all ranks
  bool hasRun_ = false;
};

}  // namespace mass::detail
