#include <mass/graph/graph_partition.hpp>

#include <metis.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>

namespace mass::detail {

std::optional<std::vector<std::int32_t>> metisParts(const Graph& graph,
                                                    std::span<const double> shares) {
  static_assert(sizeof(idx_t) == sizeof(std::int32_t), "METIS of 32 bits");
  if (graph.nodes() + graph.links() > Graph::largest / 2) return std::nullopt;  // sums of work
  auto nodes = static_cast<idx_t>(graph.nodes());
  std::vector<idx_t> offsets(graph.offsets().begin(), graph.offsets().end());
  std::vector<idx_t> targets(graph.targets().begin(), graph.targets().end());
  std::vector<idx_t> work(static_cast<std::size_t>(nodes));
  for (std::size_t node = 0; node < work.size(); ++node)
    work[node] = 1 + offsets[node + 1] - offsets[node];
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<real_t> portions(shares.size());
  std::transform(shares.begin(), shares.end(), portions.begin(),
                 [&](double share) { return static_cast<real_t>(share / total); });
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NITER] = 2;  // takes half the time of 10, and cuts 2 % more links at most
  idx_t constraints = 1;
  auto count = static_cast<idx_t>(shares.size());
  idx_t cutLinks = 0;
  std::vector<std::int32_t> parts(work.size());
  // METIS draws from std::rand(), whose state all threads share.
  static std::mutex ofRandomNumbers;
  const std::lock_guard lock(ofRandomNumbers);
  const int status = METIS_PartGraphKway(&nodes, &constraints, offsets.data(), targets.data(),
                                         work.data(), nullptr, nullptr, &count, portions.data(),
                                         nullptr, options.data(), &cutLinks, parts.data());
  if (status != METIS_OK) return std::nullopt;
  return parts;
}

}  // namespace mass::detail
