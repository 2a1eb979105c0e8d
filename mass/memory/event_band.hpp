#pragma once

#include <mass/memory/event_view.hpp>
#include <mass/memory/place_set.hpp>
#include <mass/support/export.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mass {
namespace detail {

/// Array whose elements are appended and kept until clear().
template <class T>
class Arena {
 public:
  /// Removes all elements; keeps the memory.
  void clear() { used_ = 0; }
  /// Returns the number of elements.
  std::size_t size() const { return used_; }
  /// Returns the number of bytes allocated.
  std::size_t bytes() const { return memory_.capacity() * sizeof(T); }
  T* data() { return memory_.data(); }
  const T* data() const { return memory_.data(); }
  /// Provides memory for `count` elements after the last one. Invalidates addresses.
  void reserve(std::size_t count) {
    const std::size_t needed = used_ + count;
    if (needed <= memory_.size()) return;
    memory_.reserve(needed + needed / 16);  // resize() alone would double the capacity
    memory_.resize(memory_.capacity());
  }
  /// Returns the number of elements for which there is memory after the last one.
  std::size_t spare() const { return memory_.size() - used_; }
  /// Returns the address after the last element.
  T* end() { return memory_.data() + used_; }
  /// Counts `count` elements after the last one as appended.
  void extend(std::size_t count) { used_ += count; }

 private:
  std::vector<T> memory_;
  std::size_t used_ = 0;
};

/// Memory for short arrays, whose addresses stay valid until clear().
template <class T>
class BlockArena {
 public:
  /// Elements after an array that may be read.
  static constexpr std::size_t spare = 8;

  /// Frees all arrays; keeps the memory.
  void clear() { block_ = used_ = 0; }
  /// Returns the address of an array of `count` elements.
  T* allocate(std::size_t count) {
    while (block_ < blocks_.size() && used_ + count + spare > blocks_[block_].size()) {
      ++block_;
      used_ = 0;
    }
    if (block_ == blocks_.size()) blocks_.emplace_back(std::max(blockSize, count + spare));
    T* const array = blocks_[block_].data() + used_;
    used_ += count;
    return array;
  }
  /// Returns the number of bytes allocated.
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& block : blocks_) sum += block.size() * sizeof(T);
    return sum;
  }

 private:
  static constexpr std::size_t blockSize = 1 << 14;

  std::vector<std::vector<T>> blocks_;  // moved when one is added, but not their elements
  std::size_t block_ = 0, used_ = 0;
};

}  // namespace detail

/// Counts of the work of Places::runEvents.
struct MASS_EXPORT EventCounts {
  std::int64_t events = 0;        ///< events that have happened, hops among them
  std::int64_t candidates = 0;    ///< candidates at the starts of windows
  std::int64_t strips = 0;        ///< strips that were drawn, in all executions
  std::int64_t manyStrips = 0;    ///< executions of a place that drew more than 16 strips
  std::int64_t executions = 0;    ///< executions of a place
  std::int64_t byArrivals = 0;    ///< executions repeated because more particles arrived
  std::int64_t byChanges = 0;     ///< executions repeated because what had arrived was different
  std::int64_t friendly = 0;      ///< repeated ones that left the place's departures as they were
  std::int64_t placeWindows = 0;  ///< places times windows
  std::int64_t windows = 0;       ///< windows times workers
  std::int64_t rounds = 0;        ///< passes over marked places; of scheduled events, windows, or
                                  ///< computations of the global virtual time
  std::int64_t exchanged = 0;     ///< departure lists received from other workers and ranks, or
                                  ///< scheduled events sent to other workers
  std::int64_t undone = 0;        ///< executions of scheduled events that were rolled back
  std::int64_t stragglers = 0;    ///< roll-backs because an event arrived too late
  std::int64_t cancelled = 0;     ///< roll-backs because an executed event was cancelled
  std::uint64_t hash = 0;         ///< sum of the hashes of the events that have happened
  double drawing = 0;   ///< seconds in which workers drew candidates, summed over the workers
  double settling = 0;  ///< seconds in which they executed places, likewise
  double waiting = 0;   ///< seconds in which they waited for each other and for other ranks

