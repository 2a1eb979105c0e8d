#pragma once

#include <mass/memory/shared_array.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <memory>

namespace mass {

/// Numbers that all places read: an array that each device has once. A rule takes a
/// `const Shared<T>&` where callAll is given what Mass::share returned.
template <class T>
class Shared {
 public:
  MASS_FN Shared(const T* data, std::int64_t size) : data_(data), size_(size) {}

  template <class Int>
  MASS_FN const T& operator[](Int i) const {
    return data_[i];
  }
  MASS_FN const T* data() const { return data_; }
  MASS_FN std::int64_t size() const { return size_; }

 private:
  const T* data_;
  std::int64_t size_;
};

/// Such an array, as callAll is given it.
template <class T>
struct SharedSource {
  std::shared_ptr<const void> devices;  ///< kept for as long as the array
  detail::SharedArray array;
  std::int64_t size = 0;
};

namespace detail {

template <class T>
Shared<T> onDevice(const SharedSource<T>& source, int device) {
  return {static_cast<const T*>(source.array.on(device)), source.size};
}

}  // namespace detail
}  // namespace mass
