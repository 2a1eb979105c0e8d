#pragma once

#include <mass/memory/shared_array.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>

namespace mass {

/// Read-only array with one copy in the memory of each device (not in the shared memory of a GPU).
/// Parameter `const Shared<T>&` of rules; the argument of callAll is the result of Mass::share.
template <class T>
class Shared {
  static_assert(!std::is_pointer_v<T>, "pointers of the host have no meaning on GPUs");

 public:
  /// View of `size` values at an address in the memory of a device.
  MASS_FN Shared(const T* data, std::int64_t size) : data_(data), size_(size) {}

  /// Value i, 0 <= i < size(); not checked.
  template <class Int>
  MASS_FN const T& operator[](Int i) const {
    return data_[i];
  }
  /// Address of value 0 in the memory of the device.
  MASS_FN const T* data() const { return data_; }
  /// Number of values.
  MASS_FN std::int64_t size() const { return size_; }

 private:
  const T* data_;
  std::int64_t size_;
};

/// Argument of callAll for a parameter Shared<T>: the copies on all devices (Mass::share). Copies
/// of this object share the array.
template <class T>
struct SharedSource {
  std::shared_ptr<const void> devices;  ///< Keeps the devices alive as long as the array.
  detail::SharedArray array;            ///< One copy of the values per device.
  std::int64_t size = 0;                ///< Number of values.
};

namespace detail {

/// Returns the view of the copy on a device.
template <class T>
Shared<T> onDevice(const SharedSource<T>& source, int device) {
  return {static_cast<const T*>(source.array.on(device)), source.size};
}

}  // namespace detail
}  // namespace mass
