#pragma once

#include <mass/backend/device.hpp>

#include <cstddef>

namespace mass::detail {

/// Copies bytes from a buffer of one device to one of another, or of the same: by way of the host,
/// in pieces, where there are two. One copy at a time from or to a device.
void copyBytes(Device& from, const void* source, Device& to, void* target, std::size_t bytes);

}  // namespace mass::detail
