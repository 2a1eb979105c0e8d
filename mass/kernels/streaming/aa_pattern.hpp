#pragma once

// AA pattern on CPUs: streaming within one buffer (Bailey, Myre, Walsh, Lilja & Saar, Proc. Int.
// Conf. Parallel Processing (2009) 550).
//
// A place and the source of its element k share two addresses: that of element k at the source, and
// that of the opposite element at the place. No other place reads or writes these. At even steps, a
// place loads element k from the first address and stores its opposite element there, for the
// source. At odd steps it does so at the second address, its own. After two steps the layout is the
// natural one again. An element that bounces back, at a border or a solid place, is at the second
// address in both steps.
//
// During an even step, the padding of a line holds the elements that its end places receive from
// beyond the line. So all places of the line are updated by blocks, whatever its borders are.

#include <mass/kernels/streaming/aa_addresses.hpp>
#include <mass/kernels/streaming/stream_policy.hpp>
#include <mass/kernels/streaming/vector_block.hpp>
#include <mass/launch/launch.hpp>
#include <mass/rules/streaming.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace mass::detail {

/// True if a rule that writes W can use the AA pattern.
template <class P, auto Rule, class W>
constexpr bool streamsInPlace() {
  bool may = supportsAaPattern<P>() && Traits<Rule>::streams && !Traits<Rule>::haloDepthBelow;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) may = may && isWritten<S, W>;
  });
  return may;
}

/// A line of places and its surroundings.
template <class P>
struct LineView {
  const Launch& launch;
  const void* const* in;
  void* const* out;
  std::int64_t row, line;
  Index at;

  Neighborhood<P> around(std::int64_t x) const {
    return detail::around<P>(launch, in, at, row, line, x);
  }
  /// Loads the place in column x without its streamed attributes.
  P load(std::int64_t x) const {
    return loadPlace<P, LoadScope::nonStreamed>(in, Cursor(at, static_cast<Index>(x)));
  }
  template <class W>
  void store(std::int64_t x, const P& place) const {
    storePlace<P, NonStreamed<W>>(out, Cursor(at, static_cast<Index>(x)), place);
  }
};

/// Calls move(i, setKnown) for the members i of a block; setKnown(place) sets the attributes that
/// are known to be equal in all of them. Calls single(i) for the block's other places.
template <class P, class Move, class Single>
inline void forEachInBlock(const Block<P>& block, Move&& move, Single&& single) {
  using Grouping = typename Block<P>::Grouping;
  const auto initial = [](P& place) { setInitial(place); };
  if (block.grouping() == Grouping::whole) {
    MASS_INDEPENDENT_BLOCK
    for (std::int64_t i = 0; i < Block<P>::size; ++i) move(i, initial);
  } else if (block.grouping() == Grouping::initial) {
    MASS_INDEPENDENT_BLOCK
    for (std::int64_t i = 0; i < Block<P>::size; ++i) {
      if (block.isMember(i) != 0) move(i, initial);
    }
  } else if (block.grouping() == Grouping::alike) {
    const P representative = block.representative();
    const auto alike = [&](P& place) { copyDefaults(place, representative); };
    if (haveEqualDefaults(representative, P{}))
      __builtin_unreachable();  // otherwise branches of rules on defaults prevent vectors
    MASS_INDEPENDENT_BLOCK
    for (std::int64_t i = 0; i < Block<P>::size; ++i) {
      if (block.isMember(i) != 0) move(i, alike);
    }
  }
  if (block.singles() == 0) return;
  for (std::int64_t i = 0; i < block.count(); ++i) {
    if (block.isMember(i) == 0) single(i);
  }
}

