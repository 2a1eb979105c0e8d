#include <mass/memory/device_links.hpp>

#include <mass/backend/on_all_ranks.hpp>
#include <mass/partition/ghost_numbering.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>

namespace mass::detail {
namespace {

/// Cost of a node in a step, in links.
constexpr std::int64_t costOfNode = 4;

/// Returns the number of links before those of a node.
std::int64_t linksBefore(const Graph& graph, std::int64_t node) {
  return graph.offsets()[static_cast<std::size_t>(node)];
}

/// Returns the cost of the nodes before `node`, in links.
std::int64_t costBefore(const Graph& graph, std::int64_t node) {
  return linksBefore(graph, node) + costOfNode * node;
}

/// Returns the first node in [first, end) before which nodes of at least `cost` lie, or `end`.
std::int64_t nodeAtCost(const Graph& graph, RowRange nodes, std::int64_t cost) {
  while (nodes.size() > 0) {
    const std::int64_t middle = nodes.begin + nodes.size() / 2;
    if (costBefore(graph, middle) < cost)
      nodes.begin = middle + 1;
    else
      nodes.end = middle;
  }
  return nodes.begin;
}

/// Returns the elements of an array by link for the links of some nodes.
template <class T>
std::span<const T> ofLinks(std::span<const T> values, const Graph& graph, RowRange nodes) {
  const std::int64_t first = linksBefore(graph, nodes.begin);
  return values.subspan(static_cast<std::size_t>(first),
                        static_cast<std::size_t>(linksBefore(graph, nodes.end) - first));
}

/// Returns the targets of the links of some nodes.
std::span<const std::int32_t> targetsOf(const Graph& graph, RowRange nodes) {
  return ofLinks(graph.targets(), graph, nodes);
}

/// Returns the local numbers of a band of nodes and of those at which their links end.
GhostNumbering numberingOf(const Graph& graph, RowRange band) {
  std::vector<bool> isListed(static_cast<std::size_t>(graph.nodes()));
  std::vector<std::uint32_t> ghosts;
  for (const std::int32_t target : targetsOf(graph, band)) {
    const auto number = static_cast<std::size_t>(target);
    if ((band.begin <= target && target < band.end) || isListed[number]) continue;
    isListed[number] = true;
    ghosts.push_back(static_cast<std::uint32_t>(target));
  }
  GhostNumbering numbering(band, std::move(ghosts));
  numbering.halve();
  return numbering;
}

/// Returns an array in the memory of a device.
template <class T>
Buffer uploaded(Device& device, std::span<const T> values) {
  if (values.empty()) return {};
  Buffer buffer(device, values.size_bytes());
  device.write(buffer.data(), sizeof(T), contiguous(0, static_cast<std::int64_t>(values.size())),
               values.data());
  return buffer;
}

/// Returns the numbers of the links before those of each node of a band.
std::vector<std::int32_t> offsetsOf(const Graph& graph, RowRange band) {
  std::vector<std::int32_t> offsets;
  const std::int64_t first = linksBefore(graph, band.begin);
  for (std::int64_t node = band.begin; node <= band.end; ++node)
    offsets.push_back(static_cast<std::int32_t>(linksBefore(graph, node) - first));
  return offsets;
}

/// Returns the local numbers of the nodes at which the links of a band end.
std::vector<std::int32_t> endsOf(const Graph& graph, RowRange band,
                                 const GhostNumbering& numbering) {
  std::vector<std::int32_t> local(static_cast<std::size_t>(graph.nodes()));
  for (std::int64_t node = band.begin; node < band.end; ++node)
    local[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(numbering.of(node));
  for (std::int64_t i = 0; i < numbering.count(); ++i)
    local[numbering.ghosts()[static_cast<std::size_t>(i)]] =
        static_cast<std::int32_t>(numbering.ofGhost(i));
  std::vector<std::int32_t> ends;
  ends.reserve(targetsOf(graph, band).size());
  for (const std::int32_t target : targetsOf(graph, band))
    ends.push_back(local[static_cast<std::size_t>(target)]);
  return ends;
}

/// Appends the copies of the ghosts of a device.
void addCopies(std::vector<GhostCopy>& plan, const RowPartition& partition, int device,
               const GhostNumbering& numbering) {
  const std::int64_t first = partition.range(device).begin;
  for (std::int64_t i = 0; i < numbering.count(); ++i) {
    const std::int64_t node = numbering.ghosts()[static_cast<std::size_t>(i)];
    addRow(plan, {partition.owner(node), node, device, first + numbering.ofGhost(i), 1});
  }
}

}  // namespace

DeviceLinks::DeviceLinks(const DeviceConfig& devices, std::shared_ptr<const Graph> graph,
                         const RowPartition& partition)
    : graph_(std::move(graph)), arrays_(static_cast<std::size_t>(devices.size())) {
  onAllRanks(devices.ranks(), [&] {
    for (int device = 0; device < devices.size(); ++device) {
      const RowRange band = bands_.emplace_back(partition.range(device));
      const GhostNumbering numbering = numberingOf(*graph_, band);
      ghostRows_.push_back(numbering.below());
      addCopies(ghostPlan_, partition, device, numbering);
      if (!devices.isLocal(device)) continue;
      Device& memory = devices.device(device);
      Arrays& arrays = arrays_[static_cast<std::size_t>(device)];
      arrays.offsets = uploaded<std::int32_t>(memory, offsetsOf(*graph_, band));
      arrays.ends = uploaded<std::int32_t>(memory, endsOf(*graph_, band, numbering));
      if (graph_->isWeighted())
        arrays.weights = uploaded<double>(memory, ofLinks(graph_->weights(), *graph_, band));
    }
  });
}

LinksView DeviceLinks::view(int device) const {
  const Arrays& arrays = arrays_[static_cast<std::size_t>(device)];
  return {static_cast<const std::int32_t*>(arrays.offsets.data()),
          static_cast<const std::int32_t*>(arrays.ends.data()),
          static_cast<const double*>(arrays.weights.data())};
}

std::pair<std::int64_t, std::int64_t> DeviceLinks::share(const Worker& worker) const {
  const RowRange band = bands_[static_cast<std::size_t>(worker.device())];
  const std::int64_t before = costBefore(*graph_, band.begin);
  const auto [first, end] = worker.share(costBefore(*graph_, band.end) - before);
  return {nodeAtCost(*graph_, band, before + first) - band.begin,
          nodeAtCost(*graph_, band, before + end) - band.begin};
}

std::size_t DeviceLinks::bytes() const {
  std::size_t total = 0;
  for (const Arrays& arrays : arrays_)
    total += arrays.offsets.bytes() + arrays.ends.bytes() + arrays.weights.bytes();
  return total;
}

RowPartition partitionOf(const Graph& graph, const std::vector<double>& weights) {
  const std::int64_t nodes = graph.nodes();
  const RowPartition equal(nodes, weights);  // checks the weights
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto cost = static_cast<double>(costBefore(graph, nodes));
  std::vector<std::int64_t> bands;
  std::int64_t begin = 0;
  double upTo = 0;
  for (int device = 0; device < equal.devices(); ++device) {
    upTo += weights[static_cast<std::size_t>(device)];
    const std::int64_t after = equal.devices() - 1 - device;  // bands of at least one node
    const auto wanted = static_cast<std::int64_t>(cost * (upTo / total));
    const std::int64_t end =
        after == 0 ? nodes
                   : std::clamp(nodeAtCost(graph, {0, nodes}, wanted), begin + 1, nodes - after);
    bands.push_back(end - begin);
    begin = end;
  }
  return RowPartition::ofBands(bands);
}

}  // namespace mass::detail
