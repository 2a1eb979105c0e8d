#pragma once

#include <mass/dispatch/executor.hpp>
#include <mass/launch/bool_table.hpp>

#include <optional>

namespace mass::detail {

/// Returns the table of the rule of a batch; nothing if it depends on more than the states of
/// places, or if the batch is short.
/// @param leastUpdates updates of places from which the search for the table is worth its time
std::optional<BoolTable> tableOfBatch(const PlaceFields& fields, const Kernel& kernel,
                                      const StepBatch& batch, double leastUpdates);

}  // namespace mass::detail