/// Runs a changing rule on the work units [begin, end) of a band, at an even or an odd step. One
/// function for both, since compilers take long for it.
template <class P, auto Rule, class W>
__attribute__((noinline)) MASS_FLATTEN void runAaStep(const Launch& shared, std::int64_t begin,
                                                      std::int64_t end, bool isEven) {
  const Launch launch = shared;
  const auto arguments = argumentsOf<Rule>(shared);
  const void* in[AttributeSlots<P>::components];
  void* out[AttributeSlots<P>::components];
  std::copy_n(shared.in, AttributeSlots<P>::components, in);
  std::copy_n(shared.out, AttributeSlots<P>::components, out);
  forEachLine<P::dimensions>(
      launch.layout, begin, end, [&](auto row, auto line, auto first, auto last, auto at) {
        const LineView<P> here{launch, in, out, row, line, static_cast<Index>(at)};
        const AaLine<P> places(shared, row, line);
        const AaAddresses<P> addresses = isEven ? places.evenAddresses() : places.oddAddresses();
        const AaAddresses<P> next = nextLine(addresses, launch.layout);
        const RegularEnds ends{isRegular(here.load(first)), isRegular(here.load(last - 1))};
        const auto step = [&](const AaAddresses<P>& where, std::int64_t after, std::int64_t x,
                              auto&& setKnown) {
          P place = here.load(x);
          setKnown(place);
          gather(place, where, after);
          change<P, Rule, W>(place, here.around(x), arguments);
          scatter(place, where, after);
          here.template store<W>(x, place);
        };
        const auto single = [&](std::int64_t x) MASS_FLATTEN __attribute__((noinline)) {
          P before = here.load(x);
          if constexpr (definesFlowCell<P>) {
            if (flowCellOf(before) == FlowCell::solid) {
              clearStreamed(before);
              scatter(before, places.oddAddresses(), x);
              return here.template store<W>(x, before);
            }
          }
          const auto nothing = [](P&) {};
          if (!isEven || isRegular(before)) return step(addresses, x, x, nothing);
          step(places.evenAddressesAt(x, addresses, before, here.around(x)), 0, x, nothing);
        };
        if (isEven) places.loadLineEnds(ends, addresses);
        for (std::int64_t x = first; x < last; x += Block<P>::size) {
          // Hardware prefetchers follow fewer streams than there are elements.
          const std::int64_t ahead = x + 2 * Block<P>::size;
          for (const void* later :
               ahead < last ? addressesAt(addresses, ahead) : addressesAt(next, ahead - last))
            __builtin_prefetch(later, 1);
          forEachInBlock(
              Block<P>(in, here.at, x, last),
              [&](auto i, auto&& setKnown) { step(addresses, x + i, x + i, setKnown); },
              [&](auto i) { single(x + i); });
        }
        if (isEven) places.storeLineEnds(ends, addresses);
        fillWrittenPadding<P, NonStreamed<W>>(out, launch, row, line);
      });
}
template <class P, auto Rule, class W, bool isEven>
void aaStepKernel(const Launch& launch, std::int64_t begin, std::int64_t end) {
  runAaStep<P, Rule, W>(launch, begin, end, isEven);
}

/// Restores the natural layout after an even step.
template <class P, auto Rule>
MASS_FLATTEN void restoreLayoutKernel(const Launch& shared, std::int64_t begin, std::int64_t end) {
  forEachLine<P::dimensions>(
      shared.layout, begin, end, [&](auto row, auto line, auto first, auto last, auto at) {
        const AaLine<P> places(shared, row, line);
        const AaAddresses<P> addresses = places.evenAddresses(),
                             oddAddresses = places.oddAddresses();
        // One of the two places that share two addresses exchanges the elements.
        const auto exchange = [&](const AaAddresses<P>& where, std::int64_t after,
                                  std::int64_t from, std::int64_t to) {
          forEachStreamed<P>([&](auto slot, auto k) {
            using S = decltype(slot);
            if constexpr (k < oppositeOf<S>(k)) {
              auto* const there = where.template of<S>(k) - after;
              auto* const here = oddAddresses.template of<S>(k);
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
          exchange(places.evenAddressesAt(x, addresses, place, near), x, x, x + 1);
        };
        for (std::int64_t x = first; x < last; x += Block<P>::size) {
          const Block<P> block(shared.in, static_cast<Index>(at), x, last);
          if (block.allRegular() && x > 0 && x + block.count() < last) {
            exchange(addresses, 0, x, x + block.count());
          } else {
            for (std::int64_t i = 0; i < block.count(); ++i) single(x + i);
          }
        }
      });
}

}  // namespace mass::detail
