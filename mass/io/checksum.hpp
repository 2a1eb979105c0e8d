#pragma once

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Returns a 64-bit checksum. It detects damage, not forgery: always if the change is confined to
/// one aligned group of 8 bytes, otherwise with probability 1 - 2^-64.
/// @param bytes length of `data`
/// @param seed checksum of the preceding piece; the result of such a chain depends on the pieces'
///   lengths
std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t seed = 0);

}  // namespace mass::detail
