#pragma once

// Rows of places in the registers of a march. Included where nvcc compiles a model.

#include <mass/kernels/gpu/stencil_kernel.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Warps of a block. A warp loads 32 * marchWidth columns and stores those of which it knows all
/// neighbours in all steps.
inline constexpr int marchWarps = 4;

/// True if places may march by this rule: a few scalar attributes, which fit into registers with
/// the rows between the steps, and neighbours at a distance of 1 in a plane.
template <class P, auto Rule>
constexpr bool marches() {
  if (P::dimensions != 2 || P::reach != 1 || !Traits<Rule>::readsNeighbors) return false;
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
inline constexpr int marchSteps[2] = {4, stateBytes<P>() > 4 ? 6 : 8};

/// Columns that a warp does not store at each end: whole threads.
constexpr int marchMargin(int steps) {
  return (steps + marchWidth - 1) / marchWidth * marchWidth;
}
/// Columns that a warp stores.
constexpr int marchColumns(int steps) {
  return 32 * marchWidth - 2 * marchMargin(steps);
}

/// Loads the places of a thread.
template <class P>
__device__ inline void loadMarching(const void* const* in, Index at, P (&row)[marchWidth]) {
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    const auto* const elements = static_cast<const typename S::Stored*>(in[S::first]) + at;
#pragma unroll
    for (int c = 0; c < marchWidth; ++c)
      row[c].*S::member = S::Form::decode(loadFromPack<marchWidth>(elements, c));
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

/// A row with the places beside those of the thread.
template <class P>
struct MarchLine {
  P places[marchWidth + 2];
};

/// Returns a row with the places of the lanes beside.
template <class P>
__device__ inline MarchLine<P> lineOf(const P (&row)[marchWidth]) {
  MarchLine<P> line;
  line.places[0] = placeOfLane(row[marchWidth - 1], true);
  line.places[marchWidth + 1] = placeOfLane(row[0], false);
#pragma unroll
  for (int c = 0; c < marchWidth; ++c) line.places[1 + c] = row[c];
  return line;
}

/// Places beyond borders that are not periodic. They are never computed.
template <class Call>
class MarchEnds {
  using P = typename Call::Place;
  using Line = MarchLine<P>;

 public:
  __device__ explicit MarchEnds(const Call& call)
      : ofRows_(call.gpu.launch.domain.borders[0]), ofColumns_(call.gpu.launch.domain.borders[1]) {
    const Layout& layout = call.gpu.launch.layout;
    const auto origin = static_cast<Index>(layout.origin);
    const auto stride = static_cast<Index>(layout.rowStride);
    // The first band has such places before it, the last one after it; others need none.
    const bool isFirst = call.gpu.launch.firstRow == 0;
    const Index beyond = isFirst ? -stride : static_cast<Index>(layout.rows) * stride;
    if (ofColumns_ == Border::fixed)
      outside_ = loadPlace<P, LoadScope::all>(call.in, Cursor(origin - 1, 0));
    else if (ofRows_ == Border::fixed)
      outside_ = loadPlace<P, LoadScope::all>(call.in, Cursor(origin + beyond, 0));
  }
  /// Sets the places before and after the ends of a line. @param first first column of the thread
  __device__ void setBeside(Line& line, const P (&row)[marchWidth], int first, int columns) const {
    if (ofColumns_ == Border::periodic) return;
    const bool isFixed = ofColumns_ == Border::fixed;
    if (first == 0) line.places[0] = isFixed ? outside_ : row[0];
    if (first + marchWidth == columns)
      line.places[marchWidth + 1] = isFixed ? outside_ : row[marchWidth - 1];
  }
  /// Replaces the row beside `middle`, the first or last one, if it is beyond the border.
  __device__ void setBeyond(Line& line, const Line& middle, bool isBeyond) const {
    if (ofRows_ == Border::periodic || !isBeyond) return;
#pragma unroll
    for (int k = 0; k < marchWidth + 2; ++k)
      line.places[k] = ofRows_ == Border::fixed ? outside_ : middle.places[k];
  }

 private:
  Border ofRows_, ofColumns_;
  P outside_;
};

}  // namespace mass::detail
