#pragma once

namespace thrust {

template <class T>
struct counting_iterator {
  T first;
  explicit counting_iterator(T value) : first(value) {}
  T operator[](std::int64_t i) const { return first + static_cast<T>(i); }
};

}  // namespace thrust
