#pragma once

// What all places read, brought near. Included where nvcc compiles a model.

#include <mass/rules/shared.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace mass::detail {

/// Arrays that all places read, in the memory of a block while there is room for them: to look
/// something up there takes a tenth of the time that it takes a block to fetch it once.
struct Staging {
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
    return Arguments{staged(std::get<N>(arguments))...};  // braces: from left to right
  }
  template <class Arguments>
  __device__ Arguments all(const Arguments& arguments) {
    return all(arguments, std::make_index_sequence<std::tuple_size_v<Arguments>>{});
  }
};

}  // namespace mass::detail
