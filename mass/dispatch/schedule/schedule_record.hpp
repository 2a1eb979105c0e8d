#pragma once

#include <mass/launch/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mass::detail {

/// State of scheduled events between two calls of runEvents, as in a checkpoint. The same for any
/// number of threads and ranks.
struct ScheduleRecord {
  double now = 0;               ///< s since the start
  std::uint32_t scheduled = 0;  ///< events that the program has scheduled
  std::uint64_t hash = 0;       ///< sum over the events that have happened
  std::uint64_t pending = 0;    ///< number of `events`
  /// End of the call of runEvents that was interrupted and will be continued, in s since the start.
  std::optional<double> callEnd;
  std::vector<PlaceCounts> counts;  ///< by place
  /// Pending events in the order of isBefore(), each of ScheduleKernel::eventBytes with its
  /// arguments. On other ranks than the first one, empty.
  std::vector<std::byte> events;
};

}  // namespace mass::detail
