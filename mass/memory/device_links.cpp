#include <mass/memory/device_links.hpp>

#include <mass/backend/on_all_ranks.hpp>
#include <mass/graph/graph_partition.hpp>
#include <mass/partition/ghost_numbering.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>

namespace mass::detail {
namespace {

/// Returns the number of links before those of a node.
std::int64_t linksBefore(const Graph& graph, std::int64_t node) {
  return graph.offsets()[static_cast<std::size_t>(node)];
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

/// Returns the global rows of a band with its ghosts, by local row from the first ghost row on.
/// Ghost rows without a ghost have number 0.
std::vector<std::int32_t> rowsOf(RowRange band, const GhostNumbering& numbering) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(band.size() + 2 * numbering.below()));
  const auto at = [&](std::int64_t local) -> std::int32_t& {
    return rows[static_cast<std::size_t>(local + numbering.below())];
  };
  for (std::int64_t row = 0; row < band.size(); ++row)
    at(row) = static_cast<std::int32_t>(band.begin + row);
  for (std::int64_t i = 0; i < numbering.count(); ++i)
    at(numbering.ofGhost(i)) =
        static_cast<std::int32_t>(numbering.ghosts()[static_cast<std::size_t>(i)]);
  return rows;
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

DeviceLinks::DeviceLinks(const DeviceConfig& devices, std::shared_ptr<const Network> network,
                         const RowPartition& partition)
    : network_(std::move(network)), arrays_(static_cast<std::size_t>(devices.size())) {
  const Graph& graph = network_->graph;
  onAllRanks(devices.ranks(), [&] {
    for (int device = 0; device < devices.size(); ++device) {
      const RowRange band = bands_.emplace_back(partition.range(device));
      const GhostNumbering numbering = numberingOf(graph, band);
      ghostRows_.push_back(numbering.below());
      addCopies(ghostPlan_, partition, device, numbering);
      if (!devices.isLocal(device)) continue;
      Device& memory = devices.device(device);
      Arrays& arrays = arrays_[static_cast<std::size_t>(device)];
      arrays.offsets = uploaded<std::int32_t>(memory, offsetsOf(graph, band));
      arrays.ends = uploaded<std::int32_t>(memory, endsOf(graph, band, numbering));
      if (graph.isWeighted())
        arrays.weights = uploaded<double>(memory, ofLinks(graph.weights(), graph, band));
      if (!network_->isOrdered() && devices.size() == 1) continue;
      std::vector<std::int32_t> rows = rowsOf(band, numbering);
      if (devices.size() > 1) arrays.rows = uploaded<std::int32_t>(memory, rows);
      for (std::int32_t& row : rows) row = network_->nodeOf(row);
      arrays.numbers = uploaded<std::int32_t>(memory, rows);
    }
  });
}

LinksView DeviceLinks::view(int device) const {
  const Arrays& arrays = arrays_[static_cast<std::size_t>(device)];
  const auto ofRow0 = [&](const Buffer& values) {
    const auto* const first = static_cast<const std::int32_t*>(values.data());
    return first == nullptr ? nullptr : first + ghostRows(device);
  };
  return {static_cast<const std::int32_t*>(arrays.offsets.data()),
          static_cast<const std::int32_t*>(arrays.ends.data()),
          static_cast<const double*>(arrays.weights.data()), ofRow0(arrays.rows),
          ofRow0(arrays.numbers)};
}

std::pair<std::int64_t, std::int64_t> DeviceLinks::share(const Worker& worker) const {
  const Graph& graph = network_->graph;
  const RowRange band = bands_[static_cast<std::size_t>(worker.device())];
  const std::int64_t before = costBefore(graph, band.begin);
  const auto [first, end] = worker.share(costBefore(graph, band.end) - before);
  return {rowAtCost(graph, band, before + first) - band.begin,
          rowAtCost(graph, band, before + end) - band.begin};
}

std::size_t DeviceLinks::bytes() const {
  std::size_t total = 0;
  for (const Arrays& arrays : arrays_)
    total += arrays.offsets.bytes() + arrays.ends.bytes() + arrays.weights.bytes() +
             arrays.rows.bytes() + arrays.numbers.bytes();
  return total;
}

std::shared_ptr<const Network> networkOn(const DeviceConfig& devices, Graph graph) {
  const std::vector<double>& weights = devices.weights();
  std::vector<std::int32_t> order(static_cast<std::size_t>(graph.nodes()));
  std::vector<std::int64_t> bands(weights.size());
  if (devices.size() == 1) {
    if (devices.areGpus() || !isWorthSorting(graph))
      return std::make_shared<const Network>(inOrderOfNodes(std::move(graph), weights));
    std::iota(order.begin(), order.end(), 0);
    bands[0] = graph.nodes();
    return std::make_shared<const Network>(inOrder(graph, order, bands));
  }
  // Ranks of different builds might find different orders.
  Ranks& ranks = devices.ranks();
  onAllRanks(ranks, [&] {
    if (!ranks.isFirst()) return;
    GraphPartition parts = partitionGraph(graph, weights);
    order = std::move(parts.order);
    for (std::size_t part = 0; part < bands.size(); ++part)
      bands[part] = parts.cuts[part + 1] - parts.cuts[part];
  });
  ranks.broadcast(order.data(), order.size() * sizeof(order[0]));
  ranks.broadcast(bands.data(), bands.size() * sizeof(bands[0]));
  return std::make_shared<const Network>(inOrder(graph, order, bands));
}

}  // namespace mass::detail
