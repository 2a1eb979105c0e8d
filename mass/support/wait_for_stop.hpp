#pragma once

#include <stop_token>

namespace mass::detail {

/// Waits until a stop is requested, at most `seconds`. @return true if it is requested
bool waitForStop(const std::stop_token& stop, double seconds);

}  // namespace mass::detail
