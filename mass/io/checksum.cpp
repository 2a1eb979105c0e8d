#include <mass/io/checksum.hpp>

#include <array>
#include <bit>
#include <cstring>

namespace mass::detail {
namespace {

// Mixes a word into a lane. The function is a bijection of each argument if the other one is fixed,
// so a change of one word always changes the lane. The multiplications before and after the
// addition prevent a few flipped bits in two words from cancelling out.
constexpr std::uint64_t mix(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * 0x9E3779B97F4A7C15u, 31) * 0xD6E8FEB86659FD93u;
}

}  // namespace

std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t seed) {
  constexpr std::size_t lanes = 4;
  constexpr std::size_t stride = lanes * sizeof(std::uint64_t);
  std::array<std::uint64_t, lanes> lane{seed, seed + 1, seed + 2, seed + 3};
  const auto* from = static_cast<const unsigned char*>(data);
  std::size_t left = bytes;
  std::array<std::uint64_t, lanes> words{};
  for (; left >= stride; left -= stride, from += stride) {
    std::memcpy(words.data(), from, stride);
    for (std::size_t i = 0; i < lanes; ++i) lane[i] = mix(lane[i], words[i]);
  }
  words = {};
  if (left > 0) std::memcpy(words.data(), from, left);
  for (std::size_t i = 0; i < lanes; ++i) lane[i] = mix(lane[i], words[i]);

  std::uint64_t sum = mix(seed, bytes);
  for (std::uint64_t value : lane) {
    sum = mix(sum, value);
    sum ^= sum >> 32;
  }
  return sum;
}

}  // namespace mass::detail
