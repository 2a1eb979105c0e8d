#pragma once

// Count sweep: plane sweep of rules of one bool in space. A thread goes from row to row and adds
// the bools around packWidth places as the bytes of one word: the sums of 3 x 3 places of a row
// serve three rows. Included where nvcc compiles a model.

#include <mass/kernels/gpu/stencil_kernel.hpp>
#include <mass/kernels/plane_sweep/star_images.hpp>
#include <mass/rules/box_count.hpp>

#include <cstdint>

namespace mass::detail {

/// True if a rule has a count sweep.
template <class P, auto Rule>
constexpr bool hasCountSweep() {
  return isBoolInSpace<P>() && P::reach <= packWidth && Traits<Rule>::readsNeighbors &&
         !Traits<Rule>::streams;
}

/// Kernel of a changing rule. A block updates 32 * packWidth x `Lines` places of rowsPerSweep rows.
template <class Tag, class Arguments, class W, int Lines>
struct CountSweepBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;
  static constexpr int width = packWidth;

  __device__ static void run(const Call& call) {
    withPeerSync<3>(call.gpu, call.gpu.rowsPerSweep, width, [&] {
      sweep(call, placesInRows<width>(call.gpu, 0));
      // Computes the places again: the sweep needs the registers.
      storeStarImages<P, W>(call, placesInRows<width>(call.gpu, call.gpu.opaqueZero));
    });
  }

 private:
  static constexpr int ahead = 2;  ///< rows that are loaded in advance

  /// Bytes of three lines of a row: the thread's own columns, and those beside them.
  struct Lines3 {
    std::uint32_t own[3];
    std::uint8_t before[3], after[3];

    /// @param middle address of the thread's first place in the line in the middle
    __device__ void load(const unsigned char* middle, Index pitch) {
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        const unsigned char* const line = middle + (i - 1) * pitch;
        own[i] = *reinterpret_cast<const std::uint32_t*>(line);
        before[i] = line[-1];
        after[i] = line[width];
      }
    }
  };
  /// Sums of 3 x 3 places, and the places themselves; a byte for each column.
  struct Row {
    std::uint32_t sums, own;

    __device__ explicit Row(const Lines3& lines) : sums(0), own(lines.own[1]) {
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        const std::uint32_t last = std::uint32_t{lines.after[i]} << 24;
        sums += lines.own[i] + (lines.own[i] << 8 | lines.before[i]) + (lines.own[i] >> 8 | last);
      }
    }
  };

  __device__ static void sweep(const Call& call, GpuPlace place) {
    if (place.width == 0 || place.rows <= 0) return;
    const Layout& layout = call.gpu.launch.layout;
    const auto stride = static_cast<Index>(layout.rowStride);
    const auto pitch = static_cast<Index>(layout.pitch);
    Cursor first = cursorOf<3>(call.gpu, place);
    const auto* from = static_cast<const unsigned char*>(call.in[0]) + first.line + first.column;
    const auto rowAt = [&](int row) {
      Lines3 lines;
      lines.load(from + row * stride, pitch);
      return Row(lines);
    };
    Row before = rowAt(-1), now = rowAt(0);
    from += stride;
    Lines3 coming[ahead];
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      if (i < place.rows) coming[i].load(from + i * stride, pitch);
    }
    const RowImages<P> images(call.gpu, place);
    const int rows = place.rows;
#pragma unroll 1
    for (int k = 0; k < rows; k += ahead) {
#pragma unroll
      for (int i = 0; i < ahead; ++i) {
        if (k + i >= rows) break;
        const Row after(coming[i]);
        if (k + i + ahead < rows) coming[i].load(from + ahead * stride, pitch);
        change(call, place, first, images, now.own, before.sums + now.sums + after.sums - now.own);
        before = now;
        now = after;
        from += stride;
        first.line += stride;
        ++place.row;
      }
    }
  }

  /// Updates the thread's places of a row.
  /// @param own, counts places, and numbers of true bools around them: a byte for each column
  __device__ static void change(const Call& call, const GpuPlace& place, const Cursor& first,
                                const RowImages<P>& images, std::uint32_t own,
                                std::uint32_t counts) {
    constexpr auto rule = ruleOf(Tag{});
    P next[width];
#pragma unroll
    for (int c = 0; c < width; ++c) {
      AttributeSlots<P>::forEach(
          [&](auto slot) { next[c].*decltype(slot)::member = (own >> (8 * c) & 0xff) != 0; });
      const BoxCount<P> around{static_cast<std::uint8_t>(counts >> (8 * c)), true};
      const Neighborhood<P> near(call.gpu.launch, call.in, {first.line, first.column, c, width},
                                 rowOf(call.gpu, place), place.line, place.column + c, around);
      apply<rule>(next[c], near, call.arguments);
    }
    storeRow<P, W>(call.out, Cursor(first.line, first.column, 0, width), 0, next, Copy::own);
    images.template store<W>(call, first.line + first.column, next);
  }
};

template <class Tag, class Arguments, class W, int Lines>
inline constexpr int maxThreads<CountSweepBody<Tag, Arguments, W, Lines>> = starColumns* Lines;
/// Blocks that hold 1024 threads.
template <class Tag, class Arguments, class W, int Lines>
inline constexpr int residentBlocks<CountSweepBody<Tag, Arguments, W, Lines>> = 1024 /
                                                                                (starColumns *
                                                                                 Lines);

}  // namespace mass::detail
