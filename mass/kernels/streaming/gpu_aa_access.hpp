#pragma once

// Loads and stores of streamed elements in the AA pattern on GPUs. Included where nvcc compiles a
// model.

#include <mass/kernels/streaming/gpu_aa_addresses.hpp>
#include <mass/rules/cursor.hpp>

#include <bit>
#include <type_traits>

namespace mass::detail {

/// True if a thread loads and stores the elements of slot S of its two neighbouring places at once.
template <class S, int Width>
inline constexpr bool isPaired = Width == 2 && std::is_arithmetic_v<typename S::Stored>;
/// Word of two elements; the first place's is in the low bits.
template <class S>
using PairWord = Word<2 * sizeof(typename S::Stored)>;
template <class S>
using ElementWord = Word<sizeof(typename S::Stored)>;
template <class S>
inline constexpr int elementBits = 8 * sizeof(typename S::Stored);

template <class S>
__device__ inline typename S::Element decodeFromPair(PairWord<S> two, int c) {
  if constexpr (requires { S::Form::decodeOne(two, c); }) {
    return S::Form::decodeOne(two, c);
  } else {
    return S::Form::decode(std::bit_cast<typename S::Stored>(
        static_cast<ElementWord<S>>(two >> (c * elementBits<S>))));
  }
}
template <class S>
__device__ inline PairWord<S> encodePair(const typename S::Element& first,
                                         const typename S::Element& second) {
  if constexpr (requires { S::Form::encodeTwo(first, second); }) {
    return S::Form::encodeTwo(first, second);
  } else {
    const auto bits = [](const auto& value) {
      return static_cast<PairWord<S>>(std::bit_cast<ElementWord<S>>(S::Form::encode(value)));
    };
    return bits(first) | bits(second) << elementBits<S>;
  }
}

/// Loads the streamed elements of a thread's places.
template <bool isEven, class P, int Width>
__device__ inline void gather(P (&places)[Width], const AaReads<P, Width>& addresses) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    constexpr bool isAside = isEven && sourceOf<S>(k)[P::dimensions - 1] != 0;
    if constexpr (isPaired<S, Width> && !isAside) {
      const auto two =
          *reinterpret_cast<const PairWord<S>*>(addresses.template sourceAddress<S, isEven>(0, k));
      for (int c = 0; c < Width; ++c) (places[c].*S::member)[k] = decodeFromPair<S>(two, c);
    } else {
#pragma unroll
      for (int c = 0; c < Width; ++c)
        (places[c].*S::member)[k] =
            S::Form::decode(*addresses.template sourceAddress<S, isEven>(c, k));
    }
  });
}
/// Loads the elements of place c that bounce back.
/// @param back mask of these components
template <class P, int Width>
__device__ inline void gatherBounceBack(P& place, const AaReads<P, Width>& addresses, int c,
                                        ComponentBits<P> back) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    if ((back >> (S::first + k) & 1) != 0)
      (place.*S::member)[k] = S::Form::decode(*addresses.template ownAddress<S>(c, k));
  });
}
/// Stores each element of place c at the address from which the opposite element was loaded.
/// @param back mask of the components that bounced back
template <bool isEven, class P, int Width>
__device__ inline void scatter(const P& place, const AaWrites<P, Width>& addresses, int c,
                               ComponentBits<P> back) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    auto* to = addresses.template sourceAddress<S, isEven>(c, k);
    if ((back >> (S::first + k) & 1) != 0) to = addresses.template ownAddress<S>(c, k);
    *to = S::Form::encode((place.*S::member)[oppositeOf<S>(k)]);
  });
}

/// Neighbours of this thread in its warp that update places of the same line.
struct LineThreads {
  unsigned mask;         ///< active threads of the warp
  bool isFirst, isLast;  ///< no active thread has the places before, or after, this one's

  __device__ LineThreads() : mask(__activemask()) {
    const unsigned lane = (threadIdx.y * blockDim.x + threadIdx.x) % 32;
    isFirst = lane == 0 || threadIdx.x == 0 || (mask >> (lane - 1) & 1) == 0;
    isLast = lane == 31 || threadIdx.x == blockDim.x - 1 || (mask >> (lane + 1) & 1) == 0;
  }
};

/// Stores the elements of both places of a thread, if nothing bounces back but at the ends of the
/// line. Threads exchange elements that move along the line, so that each stores pairs.
template <bool isEven, class P>
__device__ inline void scatterPairs(const P (&places)[2], const AaWrites<P, 2>& addresses,
                                    const LineThreads& threads) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    using Two = PairWord<S>;
    constexpr int other = oppositeOf<S>(k);
    constexpr int aside = isEven ? sourceOf<S>(k)[P::dimensions - 1] : 0;
    const Two both = encodePair<S>((places[0].*S::member)[other], (places[1].*S::member)[other]);
    const auto store = [&](auto* to, auto value) {
      *reinterpret_cast<decltype(value)*>(to) = value;
    };
    const auto to = [&](int c) { return addresses.template sourceAddress<S, isEven>(c, k); };
    constexpr int bits = elementBits<S>;
    using ShuffleWord = std::conditional_t<(bits > 32), unsigned long long, unsigned>;
    const auto first = static_cast<ElementWord<S>>(both),
               second = static_cast<ElementWord<S>>(both >> bits);
    if constexpr (aside == 0) {
      store(to(0), both);
    } else if constexpr (aside > 0) {
      const auto before = static_cast<ElementWord<S>>(
          __shfl_up_sync(threads.mask, static_cast<ShuffleWord>(second), 1));
      if (threads.isFirst) {
        store(to(0), first);
      } else {
        store(to(0) - 1, static_cast<Two>(before | static_cast<Two>(first) << bits));
      }
      if (threads.isLast) store(to(1), second);
    } else {
      const auto after = static_cast<ElementWord<S>>(
          __shfl_down_sync(threads.mask, static_cast<ShuffleWord>(first), 1));
      if (threads.isLast) {
        store(to(1), second);
      } else {
        store(to(1), static_cast<Two>(second | static_cast<Two>(after) << bits));
      }
      if (threads.isFirst) store(to(0), first);
    }
  });
}

/// True if all streamed elements of P are loaded and stored in pairs.
template <class P, int Width>
constexpr bool allPaired() {
  bool all = true;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) all = all && isPaired<S, Width>;
  });
  return all;
}

}  // namespace mass::detail
