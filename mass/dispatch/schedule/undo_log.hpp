#pragma once

#include <mass/dispatch/schedule/ring_buffer.hpp>
#include <mass/dispatch/schedule/schedule_engine.hpp>

#include <algorithm>
#include <array>
#include <bit>
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
    std::uint32_t event = 0;           ///< number in the pool
    std::uint32_t rule : 8 = 0;        ///< number of the rule
    std::uint32_t isSkipped : 1 = 0;   ///< 1: the event was cancelled, so nothing was executed
    std::uint32_t isInverse : 1 = 0;   ///< 1: an inverse undoes it; the counts are saved
    std::uint32_t arePairs : 1 = 0;    ///< 1: the saved words are indices and values in turn
    std::uint32_t cancelled : 21 = 0;  ///< events that it has cancelled
    std::uint32_t saved = 0;           ///< words of the former state
    std::uint32_t sent = 0;            ///< events sent to other workers
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
  /// Appends the executed event. @param state that of its place now @param words number that save()
  /// had
  void add(const ScheduledEvent& event, std::uint32_t number, const std::uint64_t* state,
           std::size_t words, bool isInverse) {
    const bool arePairs = words > mostWhole;
    const std::size_t saved = arePairs ? saveChanges(state, words) : words;
    records_.push({.time = event.time,
                   .hash = ScheduleCounts::hashOf(event),
                   .event = number,
                   .rule = event.rule,
                   .isInverse = isInverse ? 1U : 0U,
                   .arePairs = arePairs ? 1U : 0U,
                   .saved = static_cast<std::uint32_t>(saved)});
  }
  /// Appends an event that was cancelled before.
  void addSkipped(const ScheduledEvent& event, std::uint32_t number) {
    records_.push({.time = event.time, .event = number, .rule = event.rule, .isSkipped = 1});
  }
  /// Records that the last event has cancelled another one. @pre it has sent none
  void addCancelled(const EventHandle& event) {
    for (const std::uint64_t word : std::bit_cast<HandleWords>(event)) words_.push(word);
    last().cancelled = (last().cancelled + 1) & 0x1fffffU;
  }
  /// Records that the last event has sent one to another worker.
  void addSent(std::uint32_t worker) {
    words_.push(worker);
    ++last().sent;
  }
  /// Removes the last record, and restores the saved state of its place.
  /// @param sentTo is called with each worker to which it has sent an event
  /// @param uncancel is called with each event that it has cancelled
  template <class F, class G>
  void undoLast(std::uint64_t* state, F&& sentTo, G&& uncancel) {
    const Record record = last();
    for (std::size_t i = 1; i <= record.sent; ++i)
      sentTo(static_cast<std::uint32_t>(words_.fromBack(i)));
    words_.popBack(record.sent);
    for (std::uint32_t i = 0; i < record.cancelled; ++i) {
      HandleWords handle{};
      for (std::size_t k = 0; k < handle.size(); ++k)
        handle[k] = words_.fromBack(handle.size() - k);
      uncancel(std::bit_cast<EventHandle>(handle));
      words_.popBack(handle.size());
    }
    if (record.arePairs != 0) {
      for (std::size_t i = 1; i <= record.saved; i += 2)
        state[words_.fromBack(i + 1)] = words_.fromBack(i);
      words_.popBack(record.saved);
    } else {
      popState(state, record.saved);
    }
    records_.popBack();
  }
  /// Removes the first record.
  void forgetFirst() {
    const Record& record = first();
    words_.popFront(record.saved + record.sent + record.cancelled * handleWords);
    records_.popFront();
  }
  /// Returns the bytes of the records and of the states.
  std::size_t usedBytes() const {
    return records_.size() * sizeof(Record) + words_.size() * sizeof(std::uint64_t);
  }
  std::size_t bytes() const { return records_.bytes() + words_.bytes(); }

 private:
  static constexpr std::size_t handleWords = sizeof(EventHandle) / sizeof(std::uint64_t);
  using HandleWords = std::array<std::uint64_t, handleWords>;

  /// Saves the words that differ from the state before the event. @return number of saved words
  std::size_t saveChanges(const std::uint64_t* state, std::size_t words) {
    constexpr std::size_t together = 16;
    std::size_t saved = 0;
    for (std::size_t first = 0; first < words; first += together) {
      const std::size_t end = std::min(first + together, words);
      if (std::memcmp(&before_[first], state + first, (end - first) * sizeof(*state)) == 0)
        continue;
      for (std::size_t i = first; i < end; ++i) {
        if (before_[i] == state[i]) continue;
        words_.push(i);
        words_.push(before_[i]);
        saved += 2;
      }
    }
    return saved;
  }
  void popState(std::uint64_t* state, std::size_t words) {
    for (std::size_t i = 0; i < words; ++i) state[i] = words_.fromBack(words - i);
    words_.popBack(words);
  }

  RingBuffer<Record> records_;
  RingBuffer<std::uint64_t> words_;
  std::vector<std::uint64_t> before_;  // state before the present event
};

}  // namespace mass::detail
