#pragma once

#include <mass/backend/copy.hpp>
#include <mass/backend/device.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace mass::detail {

/// Elements of one type in a device's memory, of which there can be more with time.
template <class T>
class DeviceVector {
 public:
  DeviceVector() = default;
  explicit DeviceVector(Device& device) : device_(&device) {}

  /// An address on the device.
  T* data() const { return static_cast<T*>(buffer_.data()); }
  std::int64_t capacity() const { return static_cast<std::int64_t>(buffer_.bytes() / sizeof(T)); }
  std::size_t bytes() const { return buffer_.bytes(); }

  /// Makes room for `count` elements at least, of which the first `kept` keep their values.
  void grow(std::int64_t count, std::int64_t kept) {
    if (count <= capacity()) return;
    Buffer larger(*device_, static_cast<std::size_t>(count) * sizeof(T));
    if (kept > 0) {
      device_->duplicate(larger.data(), data(), static_cast<std::size_t>(kept) * sizeof(T));
    }
    buffer_ = std::move(larger);
  }
  /// The same; elements after the first `kept` become `value`.
  void grow(std::int64_t count, std::int64_t kept, const T& value) {
    if (count <= capacity()) return;
    grow(count, kept);
    fill(kept, capacity() - kept, value);
  }
  void fill(std::int64_t first, std::int64_t count, const T& value) {
    if (count > 0) device_->fill(data(), sizeof(T), contiguous(first, count), &value);
  }
  /// Copies elements from the host, the first of them to element `first`.
  void write(const T* values, std::int64_t count, std::int64_t first = 0) {
    if (count > 0) device_->write(data(), sizeof(T), contiguous(first, count), values);
  }
  /// Copies elements to the host, from element `first` on.
  void read(T* values, std::int64_t count, std::int64_t first = 0) const {
    if (count > 0) device_->read(data(), sizeof(T), contiguous(first, count), values);
  }
  /// Copies `count` elements, `stride` apart from element 0 on, to the host.
  void readEvery(std::int64_t stride, T* values, std::int64_t count) const {
    if (count > 0) device_->read(data(), sizeof(T), Box{0, {count, 1, 1}, {stride, 0}}, values);
  }
  /// Copies elements of another array, which may be on another device, to element `first` and on.
  void take(std::int64_t first, const DeviceVector& from, std::int64_t fromFirst,
            std::int64_t count) {
    if (count == 0) return;
    copyBytes(*from.device_, from.data() + fromFirst, *device_, data() + first,
              static_cast<std::size_t>(count) * sizeof(T));
  }

 private:
  Device* device_ = nullptr;
  Buffer buffer_;
};

}  // namespace mass::detail
