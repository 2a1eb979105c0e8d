#pragma once

// How what is streamed moves within one buffer on CPUs: the "AA pattern" (Bailey, Myre, Walsh,
// Lilja & Saar, Proc. Int. Conf. Parallel Processing (2009) 550).
//
// Between a place and the one that its element k comes from there are two locations, where the
// latter has element k and where the former has the opposite one. No other place reads or writes
// these. At even steps, a place finds element k in the first of them, and leaves the opposite one
// for the other place there; at odd steps it finds and leaves them in the second one, which is its
// own. So after two steps all is where it belongs. What comes back from a border or from what is
// blocked is at the second location at both.

#include <mass/memory/launch.hpp>
#include <mass/model/gpu.hpp>
#include <mass/model/kernels.hpp>
#include <mass/model/links.hpp>
#include <mass/model/streaming.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace mass::detail {

/// Whether a rule that writes W may do so.
template <class P, auto Rule, class W>
constexpr bool movesInPlace() {
  bool may = canMoveInPlace<P>() && Traits<Rule>::streams && !Traits<Rule>::readsBefore;
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) may = may && isWritten<S, W>;
  });
  return may;
}

/// Whether the passage of a place is known, when its attributes that are mostly initial are so.
template <class P>
constexpr bool isAllKnown() {
  bool is = saysPassage<P>;
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    is = is && (!S::isConstant || S::isMostlyInitial);
  });
  return is;
}

/// Calls stretch(begin, end, known) for columns of which it is known that they are open, and
/// single(x) for all others.
template <class P, auto Rule, class Stretch, class Single>
inline void forEachOpen(const Launch& launch, const void* const* in, Index at, std::int64_t row,
                        std::int64_t line, std::int64_t first, std::int64_t last, Stretch&& stretch,
                        Single&& single) {
  forEachStretch<P, Rule>(launch, in, at, row, line, first, last,
                          [&](auto begin, auto end, auto known) {
                            bool isOpen = known == Known::open;
                            if constexpr (known == Known::initial && isAllKnown<P>())
                              isOpen = passageOf(P{}) == Passage::open;
                            if constexpr (known != Known::nothing) {
                              if (isOpen) return stretch(begin, end, known);
                            }
                            for (std::int64_t x = begin; x < end; ++x) single(x);
                          });
}

/// Runs a changing rule on work units [begin, end) of a band, at an even or an odd step. One
/// function for both, as compilers take long over it.
template <class P, auto Rule, class W>
__attribute__((noinline)) MASS_FLATTEN void moveKernel(const Launch& shared, std::int64_t begin,
                                                       std::int64_t end, bool isEven) {
  const Launch launch = shared;
  const auto arguments = argumentsOf<Rule>(shared);
  const void* in[Slots<P>::components];
  void* out[Slots<P>::components];
  std::copy_n(shared.in, Slots<P>::components, in);
  std::copy_n(shared.out, Slots<P>::components, out);
  forEachLine<P::dimensions>(
      launch.layout, begin, end, [&](auto row, auto line, auto first, auto last, auto at) {
        const LineOf<P> places(shared, row, line);
        const Links<P> links = isEven ? places.across() : places.own();
        const auto step = [&](const Links<P>& where, std::int64_t after, std::int64_t x,
                              auto known) {
          const auto near = around<P>(launch, in, at, row, line, x);
          const Cursor here(at, static_cast<Index>(x));
          P place = loadPlace<P, Whose::receivers>(in, here);
          gather(place, where, after);
          if constexpr (known == Known::initial) setInitial(place);
          change<P, Rule, W>(place, near, launch.domain, arguments);
          scatter(place, where, after);
          storePlace<P, Staying<W>>(out, here, place);
        };
        const auto single = [&](std::int64_t x) MASS_FLATTEN __attribute__((noinline)) {
          const auto near = around<P>(launch, in, at, row, line, x);
          const Cursor here(at, static_cast<Index>(x));
          const P before = loadPlace<P, Whose::receivers>(in, here);
          if (passageOf(before) == Passage::blocked)
            return storePlace<P, Staying<W>>(out, here, before);
          step(isEven ? places.around(x, links, before, near) : links, isEven ? 0 : x, x,
               KnownAs<Known::nothing>{});
        };
        const auto stretch = [&](std::int64_t from, std::int64_t to, auto known) {
          constexpr std::int64_t length = blockOf<P>();
          if (from == to) return;
          if (isEven) places.bringEnds(from, to, links);
          std::int64_t x = from;
          for (; x + length <= to; x += length) {
            // Processors follow fewer lines of memory by themselves than there are elements.
            for (const void* later : locations(links, x + 2 * length)) __builtin_prefetch(later, 1);
            MASS_INDEPENDENT_LOOP
            for (std::int64_t i = 0; i < length; ++i) step(links, x + i, x + i, known);
          }
          if (const std::int64_t rest = to - x; rest > 0) {  // a block of vectors with masks
            MASS_INDEPENDENT_LOOP
            for (std::int64_t i = 0; i < length; ++i) {
              if (i < rest) step(links, x + i, x + i, known);
            }
          }
          if (isEven) places.returnEnds(from, to, links);
        };
        forEachOpen<P, Rule>(launch, in, at, row, line, first, last, stretch, single);
        fillWrittenSides<P, Staying<W>>(out, launch, row, line);
      });
}
template <class P, auto Rule, class W, bool isEven>
void moveInPlace(const Launch& launch, std::int64_t begin, std::int64_t end) {
  moveKernel<P, Rule, W>(launch, begin, end, isEven);
}