  /// Adds the counts of other work.
  EventCounts& operator+=(const EventCounts& more);
};

namespace detail {

/// Places of one worker under the clock of events: a stretch of consecutive global numbers, and the
/// departures of adjacent places of other workers (ghosts).
struct alignas(128) MASS_EXPORT EventBand {
  std::uint32_t firstPlace = 0;
  std::int32_t places = 0;
  int directions = 0;
  HopParts parts;
  /// Local numbers of the adjacent places by local number + ghostsBelow, and direction; noPlace:
  /// there is none, or it is no own place, of a ghost.
  std::vector<std::int32_t> neighbors;
  std::vector<std::uint32_t> ghostNumbers;  ///< global numbers of the ghosts, ascending
  std::int32_t ghostsBelow = 0;             ///< ghosts before the own places; the others are after
  /// Ghosts of another worker of this rank: [begin, end) of `ghostNumbers`.
  struct Source {
    std::size_t band;  ///< number of its band
    std::size_t begin, end;
  };
  std::vector<Source> sources;
  static constexpr std::uint8_t onBorder = 1;         ///< ghost of another worker
  static constexpr std::uint8_t changedOnBorder = 2;  ///< ghost of another worker, in `changed`
  std::vector<std::uint8_t> borders;                  ///< by own place; 0: inside

  std::size_t placeBytes = 0;
  std::vector<std::byte> start, end;  ///< states at the start and the end of the window
  Arena<EventCandidate> candidates;
  std::vector<ListRange> candidateLists;
  BlockArena<Departure> departures;           ///< lists of own places, and of other ranks
  std::vector<DepartureList> departureLists;  ///< by local number + ghostsBelow
  std::vector<std::uint32_t> capacities;      ///< by own place: departures with memory in its list
  std::vector<std::uint32_t> happened;        ///< by own place and event channel
  std::vector<std::uint64_t> hashes;          ///< by own place: sum of EventCandidate::hash()
  std::vector<std::int64_t> eventsOf;         ///< sums over all windows by channel, hops first

  static constexpr std::uint8_t markedByArrivals = 1;  ///< more particles arrive
  static constexpr std::uint8_t markedByChanges = 2;   ///< others arrive
  std::vector<std::uint8_t> isMarked;                  ///< by own place: 0 if it is not in `marked`
  std::vector<std::int32_t> marked;                    ///< places to be executed anew
  std::vector<std::int32_t> changed;                   ///< border places whose departures changed
  std::vector<EventFault> faults;                      ///< by own place: that of its last execution
  /// Own places that a window draws and executes. In the others nothing can happen: all rates are 0
  /// there, nothing arrives, and their states at the start and the end of the window are the same.
  PlaceSet busy;
  bool isFaulty = false;  ///< an execution of this window failed

  /// Memory for the execution of a place, see EventScratch.
  std::vector<std::uint64_t> keyMemory = std::vector<std::uint64_t>(512);
  std::vector<std::uint32_t> tickMemory = std::vector<std::uint32_t>(256);
  std::vector<Departure> departureMemory = std::vector<Departure>(256);
  std::vector<Departure> groupedMemory = std::vector<Departure>(256);
  std::vector<std::uint8_t> partMemory = std::vector<std::uint8_t>(256);
  std::vector<EventCandidate> stripMemory = std::vector<EventCandidate>(128);
  EventCounts counts;

