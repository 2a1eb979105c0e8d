#pragma once

#include <cstddef>

namespace mass::detail {

/// Size of a line of the CPU's cache in bytes; buffers begin at a multiple of it.
inline constexpr std::size_t cacheLineBytes = 64;

}  // namespace mass::detail
