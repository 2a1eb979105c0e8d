#pragma once

#include <mass/backend/ranks.hpp>

#include <functional>

namespace mass::detail {

/// Calls `work()` on this rank; all ranks call this function together. If `work()` throws on any
/// rank, the function throws on all of them, so that they go on in the same way.
/// @throws the exception of `work()` on this rank; DeviceError with the message of the first rank
/// that failed, if it did not throw here
void onAllRanks(Ranks& ranks, const std::function<void()>& work);

}  // namespace mass::detail
