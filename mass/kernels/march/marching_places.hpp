#pragma once

// Common parts of the marches in planes and in space (temporal blocking by rows). Included where
// nvcc compiles a model.

#include <mass/kernels/gpu/stencil_kernel.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Returns the number of 32-bit registers of the attributes of a place.
template <class P>
constexpr int stateWords() {
  std::size_t words = 0;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    words += S::count * ((sizeof(typename S::Element) + 3) / 4);
  });
  return static_cast<int>(words);
}

/// True if places may march by this rule: a few scalar attributes, which fit into registers with
/// the rows between the steps, and neighbours at a distance of 1 in a plane, or along the axes in
/// space.
template <class P, auto Rule>
constexpr bool marches() {
  const bool isPlane = P::dimensions == 2;
  const bool isStar = P::dimensions == 3 && P::reads == alongAxes && stateWords<P>() <= 2;
  if (!(isPlane || isStar) || P::reach != 1 || !Traits<Rule>::readsNeighbors) return false;
  if (Traits<Rule>::streams || stateBytes<P>() > mostMarchBytes) return false;
  bool areScalars = true;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    constexpr bool isSmall = sizeof(typename S::Stored) <= 8 && !isMultiset<typename S::Value>;
    areScalars = areScalars && !S::isArray && !S::isStreamed && isSmall;
  });
  return areScalars;
}

/// Numbers of steps of the compiled marches: more would exceed the registers of a thread.
template <class P>
inline constexpr int marchSteps[2] = {
    P::dimensions == 2 ? 4 : 2,
    P::dimensions == 2 ? (stateBytes<P>() > 4 ? 6 : 8) : (stateWords<P>() > 1 ? 3 : 4)};

/// Loads `Width` neighbouring places of a line. @param at index of the first, aligned to `Width`
template <class P, int Width>
__device__ inline void loadMarching(const void* const* in, Index at, P (&places)[Width]) {
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    const auto* const elements = static_cast<const typename S::Stored*>(in[S::first]) + at;
#pragma unroll
    for (int c = 0; c < Width; ++c)
      places[c].*S::member = S::Form::decode(loadFromPack<Width>(elements, c));
  });
}

/// Returns the place of the next lower or higher lane of the warp.
template <class P>
__device__ inline P placeOfLane(const P& own, bool isLower) {
  P other = own;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    using T = typename S::Value;
    const auto word = std::bit_cast<Word<sizeof(T)>>(own.*S::member);
    using Shuffled = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
    const auto moved = isLower ? __shfl_up_sync(~0U, static_cast<Shuffled>(word), 1)
                               : __shfl_down_sync(~0U, static_cast<Shuffled>(word), 1);
    other.*S::member = std::bit_cast<T>(static_cast<Word<sizeof(T)>>(moved));
  });
  return other;
}

/// Returns the number of a row, line or column of the world that lies at most once around it.
__device__ inline int wrapOnce(int number, int size) {
  return number < 0 ? number + size : number >= size ? number - size : number;
}

}  // namespace mass::detail
