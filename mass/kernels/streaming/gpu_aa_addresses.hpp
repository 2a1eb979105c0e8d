#pragma once

// Addresses of streamed elements in the AA pattern on GPUs (see aa_pattern.hpp). Included where
// nvcc compiles a model.

#include <mass/kernels/gpu/thread_places.hpp>
#include <mass/kernels/streaming/bounce_back.hpp>
#include <mass/launch/gpu_launch.hpp>

#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Addresses of streamed elements around a thread's `Width` neighbouring places, or fewer at the
/// end of a line. Places beyond the ends of an axis are those at its other end; places beyond a
/// band are on another device.
/// @tparam Void type that the buffers point to: void or const void
template <class P, int Width, class Void>
class GpuAaAddresses {
  static constexpr int D = P::dimensions;
  using Byte = std::conditional_t<std::is_const_v<Void>, const char, char>;
  template <class S>
  using Element =
      std::conditional_t<std::is_const_v<Void>, const typename S::Stored, typename S::Stored>;

 public:
  /// @param buffers by component, as in GpuCall
  __device__ GpuAaAddresses(const GpuLaunch& gpu, Void* const* buffers, const GpuPlace& place,
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
            const RemoteRow& remote =
                gpu.launch.scatter.remoteRows[step < 0 ? layout.depth - 1 : layout.depth];
            const std::int64_t shift = gpu.rowBegin * layout.rowStride + remote.shift;
            // Computed as a distance from this device's buffer, so that the compiler infers global
            // memory.
            const std::int64_t bytes = shift * S::interleave * std::int64_t{sizeof(Element<S>)};
            auto* const bytesHere = static_cast<Byte*>(buffers[S::first]);
            data_[step + 1][S::first] =
                bytesHere + (static_cast<Byte*>(remote.out[S::first]) + bytes - bytesHere);
          }
        }
      }
    });
  }

  /// Returns the address of element k of slot S at an offset from place c of the thread.
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
  /// Returns the address from which place c loads element k of slot S, at even or at odd steps.
  /// Includes the bounce-back at fixed ends of lines, which many warps meet.
  template <class S, bool isEven>
  __device__ Element<S>* sourceAddress(int c, int k) const {
    if constexpr (isEven) {
      const auto source = sourceOf<S>(k);
      const int step = c + source[D - 1];
      const bool isBack = (step < 0 && isFirst_) || (step >= Width && isLast_);
      return isBack ? ownAddress<S>(c, k) : at<S>(c, source, k);
    } else {
      return ownAddress<S>(c, k);
    }
  }
  /// Returns the mask of the components of place c for which sourceAddress() includes a
  /// bounce-back.
  __device__ ComponentBits<P> selectedBounceBack(int c) const {
    constexpr ComponentBits<P> before = crossingComponents<P>(2 * D - 2),
                               after = crossingComponents<P>(2 * D - 1);
    return (c == 0 && isFirst_ ? before : 0) | (c == Width - 1 && isLast_ ? after : 0);
  }
  /// Returns the address from which element k of place c is loaded if it bounces back, and at odd
  /// steps.
  template <class S>
  __device__ Element<S>* ownAddress(int c, int k) const {
    return at<S>(c, {}, oppositeOf<S>(k));
  }

 private:
  Void* data_[3]
             /// By row (before, own, after) and slot: address of the place with index 0.
             [AttributeSlots<P>::components];
  Cursor at_;
  Index pitch_, stride_, lineBefore_, lineAfter_;  ///< distances, in places
  int before_, after_;
  bool isFirst_, isLast_;  ///< the places are the first, or last, of a line with fixed ends
};
template <class P, int Width>
using AaReads = GpuAaAddresses<P, Width, const void>;
template <class P, int Width>
using AaWrites = GpuAaAddresses<P, Width, void>;

}  // namespace mass::detail
