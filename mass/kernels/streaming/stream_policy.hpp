#pragma once

// Loading of places by rules that stream: the pull scheme with half-way bounce-back.

#include <mass/kernels/stencil_kernels.hpp>
#include <mass/kernels/streaming/bounce_back.hpp>

namespace mass::detail {

template <auto Rule>
requires(Traits<Rule>::streams) struct LoadPolicy<Rule> {
  /// Loads the place at `at`, with its streamed components from their sources, before bounce-back.
  template <bool mayBeAtEnd = true, class P>
  MASS_FN static P load(const void* const* in, Cursor at, const Neighborhood<P>& near) {
    P place = loadPlace<P, LoadScope::nonStreamed>(in, at);
    pullStreamed<mayBeAtEnd>(place, near);
    return place;
  }
  /// Applies the bounce-back from solid places.
  template <int Width, class P, class Near>
  MASS_FN static void completeTogether(P* places, Near&& near) {
    if constexpr (definesFlowCell<P>) applySolidBounceBack<Width>(places, near);
  }
  /// Applies the bounce-back from fixed borders.
  template <class P>
  MASS_FN static bool completeEach(P& place, const Neighborhood<P>& near) {
    return applyBoundary(place, near);
  }
  /// Checks the flowCell() of a place against its surroundings.
  /// @throws UsageError if a component bounces back that flowCell() excludes
  template <class P>
  MASS_FN static void check(const P& place, const Neighborhood<P>& near) {
    if constexpr (definesFlowCell<P>) {
      const FlowCell flowCell = flowCellOf(place);
      const unsigned ends = fixedEndsAt(near);
      forEachStreamed<P>([&](auto slot, auto k) {
        using S = decltype(slot);
        const auto source = sourceOf<S>(k);
        const bool isOut = (endsCrossed(source) & ends) != 0;
        const bool isBack = !isOut && flowCell != FlowCell::nearSolid &&
                            flowCellAt(near, source) == FlowCell::solid;
        if ((isOut && flowCell == FlowCell::interior) || isBack)
          failFlowCell(typeName<P>(), P::dimensions, near.coordinates().values);
      });
    }
  }
};

}  // namespace mass::detail
