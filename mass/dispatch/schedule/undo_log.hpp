#pragma once

#include <mass/dispatch/schedule/ring_buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace mass::detail {

/// Executed events of a block in their order, with what rolls each back: the former state of its
/// place, and the workers to which it has sent events.
class UndoLog {
 public:
  /// Executed event.
  struct Record {
    std::uint32_t event = 0;  ///< number in the pool
    std::uint32_t saved = 0;  ///< words of the former state
    std::uint32_t sent = 0;   ///< events sent to other workers
  };

  /// Largest state that is saved whole, in words of 8 bytes. Of larger ones, the words that an
  /// event changes are saved.
  static constexpr std::size_t mostWhole = 8;

  bool empty() const { return records_.empty(); }
  std::size_t size() const { return records_.size(); }
  Record& first() { return records_.front(); }
  Record& last() { return records_.back(); }

  /// Appends an executed event. @param before, after state of its place before and now
  void add(std::uint32_t event, const std::uint64_t* before, const std::uint64_t* after,
           std::size_t words) {
    std::uint32_t saved = 0;
    for (std::size_t i = 0; i < words; ++i) {
      if (words > mostWhole) {
        if (before[i] == after[i]) continue;
        words_.push(i);
        ++saved;
      }
      words_.push(before[i]);
      ++saved;
    }
    records_.push({event, saved, 0});
  }
  /// Records that the last event has sent one to another worker.
  void addSent(std::uint32_t worker) {
    words_.push(worker);
    ++last().sent;
  }
  /// Removes the last record, and restores the state of its place.
  /// @param sentTo is called with each worker to which it has sent an event
  template <class F>
  void undoLast(std::uint64_t* state, std::size_t words, F&& sentTo) {
    const Record record = last();
    for (std::size_t i = 1; i <= record.sent; ++i)
      sentTo(static_cast<std::uint32_t>(words_.fromBack(i)));
    words_.popBack(record.sent);
    if (words > mostWhole) {
      for (std::size_t i = 1; i <= record.saved; i += 2)
        state[words_.fromBack(i + 1)] = words_.fromBack(i);
    } else {
      for (std::size_t i = 0; i < words; ++i) state[i] = words_.fromBack(words - i);
    }
    words_.popBack(record.saved);
    records_.popBack();
  }
  /// Removes the first record.
  void forgetFirst() {
    words_.popFront(std::size_t{first().saved} + first().sent);
    records_.popFront();
  }
  std::size_t bytes() const { return records_.bytes() + words_.bytes(); }

 private:
  RingBuffer<Record> records_;
  RingBuffer<std::uint64_t> words_;
};

}  // namespace mass::detail
