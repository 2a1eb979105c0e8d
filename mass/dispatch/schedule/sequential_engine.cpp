#include <mass/dispatch/schedule/sequential_engine.hpp>

#include <algorithm>
#include <cstring>

namespace mass::detail {

SequentialEngine::SequentialEngine(const ScheduleKernel& kernel) : eventBytes_(kernel.eventBytes) {
  counts_.of.resize(kernel.names.size());
}

void SequentialEngine::insert(const ScheduledEvent& event) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(memory_.size() / eventBytes_));
    memory_.resize(memory_.size() + eventBytes_);
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  std::memcpy(memory_.data() + number * eventBytes_, &event, eventBytes_);
  heap_.push_back(number);
  std::push_heap(heap_.begin(), heap_.end(),
                 [&](std::uint32_t a, std::uint32_t b) { return isBefore(at(b), at(a)); });
}

/// Removes the first event from the heap.
std::uint32_t SequentialEngine::takeFirst() {
  std::pop_heap(heap_.begin(), heap_.end(),
                [&](std::uint32_t a, std::uint32_t b) { return isBefore(at(b), at(a)); });
  const std::uint32_t number = heap_.back();
  heap_.pop_back();
  return number;
}

void SequentialEngine::run(const ScheduleRun& run) {
  ScheduledEvents added(eventBytes_);
  while (!heap_.empty() && at(heap_.front()).time < run.end) {
    const std::uint32_t number = takeFirst();
    free_.push_back(number);
    if (cancelled_.take(at(number))) continue;
    added.clear();
    execute(run, at(number), added);
    ++counts_.executed;
    counts_.commit(at(number));
    for (const EventHandle& each : added.cancelled()) cancelled_.add(each);
    for (std::size_t i = 0; i < added.size(); ++i) insert(added[i]);
  }
  cancelled_.forgetBefore(run.end);
}

}  // namespace mass::detail
