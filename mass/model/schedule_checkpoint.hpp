#pragma once

#include <mass/io/checkpoint_file.hpp>
#include <mass/model/engine.hpp>
#include <mass/model/rank_checkpoint.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace mass::detail {

// Scheduled events in checkpoints: the time, the pending events and the counts of places. All ranks
// call these functions together.

/// Scheduled events of all places, to be written.
class ScheduleCheckpoint {
 public:
  /// @throws UsageError if a scheduled rule has failed
  explicit ScheduleCheckpoint(const std::vector<std::shared_ptr<PlacesState>>& all);

  /// Adds the time, the numbers of events and the names of rules to a header.
  void addTo(CheckpointHeader& header) const;
  /// Writes the arrays of scheduleArrays().
  void write(RankCheckpointWriter& file) const;

 private:
  struct Item {
    const PlacesState* places;
    ScheduleRecord record;
  };
  std::vector<Item> items_;  // places whose events have been scheduled
};

/// Returns the arrays of scheduled events of these places in a checkpoint with this header; none if
/// the events of the class are not scheduled.
/// @throws CheckpointError if the checkpoint has none, or the class has other scheduled rules than
/// the one that was written
std::vector<ArrayInfo> scheduleArrays(const PlacesState& places, const CheckpointHeader& header);

/// Replaces the scheduled events of these places by those of a checkpoint.
/// @throws CheckpointError on all ranks if they cannot be events of these places
void restoreSchedule(const RankCheckpoint& file, PlacesState& places);

}  // namespace mass::detail
