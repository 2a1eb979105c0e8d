#pragma once

// What waits in a block's memory until there is enough of it for all threads of a warp. Included
// where nvcc compiles a model.

#include <mass/rules/cursor.hpp>
#include <mass/rules/scatter.hpp>
#include <mass/support/ptx.hpp>

#include <cstdint>

namespace mass::detail {

inline constexpr int warpWidth = 32;

/// A place by its number, and the first word of its bag.
__device__ inline int2 noted(int place, std::uint32_t word) {
  return make_int2(place, static_cast<int>(word));
}

/// Codes of a warp that wait until there are threads for them.
struct CodeQueue {
  static constexpr int room = 2 * warpWidth;

  /// A code of a place, for a thread to send. Where the place's bag is yet to be prepared, its
  /// value is the bag's first word, and its number, that of a code, has `isWord` added.
  struct Turn {
    static constexpr int none = -1;
    static constexpr std::uint32_t isWord = 1U << 31;

    int place;
    Element element;
  };
  Turn turns[room];
};

/// Deliveries of a warp to bags that were not empty, which wait until there are enough of them for
/// all its threads.
struct RetryQueue {
  static constexpr int room = 2 * warpWidth;

  /// A PendingElement to the device's memory.
  struct alignas(16) Entry {
    std::uint32_t* first;
    std::uint32_t seen;
    std::uint16_t element;
    std::int16_t beyond;
  };
  Entry entries[room];
};

/// Warps of a block of a rule that sends codes, and what one looks at before it goes on.
struct SendWarps {
  static constexpr int count = 10;  ///< two such blocks leave a thread the 96 registers it needs
  static constexpr int threads = count * warpWidth;
  static constexpr int loads = 2;  ///< quads that a thread looks at together
  static constexpr int quads = loads * warpWidth;
};

/// Places of a warp that wait until there are enough of them for all its threads: in the block's
/// memory, by addresses.
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
