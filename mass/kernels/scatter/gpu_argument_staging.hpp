#pragma once

// Copies of shared arrays in the shared memory of a block. Included where nvcc compiles a model.

#include <mass/rules/shared.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace mass::detail {

/// Copies the arguments mass::Shared of a rule into shared memory as long as there is room. A load
/// from there takes a tenth of the time in which a block copies an array once.
struct ArgumentStaging {
  static constexpr int room = 6 * 1024;  // bytes

  unsigned char* bytes;
  int used = 0;

  template <class T>
  __device__ T staged(const T& argument) {
    return argument;
  }
  template <class T>
  __device__ Shared<T> staged(const Shared<T>& array) {
    constexpr int alignment = 16;
    static_assert(alignof(T) <= alignment);
    const std::int64_t size = array.size() * static_cast<std::int64_t>(sizeof(T));
    if (size > room - used) return array;
    auto* const copy = reinterpret_cast<T*>(bytes + used);
    for (int i = static_cast<int>(threadIdx.x); i < array.size();
         i += static_cast<int>(blockDim.x)) {
      copy[i] = array[i];
    }
    used += (static_cast<int>(size) + alignment - 1) / alignment * alignment;
    return {copy, array.size()};
  }
  template <class Arguments, std::size_t... N>
  __device__ Arguments all(const Arguments& arguments, std::index_sequence<N...>) {
    return Arguments{staged(std::get<N>(arguments))...};  // braces evaluate from left to right
  }
  template <class Arguments>
  __device__ Arguments all(const Arguments& arguments) {
    return all(arguments, std::make_index_sequence<std::tuple_size_v<Arguments>>{});
  }
};

}  // namespace mass::detail
