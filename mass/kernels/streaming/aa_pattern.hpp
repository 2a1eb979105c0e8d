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
//
// For the time of an even step, what the ends of a line find elsewhere lies in the columns beside
// it: then places go together block by block, whatever is around the line.

#include <mass/kernels/stencil_kernels.hpp>
#include <mass/kernels/streaming/aa_addresses.hpp>
#include <mass/kernels/streaming/vector_block.hpp>
#include <mass/launch/launch.hpp>
#include <mass/rules/streaming.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace mass::detail {

/// Whether a rule that writes W may do so.
template <class P, auto Rule, class W>
constexpr bool streamsInPlace() {
  bool may = supportsAaPattern<P>() && Traits<Rule>::streams && !Traits<Rule>::haloDepthBelow;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) may = may && isWritten<S, W>;
  });
  return may;
}

/// A line that a rule moves, and what is around it.
template <class P>
struct LineHere {
  const Launch& launch;
  const void* const* in;
  void* const* out;
  std::int64_t row, line;
  Index at;

  Neighborhood<P> around(std::int64_t x) const {
    return detail::around<P>(launch, in, at, row, line, x);
  }
  /// The place in column x without what is streamed.
  P load(std::int64_t x) const {
    return loadPlace<P, LoadScope::nonStreamed>(in, Cursor(at, static_cast<Index>(x)));
  }
  template <class W>
  void store(std::int64_t x, const P& place) const {
    storePlace<P, NonStreamed<W>>(out, Cursor(at, static_cast<Index>(x)), place);
  }
};

/// Calls move(i, complete) for the places i of a block, `complete` giving a place what is known of
/// it; and single(i) for those that do not go together with others.
template <class P, class Move, class Single>
inline void forEachOf(const Block<P>& block, Move&& move, Single&& single) {
  using Grouping = typename Block<P>::Grouping;
  const auto initial = [](P& place) { setInitial(place); };
  if (block.together() == Grouping::whole) {
    MASS_INDEPENDENT_BLOCK
    for (std::int64_t i = 0; i < Block<P>::size; ++i) move(i, initial);
  } else if (block.together() == Grouping::initial) {
    MASS_INDEPENDENT_BLOCK
    for (std::int64_t i = 0; i < Block<P>::size; ++i) {
      if (block.goes(i) != 0) move(i, initial);
    }
  } else if (block.together() == Grouping::alike) {
    const P representative = block.representative();
    const auto alike = [&](P& place) { makeAlike(place, representative); };
    if (areAlike(representative, P{}))
      __builtin_unreachable();  // or rules' branches on it are in the way
    MASS_INDEPENDENT_BLOCK
    for (std::int64_t i = 0; i < Block<P>::size; ++i) {
      if (block.goes(i) != 0) move(i, alike);
    }
  }
  if (block.apart() == 0) return;
  for (std::int64_t i = 0; i < block.count(); ++i) {
    if (block.goes(i) == 0) single(i);
  }
}

/// Runs a changing rule on work units [begin, end) of a band, at an even or an odd step. One
/// function for both, as compilers take long over it.
template <class P, auto Rule, class W>
__attribute__((noinline)) MASS_FLATTEN void moveKernel(const Launch& shared, std::int64_t begin,
                                                       std::int64_t end, bool isEven) {
  const Launch launch = shared;
  const auto arguments = argumentsOf<Rule>(shared);
  const void* in[AttributeSlots<P>::components];
  void* out[AttributeSlots<P>::components];
  std::copy_n(shared.in, AttributeSlots<P>::components, in);
  std::copy_n(shared.out, AttributeSlots<P>::components, out);
  forEachLine<P::dimensions>(
      launch.layout, begin, end, [&](auto row, auto line, auto first, auto last, auto at) {
        const LineHere<P> here{launch, in, out, row, line, static_cast<Index>(at)};
        const AaLine<P> places(shared, row, line);
        const AaAddresses<P> aaAddresses = isEven ? places.across() : places.own();
        const AaAddresses<P> next = nextLine(aaAddresses, launch.layout);
        const Ends ends{isRegular(here.load(first)), isRegular(here.load(last - 1))};
        const auto step = [&](const AaAddresses<P>& where, std::int64_t after, std::int64_t x,
                              auto&& complete) {
          P place = here.load(x);
          complete(place);
          gather(place, where, after);
          change<P, Rule, W>(place, here.around(x), arguments);
          scatter(place, where, after);
          here.template store<W>(x, place);
        };
        const auto single = [&](std::int64_t x) MASS_FLATTEN __attribute__((noinline)) {
          P before = here.load(x);
          if constexpr (definesFlowCell<P>) {
            if (flowCellOf(before) == FlowCell::solid) {
              empty(before);
              scatter(before, places.own(), x);
              return here.template store<W>(x, before);
            }
          }
          const auto nothing = [](P&) {};
          if (!isEven || isRegular(before)) return step(aaAddresses, x, x, nothing);
          step(places.around(x, aaAddresses, before, here.around(x)), 0, x, nothing);
        };
        if (isEven) places.bringEnds(ends, aaAddresses);
        for (std::int64_t x = first; x < last; x += Block<P>::size) {
          // Processors follow fewer lines of memory by themselves than there are elements.
          const std::int64_t ahead = x + 2 * Block<P>::size;
          for (const void* later :
               ahead < last ? locations(aaAddresses, ahead) : locations(next, ahead - last))
            __builtin_prefetch(later, 1);
          forEachOf(
              Block<P>(in, here.at, x, last),
              [&](auto i, auto&& complete) { step(aaAddresses, x + i, x + i, complete); },
              [&](auto i) { single(x + i); });
        }
        if (isEven) places.returnEnds(ends, aaAddresses);
        fillWrittenPadding<P, NonStreamed<W>>(out, launch, row, line);
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
        const AaLine<P> places(shared, row, line);
        const AaAddresses<P> aaAddresses = places.across(), own = places.own();
        // Each two locations are exchanged by one of the two places.
        const auto exchange = [&](const AaAddresses<P>& where, std::int64_t after,
                                  std::int64_t from, std::int64_t to) {
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
              loadPlace<P, LoadScope::nonStreamed>(shared.in, Cursor(at, static_cast<Index>(x)));
          if (flowCellOf(place) == FlowCell::solid) return;
          const auto near = around<P>(shared, shared.in, at, row, line, x);
          exchange(places.around(x, aaAddresses, place, near), x, x, x + 1);
        };
        for (std::int64_t x = first; x < last; x += Block<P>::size) {
          const Block<P> block(shared.in, static_cast<Index>(at), x, last);
          if (block.allGoAlong() && x > 0 && x + block.count() < last) {
            exchange(aaAddresses, 0, x, x + block.count());
          } else {
            for (std::int64_t i = 0; i < block.count(); ++i) single(x + i);
          }
        }
      });
}

}  // namespace mass::detail
