#pragma once

#include <cstddef>
#include <utility>

namespace mass::detail {

/// Memory for a ring buffer, mapped twice: the second mapping begins where the first one ends. So
/// up to bytes() bytes that begin anywhere in the ring have consecutive addresses, and a ring of
/// rows needs no copies where it wraps around.
class RingMemory {
 public:
  /// Maps nothing.
  RingMemory() = default;
  /// Maps at least `bytes` bytes, rounded up to whole pages. Maps nothing if the system refuses.
  explicit RingMemory(std::size_t bytes);
  RingMemory(RingMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  RingMemory& operator=(RingMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  RingMemory(const RingMemory&) = delete;
  RingMemory& operator=(const RingMemory&) = delete;
  ~RingMemory();

  /// Returns the number of bytes that a ring for `bytes` bytes has.
  static std::size_t roundUp(std::size_t bytes);

  /// Returns the begin of the first mapping, which is that of a page; null if nothing is mapped.
  char* data() const { return data_; }
  /// Returns the length of each mapping; 0 if nothing is mapped.
  std::size_t bytes() const { return bytes_; }

 private:
  char* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace mass::detail
