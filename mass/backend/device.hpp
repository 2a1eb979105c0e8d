#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace mass {

/// The memory of one device. Addresses it returns are only for code running on that device.
class Device {
 public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;
  /// Bytes that can still be allocated here; an estimate.
  virtual std::size_t freeBytes() const = 0;
  /// Uninitialised memory, aligned to 64 bytes at least.
  /// @throws DeviceError when there is not enough.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* address, std::size_t bytes) noexcept = 0;
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

}  // namespace mass
