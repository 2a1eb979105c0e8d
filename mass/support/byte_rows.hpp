#pragma once

#include <cstdint>

namespace mass::detail {

/// Packs bytes, each 0 or 1, into bits: byte 64 i + b becomes bit b of word i. The other bits of
/// the last word become 0.
/// @param words receives ceil(count / 64) words
void packBytes(const unsigned char* bytes, std::int64_t count, std::uint64_t* words);

/// Unpacks bits into bytes, each 0 or 1; the inverse of packBytes().
void unpackBytes(const std::uint64_t* words, std::int64_t count, unsigned char* bytes);

}  // namespace mass::detail
