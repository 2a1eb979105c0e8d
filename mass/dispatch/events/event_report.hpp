#pragma once

#include <mass/memory/event_band.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mass {

/// Work of Places::runEvents on all ranks since the start of the run.
struct EventReport {
  std::string places;                 ///< name of the Places
  std::int64_t size = 0;              ///< number of places
  bool isScheduled = false;           ///< true if they are executed as scheduled events
  std::int64_t pending = 0;           ///< scheduled events that have not happened
  EventCounts counts;                 ///< sums over all places
  std::vector<std::string> rules;     ///< names of the counts that hop and of the changes
  std::vector<std::int64_t> events;   ///< number of times that each rule has happened
  std::vector<EventCounts> ofDevice;  ///< counts and seconds by device, summed over its threads
  double windowSeconds = 0;           ///< length of the last window; 0: there was none
  double hopsInWindow = 0;            ///< expected hops of the fastest particle in it
  std::int64_t bytes = 0;             ///< memory of the engine besides the attributes
};

}  // namespace mass
