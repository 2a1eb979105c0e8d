#pragma once

#include <mass/dispatch/schedule/ring_buffer.hpp>
#include <mass/dispatch/schedule/schedule_engine.hpp>

#include <algorithm>
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
    double time = 0;
    std::uint64_t hash = 0;
    std::uint32_t event = 0;  ///< number in the pool
    std::uint32_t rule = 0;
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

  /// Saves the state of the place of the next event, before its execution.
  void save(const std::uint64_t* state, std::size_t words) {
    if (words > mostWhole) {
      before_.assign(state, state + words);
    } else {
      for (std::size_t i = 0; i < words; ++i) words_.push(state[i]);
    }
  }
  /// Restores that state, of an event that failed.
  void restore(std::uint64_t* state, std::size_t words) {
    if (words > mostWhole) {
      std::copy(before_.begin(), before_.end(), state);
    } else {
      popState(state, words);
    }
  }
  /// Appends the executed event. @param state that of its place now
  void add(const ScheduledEvent& event, std::uint32_t number, const std::uint64_t* state,
           std::size_t words) {
    std::size_t saved = words;
    if (words > mostWhole) {
      saved = 0;
      for (std::size_t i = 0; i < words; ++i) {
        if (before_[i] == state[i]) continue;
        words_.push(i);
        words_.push(before_[i]);
        saved += 2;
      }
    }
    records_.push({event.time, ScheduleCounts::hashOf(event), number, event.rule,
                   static_cast<std::uint32_t>(saved), 0});
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
      words_.popBack(record.saved);
    } else {
      popState(state, words);
    }
    records_.popBack();
  }
  /// Removes the first record.
  void forgetFirst() {
    words_.popFront(std::size_t{first().saved} + first().sent);
    records_.popFront();
  }
  std::size_t bytes() const { return records_.bytes() + words_.bytes(); }

 private:
  void popState(std::uint64_t* state, std::size_t words) {
    for (std::size_t i = 0; i < words; ++i) state[i] = words_.fromBack(words - i);
    words_.popBack(words);
  }

  RingBuffer<Record> records_;
  RingBuffer<std::uint64_t> words_;
  std::vector<std::uint64_t> before_;  // state before the present event
};

}  // namespace mass::detail
