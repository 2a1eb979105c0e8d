#pragma once

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// A 64-bit checksum of `bytes` bytes, several bytes a cycle. Guards files against damage, not
/// against forgery: a change confined to one aligned group of 8 bytes is always seen, any other is
/// missed once in 2^64. `seed` chains the checksums of several pieces: checksum(b, checksum(a))
/// depends on how the bytes are cut.
std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t seed = 0);

}  // namespace mass::detail
