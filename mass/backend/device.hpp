#pragma once

#include <mass/backend/box.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace mass::detail {

/// The memory of one device, and what can be done with it from the host. Addresses it returns are
/// only for code running on that device. Elements are moved as their bytes; `elementSize` is that
/// of one. Every call returns when its work is done.
class Device {
 public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;
  /// What a GPU calls itself, as "NVIDIA H200"; empty for CPUs.
  virtual std::string model() const { return {}; }
  /// Whether code running here can read and write the memory of another device of the same run.
  virtual bool reaches(const Device& /*other*/) const { return true; }
  /// Bytes that can still be allocated here; an estimate.
  virtual std::size_t freeBytes() const = 0;
  /// Uninitialised memory, aligned to 64 bytes at least.
  /// @throws DeviceError when there is not enough.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* address, std::size_t bytes) noexcept = 0;

  /// Sets every element of a box to the value at `value`, in the host's memory.
  virtual void fill(void* data, std::size_t elementSize, const Box& box, const void* value) = 0;
  /// Copies a box to where it begins at element `to` of the same buffer; they must not overlap.
  virtual void copy(void* data, std::size_t elementSize, const Box& from, std::int64_t to) = 0;
  /// Copies bytes from one buffer of this device to another.
  virtual void duplicate(void* to, const void* from, std::size_t bytes) = 0;
  /// Copies a box to the host, its elements one after the other.
  virtual void read(const void* data, std::size_t elementSize, const Box& box, void* packed) = 0;
  /// Copies elements from the host into a box.
  virtual void write(void* data, std::size_t elementSize, const Box& box, const void* packed) = 0;
  /// The sum of a box's lines' hashes, line i seeded by mix(seed) ^ (firstNumber + i).
  virtual std::uint64_t hash(const void* data, std::size_t elementSize, const Box& box,
                             std::uint64_t seed, std::int64_t firstNumber) = 0;
};

/// Owns a piece of a device's memory.
class Buffer {
 public:
  Buffer() = default;
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

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  explicit operator bool() const { return data_ != nullptr; }

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
