#include <mass/backend/copy.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mass::detail {
namespace {

/// Size of the staging buffer: large enough for the bandwidth of any link, small beside any world.
constexpr std::size_t pieceBytes = std::size_t{16} << 20;

}  // namespace

void copyBytes(Device& from, const void* source, Device& to, void* target, std::size_t bytes) {
  if (&from == &to) {
    if (bytes > 0) to.duplicate(target, source, bytes);
    return;
  }
  std::vector<char> piece(std::min(bytes, pieceBytes));
  for (std::size_t done = 0; done < bytes; done += piece.size()) {
    const Box box = contiguous(0, static_cast<std::int64_t>(std::min(piece.size(), bytes - done)));
    from.read(static_cast<const char*>(source) + done, 1, box, piece.data());
    to.write(static_cast<char*>(target) + done, 1, box, piece.data());
  }
}

}  // namespace mass::detail
