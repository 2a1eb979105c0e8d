#pragma once

#include <cstddef>
#include <vector>

namespace mass::detail {

/// Queue with two ends in memory that grows and is reused.
template <class T>
class RingBuffer {
 public:
  bool empty() const { return begin_ == end_; }
  std::size_t size() const { return end_ - begin_; }
  T& front() { return at(begin_); }
  T& back() { return at(end_ - 1); }
  void push(const T& value) {
    if (size() == memory_.size()) grow();
    at(end_++) = value;
  }
  void popFront(std::size_t count = 1) { begin_ += count; }
  void popBack(std::size_t count = 1) { end_ -= count; }
  /// Returns the element `distance` before the end; 1: the last one.
  T& fromBack(std::size_t distance) { return at(end_ - distance); }
  std::size_t bytes() const { return memory_.capacity() * sizeof(T); }

 private:
  T& at(std::size_t index) { return memory_[index & (memory_.size() - 1)]; }
  void grow() {
    std::vector<T> larger(memory_.empty() ? 16 : 2 * memory_.size());
    for (std::size_t i = begin_; i != end_; ++i) larger[i & (larger.size() - 1)] = at(i);
    memory_.swap(larger);
  }

  std::size_t begin_ = 0, end_ = 0;  // modulo the size of the memory, a power of 2
  std::vector<T> memory_;
};

}  // namespace mass::detail
