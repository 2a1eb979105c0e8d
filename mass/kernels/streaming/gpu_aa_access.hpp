#pragma once

// How a thread of a GPU takes what has come to its places, and leaves what goes on, where that
// moves within one buffer. Included where nvcc compiles a model.

#include <mass/kernels/streaming/gpu_aa_addresses.hpp>
#include <mass/rules/cursor.hpp>

#include <bit>
#include <type_traits>

namespace mass::detail {

/// Whether elements of slot S at two neighbouring places are loaded and stored at once.
template <class S, int Width>
inline constexpr bool goByTwo = Width == 2 && std::is_arithmetic_v<typename S::Stored>;
/// Two of them, that of the first place lower.
template <class S>
using TwoOf = Word<2 * sizeof(typename S::Stored)>;
template <class S>
using OneOf = Word<sizeof(typename S::Stored)>;
template <class S>
inline constexpr int bitsOf = 8 * sizeof(typename S::Stored);

template <class S>
__device__ inline typename S::Element decodeOf(TwoOf<S> two, int c) {
  if constexpr (requires { S::Form::decodeOne(two, c); }) {
    return S::Form::decodeOne(two, c);
  } else {
    return S::Form::decode(
        std::bit_cast<typename S::Stored>(static_cast<OneOf<S>>(two >> (c * bitsOf<S>))));
  }
}
template <class S>
__device__ inline TwoOf<S> encodeBoth(const typename S::Element& first,
                                      const typename S::Element& second) {
  if constexpr (requires { S::Form::encodeTwo(first, second); }) {
    return S::Form::encodeTwo(first, second);
  } else {
    const auto bits = [](const auto& value) {
      return static_cast<TwoOf<S>>(std::bit_cast<OneOf<S>>(S::Form::encode(value)));
    };
    return bits(first) | bits(second) << bitsOf<S>;
  }
}

/// Gives the places of a thread what has come to them.
template <bool isEven, class P, int Width>
__device__ inline void gather(P (&places)[Width], const LinksFrom<P, Width>& aaAddresses) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    constexpr bool isAside = isEven && sourceOf<S>(k)[P::dimensions - 1] != 0;
    if constexpr (goByTwo<S, Width> && !isAside) {
      const auto two =
          *reinterpret_cast<const TwoOf<S>*>(aaAddresses.template comingTo<S, isEven>(0, k));
      for (int c = 0; c < Width; ++c) (places[c].*S::member)[k] = decodeOf<S>(two, c);
    } else {
#pragma unroll
      for (int c = 0; c < Width; ++c)
        (places[c].*S::member)[k] =
            S::Form::decode(*aaAddresses.template comingTo<S, isEven>(c, k));
    }
  });
}
/// Gives place c what has come back to it.
template <class P, int Width>
__device__ inline void gatherBack(P& place, const LinksFrom<P, Width>& aaAddresses, int c,
                                  ComponentBits<P> back) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    if ((back >> (S::first + k) & 1) != 0)
      (place.*S::member)[k] = S::Form::decode(*aaAddresses.template own<S>(c, k));
  });
}
/// Leaves what goes the opposite ways of what has come to place c.
template <bool isEven, class P, int Width>
__device__ inline void scatter(const P& place, const LinksTo<P, Width>& aaAddresses, int c,
                               ComponentBits<P> back) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    auto* to = aaAddresses.template comingTo<S, isEven>(c, k);
    if ((back >> (S::first + k) & 1) != 0) to = aaAddresses.template own<S>(c, k);
    *to = S::Form::encode((place.*S::member)[oppositeOf<S>(k)]);
  });
}

/// The threads of a warp that take places of the same line as one of them does.
struct ThreadsBeside {
  unsigned mask;         ///< those that do the same at the same time
  bool isFirst, isLast;  ///< none of these has the places before, or after, this one's

  __device__ ThreadsBeside() : mask(__activemask()) {
    const unsigned lane = (threadIdx.y * blockDim.x + threadIdx.x) % 32;
    isFirst = lane == 0 || threadIdx.x == 0 || (mask >> (lane - 1) & 1) == 0;
    isLast = lane == 31 || threadIdx.x == blockDim.x - 1 || (mask >> (lane + 1) & 1) == 0;
  }
};

/// The same for both places of a thread to which nothing comes back but from beyond the ends of
/// their line. Threads exchange what goes aside, so that it is stored by two.
template <bool isEven, class P>
__device__ inline void scatterTwo(const P (&places)[2], const LinksTo<P, 2>& aaAddresses,
                                  const ThreadsBeside& threads) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    using Two = TwoOf<S>;
    constexpr int other = oppositeOf<S>(k);
    constexpr int aside = isEven ? sourceOf<S>(k)[P::dimensions - 1] : 0;
    const Two both = encodeBoth<S>((places[0].*S::member)[other], (places[1].*S::member)[other]);
    const auto store = [&](auto* to, auto value) {
      *reinterpret_cast<decltype(value)*>(to) = value;
    };
    const auto to = [&](int c) { return aaAddresses.template comingTo<S, isEven>(c, k); };
    constexpr int bits = bitsOf<S>;
    using Carried = std::conditional_t<(bits > 32), unsigned long long, unsigned>;
    const auto first = static_cast<OneOf<S>>(both), second = static_cast<OneOf<S>>(both >> bits);
    if constexpr (aside == 0) {
      store(to(0), both);
    } else if constexpr (aside > 0) {
      const auto before =
          static_cast<OneOf<S>>(__shfl_up_sync(threads.mask, static_cast<Carried>(second), 1));
      if (threads.isFirst) {
        store(to(0), first);
      } else {
        store(to(0) - 1, static_cast<Two>(before | static_cast<Two>(first) << bits));
      }
      if (threads.isLast) store(to(1), second);
    } else {
      const auto after =
          static_cast<OneOf<S>>(__shfl_down_sync(threads.mask, static_cast<Carried>(first), 1));
      if (threads.isLast) {
        store(to(1), second);
      } else {
        store(to(1), static_cast<Two>(second | static_cast<Two>(after) << bits));
      }
      if (threads.isFirst) store(to(0), first);
    }
  });
}

/// Whether all that is streamed of P goes by two.
template <class P, int Width>
constexpr bool allGoByTwo() {
  bool all = true;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) all = all && goByTwo<S, Width>;
  });
  return all;
}

}  // namespace mass::detail
