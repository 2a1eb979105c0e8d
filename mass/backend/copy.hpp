#pragma once

#include <mass/backend/device.hpp>

#include <cstddef>

namespace mass::detail {

/// Copies bytes from address `source` of device `from` to address `target` of device `to`: directly
/// if both are the same, else in pieces through host memory.
/// @pre no other copyBytes() from or to these devices is running
void copyBytes(Device& from, const void* source, Device& to, void* target, std::size_t bytes);

}  // namespace mass::detail
