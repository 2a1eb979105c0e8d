#pragma once

// Where a thread of a GPU finds what is streamed that moves within one buffer (see in_place.hpp).
// Included where nvcc compiles a model.

#include <mass/kernels/gpu/thread_places.hpp>
#include <mass/kernels/bounce_back.hpp>
#include <mass/launch/gpu_launch.hpp>

#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Where what is streamed lies around a thread's places: `Width` of them side by side, or fewer.
/// Places beyond the ends of an axis are at its other end; beyond a band, on another device.
/// @tparam Void of the buffers: void, or const void
template <class P, int Width, class Void>
class GpuLinks {
  static constexpr int D = P::dimensions;
  using Byte = std::conditional_t<std::is_const_v<Void>, const char, char>;
  template <class S>
  using Element =
      std::conditional_t<std::is_const_v<Void>, const typename S::Stored, typename S::Stored>;

 public:
  /// @param buffers by component, as GpuCall has them
  __device__ GpuLinks(const GpuLaunch& gpu, Void* const* buffers, const GpuPlace& place,
                      Index opaqueZero = 0)
      : at_(cursorOf<D>(gpu, place).moved(opaqueZero, 0)),
        pitch_(static_cast<Index>(gpu.launch.layout.pitch)),
        stride_(static_cast<Index>(gpu.launch.layout.rowStride)) {
    const Layout& layout = gpu.launch.layout;
    const auto columns = static_cast<int>(layout.columns);
    before_ = place.column == 0 ? columns - 1 : place.column - 1;
    after_ = place.column + Width >= columns ? 0 : place.column + Width;
    const bool hasEnds = gpu.launch.domain.borders[D - 1] == Border::fixed;
    isFirst_ = hasEnds && place.column == 0;
    isLast_ = hasEnds && place.column + Width >= columns;
    const auto lines = static_cast<Index>(layout.lines);
    lineBefore_ = place.line == 0 ? (lines - 1) * pitch_ : -pitch_;
    lineAfter_ = place.line == lines - 1 ? (1 - lines) * pitch_ : pitch_;
    const std::int64_t row = rowOf(gpu, place);
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      if constexpr (S::isStreamed) {
#pragma unroll
        for (int step = -1; step <= 1; ++step) {
          data_[step + 1][S::first] = buffers[S::first];
          if (step != 0 && (row + step < 0 || row + step >= layout.rows)) {
            const RemoteRow& beyond =
                gpu.launch.scatter.beyond[step < 0 ? layout.depth - 1 : layout.depth];
            const std::int64_t shift = gpu.rowBegin * layout.rowStride + beyond.shift;
            // By its distance, so that the compiler knows what kind of memory it is.
            const std::int64_t bytes = shift * S::interleave * std::int64_t{sizeof(Element<S>)};
            auto* const bytesHere = static_cast<Byte*>(buffers[S::first]);
            data_[step + 1][S::first] =
                bytesHere + (static_cast<Byte*>(beyond.out[S::first]) + bytes - bytesHere);
          }
        }
      }
    });
  }

  /// Element k of slot S at an offset from place c of the thread.
  template <class S>
  __device__ Element<S>* at(int c, const Offset<D>& offset, int k) const {
    Index line = at_.line + offset[0] * stride_;
    if constexpr (D == 3) {
      if (offset[1] != 0) line += offset[1] < 0 ? lineBefore_ : lineAfter_;
    }
    const int step = c + offset[D - 1];
    const int column = step < 0 ? before_ : step >= Width ? after_ : at_.column + step;
    return static_cast<Element<S>*>(data_[offset[0] + 1][S::first]) +
           (S::interleave * line + column + k * pitch_);
  }
  /// Where element k of slot S comes from to place c at even or at odd steps; what comes back at
  /// the ends of a line, which many warps take, included.
  template <class S, bool isEven>
  __device__ Element<S>* comingTo(int c, int k) const {
    if constexpr (isEven) {
      const auto source = sourceOf<S>(k);
      const int step = c + source[D - 1];
      const bool isBack = (step < 0 && isFirst_) || (step >= Width && isLast_);
      return isBack ? own<S>(c, k) : at<S>(c, source, k);
    } else {
      return own<S>(c, k);
    }
  }
  /// The components of place c of which comingTo knows that they come back.
  __device__ ComponentBits<P> backAlready(int c) const {
    constexpr ComponentBits<P> before = comingFrom<P>(2 * D - 2), after = comingFrom<P>(2 * D - 1);
    return (c == 0 && isFirst_ ? before : 0) | (c == Width - 1 && isLast_ ? after : 0);
  }
  /// Where it comes back from; and comes from at odd steps.
  template <class S>
  __device__ Element<S>* own(int c, int k) const {
    return at<S>(c, {}, oppositeOf<S>(k));
  }

 private:
  Void* data_[3]
             [AttributeSlots<P>::components];  ///< by row and slot: from where places are counted
  Cursor at_;
  Index pitch_, stride_, lineBefore_, lineAfter_;  ///< distances, in places
  int before_, after_;
  bool isFirst_, isLast_;  ///< the places lie before, or after, all others of a line with ends
};
template <class P, int Width>
using LinksFrom = GpuLinks<P, Width, const void>;
template <class P, int Width>
using LinksTo = GpuLinks<P, Width, void>;

}  // namespace mass::detail