  /// Allocates the lists of its places and ghosts.
  void allocate(std::int32_t count, std::int32_t ghosts, std::size_t bytesOfPlace, int hops,
                int events);
  /// Returns the departures of a place by its local number, and the number for which it has memory.
  DepartureList& listOf(std::int32_t place) {
    return departureLists[static_cast<std::size_t>(std::int64_t{place} + ghostsBelow)];
  }
  /// Returns the number of event channels, of which `happened` has an element for each place.
  std::size_t eventsOfPlace() const {
    return places == 0 ? 0 : happened.size() / static_cast<std::size_t>(places);
  }
  std::uint32_t& capacityOf(std::int32_t place) {
    return capacities[static_cast<std::size_t>(place)];
  }
  /// Returns the local number of a ghost.
  std::int32_t placeOfGhost(std::size_t ghost) const {
    const auto number = static_cast<std::int32_t>(ghost) - ghostsBelow;
    return number < 0 ? number : number + places;
  }
  /// True for the local number of an own place.
  bool isOwn(std::int32_t place) const { return 0 <= place && place < places; }
  /// Returns the adjacent places of a place or ghost by direction, see `neighbors`.
  std::span<const std::int32_t> neighborsOf(std::int32_t place) const {
    const auto number = static_cast<std::size_t>(std::int64_t{place} + ghostsBelow);
    const auto count = static_cast<std::size_t>(directions);
    return std::span(neighbors).subspan(number * count, count);
  }
  /// Calls f(place) for the own places adjacent to a ghost.
  template <class F>
  void forEachOwnBeside(std::size_t ghost, F&& f) const {
    for (const std::int32_t place : neighborsOf(placeOfGhost(ghost)))
      if (isOwn(place)) f(place);
  }
  /// Marks an own place. Does nothing for others. @param reason markedBy...
  void mark(std::int32_t place, std::uint8_t reason) {
    if (!isOwn(place)) return;
    std::uint8_t& former = isMarked[static_cast<std::size_t>(place)];
    if (former == 0) marked.push_back(place);
    busy.insert(place);
    former = std::max(former, reason);
  }
  /// Removes the lists of the last window.
  void beginWindow();
  /// Makes an own place that was drawn one in which nothing can happen.
  void rest(std::int32_t place);
  /// Makes the own places busy that receive drawn departures of others.
  void wakeReceivers();
  /// Makes the states at the end of a window those of its start, and counts its events.
  /// @param window number of the window
  void finishWindow(std::uint64_t window);
  /// Records the result of the last execution of a place.
  void noteFault(std::int32_t place, EventFault fault) {
    faults[static_cast<std::size_t>(place)] = fault;
    isFaulty = isFaulty || fault != EventFault::none;
  }
  /// Records that the departures of a place changed, if another worker has it as a ghost.
  void noteChange(std::int32_t place) {
    std::uint8_t& border = borders[static_cast<std::size_t>(place)];
    if (border != onBorder) return;
    border = changedOnBorder;
    changed.push_back(place);
  }
  /// Empties `changed`.
  void clearChanges() {
    for (const std::int32_t place : changed) borders[static_cast<std::size_t>(place)] = onBorder;
    changed.clear();
  }
  /// Replaces the departures of an own place. Marks the own places that receive different ones. The
  /// memory of the former ones does not change if other workers read it.
  /// @return true if they differ from the former ones
  bool replaceDepartures(std::int32_t place, const DepartureList& list);
  /// Makes the departures of a ghost those of its worker, whose memory it shares.
  void expect(std::size_t ghost, const DepartureList& list) {
    listOf(placeOfGhost(ghost)) = list;
    if (list.count() > 0) forEachOwnBeside(ghost, [&](std::int32_t place) { busy.insert(place); });
    ++counts.exchanged;
  }
  /// Likewise; marks the own places that receive different ones.
  void receive(std::size_t ghost, const DepartureList& list) {
    markReceivers(placeOfGhost(ghost), list);
    expect(ghost, list);
  }
  /// Returns a list with the same departures in memory of this band.
  DepartureList copyOf(const DepartureList& list);
  /// Returns the ghost with a global number in [first, last) of `ghostNumbers`, if there is one.
  std::optional<std::size_t> findGhost(std::uint32_t place, std::size_t first,
                                       std::size_t last) const;
  std::optional<std::size_t> findGhost(std::uint32_t place) const {
    return findGhost(place, 0, ghostNumbers.size());
  }
  /// Sets `sources`. @param bands bands of this rank
  void findSources(std::span<const EventBand> bands);
  /// Returns the number of bytes allocated.
  std::size_t bytes() const;

 private:
  void markReceivers(std::int32_t place, const DepartureList& list);

  Departure* none_ = nullptr;  // begin of empty lists; two elements that are not written
};

/// Returns the band that has a place by its global number.
/// @param bands bands of consecutive places, in their order; one has the place
EventBand& ownerOf(std::span<EventBand> bands, std::uint32_t place);

}  // namespace detail
}  // namespace mass
