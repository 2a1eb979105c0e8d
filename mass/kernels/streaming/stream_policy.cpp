#include <mass/kernels/streaming/stream_policy.hpp>

#include <mass/support/error.hpp>

#include <fmt/ranges.h>

#include <cstddef>
#include <span>

namespace mass::detail {

void failFlowCell(std::string_view place, int dimensions, const std::int64_t* coordinates) {
  throw UsageError(
      "{} at ({}) has a flowCell() without bounce-back, but a fixed border or a solid place is "
      "adjacent: return FlowCell::nearBoundary or FlowCell::nearSolid there",
      place, fmt::join(std::span(coordinates, static_cast<std::size_t>(dimensions)), ", "));
}

}  // namespace mass::detail
