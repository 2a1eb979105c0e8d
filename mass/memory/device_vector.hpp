#pragma once

#include <mass/backend/copy.hpp>
#include <mass/backend/device.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace mass::detail {

/// Array of elements of type T in the memory of a device; its capacity can only grow.
template <class T>
class DeviceVector {
 public:
  /// Has no device; only to be assigned to.
  DeviceVector() = default;
  explicit DeviceVector(Device& device) : device_(&device) {}

  /// Returns the address on the device.
  T* data() const { return static_cast<T*>(buffer_.data()); }
  /// Returns the number of elements that it has memory for.
  std::int64_t capacity() const { return static_cast<std::int64_t>(buffer_.bytes() / sizeof(T)); }
  /// Returns the bytes allocated.
  std::size_t bytes() const { return buffer_.bytes(); }

  /// Ensures a capacity of at least `count` elements; the first `kept` keep their values.
  /// @throws DeviceError if the memory is exhausted; the array is unchanged then
  void reserve(std::int64_t count, std::int64_t kept) {
    if (count <= capacity()) return;
    Buffer larger(*device_, static_cast<std::size_t>(count) * sizeof(T));
    if (kept > 0) {
      device_->duplicate(larger.data(), data(), static_cast<std::size_t>(kept) * sizeof(T));
    }
    buffer_ = std::move(larger);
  }
  /// Ensures a capacity of at least `count` elements; if it grows, the elements after the first
  /// `kept` become `value`.
  void reserve(std::int64_t count, std::int64_t kept, const T& value) {
    if (count <= capacity()) return;
    reserve(count, kept);
    fill(kept, capacity() - kept, value);
  }
  /// Sets elements [first, first + count) to `value`.
  void fill(std::int64_t first, std::int64_t count, const T& value) {
    if (count > 0) device_->fill(data(), sizeof(T), contiguous(first, count), &value);
  }
  /// Copies elements from host memory to elements [first, first + count).
  void write(const T* values, std::int64_t count, std::int64_t first = 0) {
    if (count > 0) device_->write(data(), sizeof(T), contiguous(first, count), values);
  }
  /// Copies elements [first, first + count) to host memory.
  void read(T* values, std::int64_t count, std::int64_t first = 0) const {
    if (count > 0) device_->read(data(), sizeof(T), contiguous(first, count), values);
  }
  /// Copies `count` elements, 0, stride, 2 stride, ..., to host memory.
  void readStrided(std::int64_t stride, T* values, std::int64_t count) const {
    if (count > 0) device_->read(data(), sizeof(T), Box{0, {count, 1, 1}, {stride, 0}}, values);
  }
  /// Copies elements [fromFirst, fromFirst + count) of an array, of any device, to element `first`
  /// on.
  void copyFrom(std::int64_t first, const DeviceVector& from, std::int64_t fromFirst,
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