/// Brings what is left after an even step to where it belongs.
template <class P, auto Rule>
MASS_FLATTEN void settleKernel(const Launch& shared, std::int64_t begin, std::int64_t end) {
  forEachLine<P::dimensions>(
      shared.layout, begin, end, [&](auto row, auto line, auto first, auto last, auto at) {
        const LineOf<P> places(shared, row, line);
        const Links<P> links = places.across(), own = places.own();
        // Each two locations are exchanged by one of the two places.
        const auto exchange = [&](const Links<P>& where, std::int64_t after, std::int64_t from,
                                  std::int64_t to) {
          forEachStreamed<P>([&](auto slot, auto k) {
            using S = decltype(slot);
            if constexpr (k < oppositeOf<S>(k)) {
              auto* const there = where.template of<S>(k) - after;
              auto* const here = own.template of<S>(k);
              if (there == here) return;
              MASS_INDEPENDENT_LOOP
              for (std::int64_t x = from; x < to; ++x) {
                const auto mine = here[x];
                here[x] = there[x];
                there[x] = mine;
              }
            }
          });
        };
        const auto single = [&](std::int64_t x) {
          const P place =
              loadPlace<P, Whose::receivers>(shared.in, Cursor(at, static_cast<Index>(x)));
          if (passageOf(place) == Passage::blocked) return;
          const auto near = around<P>(shared, shared.in, at, row, line, x);
          exchange(places.around(x, links, place, near), x, x, x + 1);
        };
        const auto stretch = [&](std::int64_t from, std::int64_t to, auto) {
          exchange(links, 0, from, to);
        };
        single(first);
        if (last - first < 2) return;
        forEachOpen<P, Rule>(shared, shared.in, at, row, line, first + 1, last - 1, stretch,
                             single);
        single(last - 1);
      });
}

/// A changing rule that moves what is streamed in place; null when it cannot.
template <class P, auto Rule, class W>
const InPlaceKernel* inPlaceKernel() {
  if constexpr (movesInPlace<P, Rule, W>()) {
    static const InPlaceKernel kernel{&moveInPlace<P, Rule, W, true>,
                                      &moveInPlace<P, Rule, W, false>, &settleKernel<P, Rule>,
                                      moveGpuKernel<P, Rule, W>(), settleGpuKernel<P>()};
    return &kernel;
  } else {
    return nullptr;
  }
}

}  // namespace mass::detail
