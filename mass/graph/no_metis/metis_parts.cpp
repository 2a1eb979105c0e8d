#include <mass/graph/graph_partition.hpp>

namespace mass::detail {

std::optional<std::vector<std::int32_t>> metisParts(const Graph&, std::span<const double>) {
  return std::nullopt;
}

}  // namespace mass::detail
