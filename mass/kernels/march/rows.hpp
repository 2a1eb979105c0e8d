#pragma once

// Rows of places in the registers of a march in a plane. Included where nvcc compiles a model.

#include <mass/kernels/march/marching_places.hpp>

#include <cstdint>

namespace mass::detail {

/// Warps of a block. A warp loads 32 * marchWidth columns and stores those of which it knows all
/// neighbours in all stages.
inline constexpr int marchWarps = 4;

/// Columns that a warp does not store at each end: whole threads.
constexpr int marchMargin(int stages) {
  return (stages + marchWidth - 1) / marchWidth * marchWidth;
}
/// Columns that a warp stores.
constexpr int marchColumns(int stages) {
  return 32 * marchWidth - 2 * marchMargin(stages);
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
  __device__ void setBeside(Line& line, int first, int columns) const {
    if (ofColumns_ == Border::periodic) return;
    const bool isFixed = ofColumns_ == Border::fixed;
    if (first == 0) line.places[0] = isFixed ? outside_ : line.places[1];
    if (first + marchWidth == columns)
      line.places[marchWidth + 1] = isFixed ? outside_ : line.places[marchWidth];
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
