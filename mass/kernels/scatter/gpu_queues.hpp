#pragma once

// Queues in shared memory that collect work until it suffices for all threads of a warp. Included
// where nvcc compiles a model.

#include <mass/rules/cursor.hpp>
#include <mass/rules/scatter.hpp>
#include <mass/support/cuda/ptx.hpp>

#include <cstdint>

namespace mass::detail {

inline constexpr int warpWidth = 32;

/// Returns the number of a place and the first word of its multiset.
__device__ inline int2 noted(int place, std::uint32_t word) {
  return make_int2(place, static_cast<int>(word));
}

/// Queue of the elements of a warp that no thread has sent yet.
struct ElementQueue {
  static constexpr int room = 2 * warpWidth;

  /// Element of a place. If its multiset is not prepared yet, `element.value` is its first word and
  /// `element.number`, the number of an element, has the bit `isWord` set.
  struct QueuedElement {
    static constexpr int none = -1;
    static constexpr std::uint32_t isWord = 1U << 31;

    int place;
    Element element;
  };
  QueuedElement elements[room];
};

/// Queue of the elements of a warp that were sent to multisets that were not empty.
struct RetryQueue {
  static constexpr int room = 2 * warpWidth;

  /// PendingElement in device memory.
  struct alignas(16) Entry {
    std::uint32_t* first;
    std::uint32_t seen;
    std::uint16_t element;
    std::int16_t remoteRow;
  };
  Entry entries[room];
};

/// Warps of a block of a scatter kernel, and the quads that one scans in a round.
struct SendWarps {
  /// Two such blocks leave each thread the 96 registers that it needs.
  static constexpr int count = 10;
  static constexpr int threads = count * warpWidth;
  static constexpr int loads = 2;  ///< quads that a thread loads at once
  static constexpr int quads = loads * warpWidth;
};

/// Queue of the occupied places of a warp, in shared memory, by addresses.
class SendQueue {
 public:
  static constexpr int room = warpWidth + SendWarps::quads * packWidth;

  __device__ explicit SendQueue(int2* places) : begin_(sharedAddressOf(places)) {}
  __device__ SharedAddress at(int number) const {
    return begin_ + static_cast<SharedAddress>(number) * SharedAddress{sizeof(int2)};
  }

 private:
  SharedAddress begin_;
};

}  // namespace mass::detail
