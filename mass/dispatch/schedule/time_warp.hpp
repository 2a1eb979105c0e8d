#pragma once

#include <mass/dispatch/schedule/schedule_engine.hpp>
#include <mass/dispatch/schedule/sequential_engine.hpp>
#include <mass/dispatch/schedule/warp_worker.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace mass::detail {

/// Executes scheduled events on all threads of a process by optimistic synchronisation (Jefferson,
/// "Virtual time", ACM TOPLAS 7, 1985).
class TimeWarp : public ScheduleEngine {
 public:
  TimeWarp(const ScheduleKernel& kernel, std::int64_t places, const DeviceConfig& devices);

  void insert(const ScheduledEvent& event) override;
  void run(const ScheduleRun& run) override;
  ScheduleCounts counts() const override;
  void forEachPending(const std::function<void(const ScheduledEvent&)>& f) const override;
  std::size_t bytes() const override;

 private:
  bool runTogether(const ScheduleRun& run);
  void exchangeAll();
  void fallBack(const ScheduleRun& run);

  BlockMap map_;
  std::vector<std::unique_ptr<MessageRing>> rings_;  // by sender, then receiver; null: the same
  std::vector<std::unique_ptr<WarpWorker>> workers_;
  std::unique_ptr<SequentialEngine> inOrder_;  // has all events once a rule has failed
};

}  // namespace mass::detail
