#include <mass/dispatch/schedule/event_queue.hpp>

#include <cmath>

namespace mass::detail {

namespace {
constexpr std::size_t eventsPerBucket = 32;
constexpr std::size_t mostBuckets = 1 << 16;
/// Events for which an empty bucket keeps memory. Events at few moments, such as signals that
/// change together, would else leave the memory of the fullest bucket in each.
constexpr std::size_t keptPerBucket = 8 * eventsPerBucket;
}  // namespace

/// Sorts the next bucket that has events. @return false if the queue is empty
bool EventQueue::refill() {
  sorted_.clear();
  next_ = 0;
  for (;;) {
    while (nextBucket_ < endBucket_) {
      auto& bucket = buckets_[static_cast<std::size_t>(nextBucket_)];
      ++nextBucket_;
      if (bucket.empty()) continue;
      sorted_.assign(bucket.begin(), bucket.end());
      bucket.clear();
      if (bucket.capacity() > keptPerBucket) bucket.shrink_to_fit();
      std::sort(sorted_.begin(), sorted_.end(),
                [&](const Entry& a, const Entry& b) { return After{pool_}(b, a); });
      return true;
    }
    if (far_.empty()) return false;
    divide();
  }
}

/// Divides `far_` into buckets. Half of the events are in the first half of the buckets.
void EventQueue::divide() {
  const std::size_t step = std::max<std::size_t>(1, far_.size() / 1024);
  double first = std::numeric_limits<double>::infinity(), last = 0;
  for (const Entry& entry : far_) {
    first = std::min(first, entry.time);
    last = std::max(last, entry.time);
  }
  sample_.clear();
  for (std::size_t i = 0; i < far_.size(); i += step) sample_.push_back(far_[i].time);
  const auto middle = sample_.begin() + static_cast<std::ptrdiff_t>(sample_.size() / 2);
  std::nth_element(sample_.begin(), middle, sample_.end());
  const std::size_t buckets =
      std::clamp<std::size_t>(far_.size() / eventsPerBucket, 1, mostBuckets);
  double length = 2 * (*middle - first);
  if (!(length > 0)) length = last - first;
  // The sum of the first time and a bucket is above it.
  length = std::max(length / static_cast<double>(buckets), std::max(1.0, first) * 1e-15);
  begin_ = first;
  perSecond_ = 1 / length;
  nextBucket_ = 0;
  endBucket_ = static_cast<double>(buckets);
  if (buckets_.size() < buckets) buckets_.resize(buckets);
  std::size_t left = 0;
  for (const Entry& entry : far_) {
    const double bucket = (entry.time - begin_) * perSecond_;
    if (bucket < endBucket_) {
      buckets_[static_cast<std::size_t>(bucket)].push_back(entry);
    } else {
      far_[left++] = entry;
    }
  }
  far_.resize(left);
}

std::size_t EventQueue::bytes() const {
  std::size_t entries = sorted_.capacity() + heap_.capacity() + far_.capacity();
  for (const auto& bucket : buckets_) entries += bucket.capacity();
  return entries * sizeof(Entry) + buckets_.size() * sizeof(std::vector<Entry>);
}

}  // namespace mass::detail
