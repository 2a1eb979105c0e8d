#pragma once

#include <mass/dispatch/schedule/cancelled_events.hpp>
#include <mass/dispatch/schedule/schedule_engine.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace mass::detail {

/// Executes scheduled events one after the other from one binary heap: the reference of results.
class SequentialEngine : public ScheduleEngine {
 public:
  explicit SequentialEngine(const ScheduleKernel& kernel);

  void insert(const ScheduledEvent& event) override;
  void cancel(const EventHandle& event) override { cancelled_.add(event); }
  void run(const ScheduleRun& run) override;
  ScheduleCounts counts() const override { return counts_; }
  void forEachPending(const std::function<void(const ScheduledEvent&)>& f) const override {
    for (const std::uint32_t event : heap_)
      if (!cancelled_.contains(at(event))) f(at(event));
  }
  std::size_t bytes() const override {
    return memory_.capacity() + cancelled_.bytes() +
           (heap_.capacity() + free_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  const ScheduledEvent& at(std::uint32_t event) const {
    return *reinterpret_cast<const ScheduledEvent*>(memory_.data() + event * eventBytes_);
  }
  std::uint32_t takeFirst();

  std::size_t eventBytes_;
  std::vector<std::byte> memory_;
  std::vector<std::uint32_t> heap_, free_;
  CancelledEvents cancelled_;
  ScheduleCounts counts_;
};

}  // namespace mass::detail
