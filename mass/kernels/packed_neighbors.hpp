#pragma once

// Packed copies of attributes for rules of nodes on CPUs.

#include <mass/launch/launch.hpp>
#include <mass/memory/packed_codes.hpp>
#include <mass/rules/links.hpp>

#include <array>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Smallest number of rows whose attributes are packed: below, bytes fit into the caches, too.
inline constexpr std::int64_t minPackedRows = 1 << 15;

/// Copies of the attributes of one byte of nodes P, if their values are below 4. A thread makes
/// them before it runs a rule on its rows, and reads the ends of links from them.
template <class P>
class PackedNeighbors {
 public:
  /// Makes the copies if there are enough links for it. The launch reads them until they are
  /// destroyed.
  /// @param begin, end rows of the thread
  PackedNeighbors(Launch& launch, std::int64_t begin, std::int64_t end) {
    const Layout& layout = launch.layout;
    const std::int64_t rows = layout.rows + 2 * layout.ghostRows;
    const LinksView& links = launch.links;
    if (rows < minPackedRows || links.offsets[end] - links.offsets[begin] < rows) return;
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      if constexpr (isPackedInLinks<S>) {
        const auto* const values = static_cast<const unsigned char*>(launch.in[S::first]);
        if (codes_[S::first].pack(values + layout.origin - layout.ghostRows, layout.ghostRows,
                                  rows))
          words_[S::first] = codes_[S::first].words();
      }
    });
    launch.links.packed = words_.data();
  }
  PackedNeighbors(const PackedNeighbors&) = delete;
  PackedNeighbors& operator=(const PackedNeighbors&) = delete;

 private:
  std::array<PackedCodes, componentArraySize<P>> codes_;
  std::array<const std::uint32_t*, componentArraySize<P>> words_{};
};
/// Takes the place of PackedNeighbors for rules that do not read neighbours by links.
struct NoPackedNeighbors {
  NoPackedNeighbors(Launch& /*launch*/, std::int64_t /*begin*/, std::int64_t /*end*/) {}
};

/// PackedNeighbors of a rule of places P.
template <class P, bool readsNeighbors>
using PackedNeighborsFor = std::conditional_t<isNode<P> && readsNeighbors && !onGpu,
                                              PackedNeighbors<P>, NoPackedNeighbors>;

}  // namespace mass::detail
