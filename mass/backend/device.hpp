#pragma once

#include <mass/backend/block_image.hpp>
#include <mass/backend/box.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace mass::detail {

/// Rows of bools, as bytes of 0 or 1 and as bits: byte 64 i + b of a row is bit b of its word i.
struct BoolRows {
  std::int64_t rows = 0, columns = 0;
  std::int64_t wordStride = 0;  ///< words from one row of bits to the next
  std::int64_t byteStride = 0;  ///< bytes from one row of bytes to the next

  /// Returns the words of a row.
  MASS_FN std::int64_t words() const { return (columns + 63) / 64; }
};

/// Memory of one device and the operations of the host on it. Its addresses are valid only in code
/// that runs on the device. Elements are copied byte by byte; `elementSize` is the number of bytes
/// of one. Every call is synchronous.
class Device {
 public:
  virtual ~Device() = default;

  /// Returns the name in messages, e.g. "cpu0".
  virtual std::string name() const = 0;
  /// Returns the model of a GPU, e.g. "NVIDIA H200"; empty for CPUs.
  virtual std::string model() const { return {}; }
  /// Returns CUDA's number of a GPU; -1 for CPUs.
  virtual int gpu() const { return -1; }
  /// True if the host can read and write the memory of this device.
  virtual bool isHost() const { return true; }
  /// True if code on this device can read and write the memory of another device of the run.
  virtual bool canAccess(const Device& /*other*/) const { return true; }
  /// Returns an estimate of the bytes that can still be allocated.
  virtual std::size_t freeBytes() const = 0;
  /// Allocates uninitialised memory, aligned to at least 64 bytes.
  /// @throws DeviceError if the memory is exhausted
  virtual void* allocate(std::size_t bytes) = 0;
  /// Frees the memory at `address`; `bytes` is its size at the allocation.
  virtual void deallocate(void* address, std::size_t bytes) noexcept = 0;

  /// Sets every element of a box to the value at `value`, an address of the host.
  virtual void fill(void* data, std::size_t elementSize, const Box& box, const void* value) = 0;
  /// Copies a box within its buffer, so that the copy begins at element `to`.
  /// @pre source and target do not overlap
  virtual void copy(void* data, std::size_t elementSize, const Box& from, std::int64_t to) = 0;
  /// Copies bytes between two buffers of this device.
  virtual void duplicate(void* to, const void* from, std::size_t bytes) = 0;
  /// Copies a box to `packed`, contiguous memory of the host.
  virtual void read(const void* data, std::size_t elementSize, const Box& box, void* packed) = 0;
  /// Copies `packed`, contiguous memory of the host, into a box.
  virtual void write(void* data, std::size_t elementSize, const Box& box, const void* packed) = 0;
  /// Returns the sum of the hashes of a box's lines, modulo 2^64; the hash of line i is seeded by
  /// mix(seed) ^ (firstNumber + i). See hashBytes().
  virtual std::uint64_t hash(const void* data, std::size_t elementSize, const Box& box,
                             std::uint64_t seed, std::int64_t firstNumber) = 0;

  /// Packs rows of bytes into words of 64 bits. Bits beyond the last column become 0.
  /// @param bytes, words first byte and word of the first row, on this device
  virtual void packBits(const void* bytes, const BoolRows& shape, void* words) = 0;
  /// Unpacks rows of words; the inverse of packBits().
  virtual void unpackBits(const void* words, const BoolRows& shape, void* bytes) = 0;

  /// Writes the tallies of blocks of elements, one after the other.
  /// @param data buffer of this device @param tallies memory of this device
  /// @return the totals of the elements; their counts are 0 unless the rule counts
  virtual BlockTotals tallyBlocks(const void* data, const BlockGrid& grid, const BlockRule& rule,
                                  void* tallies) = 0;
  /// Writes the palette index of each block. @param tallies of tallyBlocks() @param indices
  /// memory of this device, a byte for each block @param totals sum for the image
  virtual void indexBlocks(const void* tallies, const BlockGrid& grid, const BlockRule& rule,
                           const BlockTotals& totals, void* indices) = 0;
};

/// Owns memory of a device; movable. The device must outlive it.
class Buffer {
 public:
  /// Owns nothing.
  Buffer() = default;
  /// Allocates `bytes` bytes. @throws DeviceError if the memory is exhausted
  Buffer(Device& device, std::size_t bytes)
      : device_(&device), bytes_(bytes), data_(device.allocate(bytes)) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) device_->deallocate(data_, bytes_);
  }

  /// Returns the address on the device; null if it owns nothing.
  void* data() const { return data_; }
  /// Returns the size in bytes.
  std::size_t bytes() const { return bytes_; }
  /// True if it owns memory.
  explicit operator bool() const { return data_ != nullptr; }

  /// Exchanges the contents of two buffers.
  void swap(Buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(bytes_, other.bytes_);
    std::swap(data_, other.data_);
  }

 private:
  Device* device_ = nullptr;
  std::size_t bytes_ = 0;
  void* data_ = nullptr;
};

}  // namespace mass::detail
