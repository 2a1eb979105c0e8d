#pragma once

#include <mass/dispatch/kernel.hpp>
#include <mass/memory/place_fields.hpp>
#include <mass/support/export.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace mass::detail {

/// Returns the number of results of a reading rule for the places of the devices before a device,
/// or for the lines that end there.
MASS_EXPORT std::int64_t resultsBefore(const PlaceFields& fields, const Kernel& kernel, int device);

/// Runs a rule that reduces lines of which several devices have parts. The devices of the first
/// parts leave the running values of the lanes of their lines, those of the next parts continue
/// with them, and so on, so that the additions have the order of whole lines. All ranks call it
/// together.
/// @param kernel Traversal::reduce; its lanes are set during the call
/// @param laneBytes bytes of the lanes of a line
/// @param run runs the kernel once
MASS_EXPORT void reduceCutLines(const PlaceFields& fields, Kernel& kernel, std::size_t laneBytes,
                                const std::function<void()>& run);

}  // namespace mass::detail
