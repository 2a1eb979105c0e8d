#include <mass/model/graph_checkpoint.hpp>

#include <mass/graph/graph_builder.hpp>
#include <mass/support/error.hpp>

#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace mass::detail {
namespace {

std::string linkCounter(const PlacesState& places) {
  return places.name + ".links";
}

/// Returns an array of a checkpoint.
template <class T>
std::vector<T> valuesOf(const RankCheckpoint& file, const ArrayInfo& array) {
  const std::vector<char> bytes = file.allRows(array);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Returns the network with the links of a checkpoint.
/// @throws CheckpointError if they are no links of these nodes
Graph graphIn(const RankCheckpoint& file, const std::vector<ArrayInfo>& arrays,
              const PlacesState& places) {
  auto offsets = valuesOf<std::int64_t>(file, arrays[0]);
  auto targets = valuesOf<std::int32_t>(file, arrays[1]);
  std::vector<double> weights;
  if (arrays.size() > 2) weights = valuesOf<double>(file, arrays[2]);
  try {
    (void)Graph::ofLinks(offsets, targets, weights,
                         {.selfLoops = Graph::SelfLoops::keep,
                          .duplicates = Graph::Duplicates::keep});  // checks the links
    return GraphBuilder::assembled(std::move(offsets), std::move(targets), std::move(weights),
                                   places.fields->links()->network().graph.options());
  } catch (const UsageError& error) {
    throw CheckpointError("the checkpoint's edges of '{}' cannot be used: {}", places.name,
                          error.what());
  }
}

}  // namespace

void addLinkCounter(const PlacesState& places, std::map<std::string, std::uint64_t>& counters) {
  const DeviceLinks* const links = places.fields->links();
  if (links == nullptr || !links->network().isChanged) return;
  counters[linkCounter(places)] = static_cast<std::uint64_t>(links->network().graph.links());
}

std::vector<ArrayInfo> linkArrays(const PlacesState& places,
                                  const std::map<std::string, std::uint64_t>& counters) {
  const auto found = counters.find(linkCounter(places));
  if (found == counters.end() || places.fields->links() == nullptr) return {};
  const Graph& graph = places.fields->links()->network().graph;
  const std::string name = found->first;
  std::vector<ArrayInfo> arrays{{name + ".offsets",
                                 ElementType::int64,
                                 sizeof(std::int64_t),
                                 {static_cast<std::uint64_t>(graph.nodes()) + 1}},
                                {name + ".targets", ElementType::int32, 4, {found->second}}};
  if (graph.isWeighted())
    arrays.push_back({name + ".weights", ElementType::float64, sizeof(double), {found->second}});
  return arrays;
}

void writeLinks(RankCheckpointWriter& file, const PlacesState& places) {
  std::map<std::string, std::uint64_t> counters;
  addLinkCounter(places, counters);
  const std::vector<ArrayInfo> arrays = linkArrays(places, counters);
  if (arrays.empty()) return;
  const Graph graph = places.fields->links()->network().byNodes();
  const auto add = [&](const ArrayInfo& array, const auto& values) {
    file.add(array, graph.hash(), [&](std::int64_t first, std::int64_t count, char* packed) {
      const std::size_t bytes = sizeof(values[0]);
      std::memcpy(packed, values.data() + first, static_cast<std::size_t>(count) * bytes);
    });
  };
  add(arrays[0], graph.offsets());
  add(arrays[1], graph.targets());
  if (graph.isWeighted()) add(arrays[2], graph.weights());
}

void restoreLinks(const RankCheckpoint& file, PlacesState& places) {
  PlaceFields& fields = *places.fields;
  if (fields.links() == nullptr) return;
  const std::vector<ArrayInfo> arrays = linkArrays(places, file.header().counters);
  if (arrays.empty()) {
    if (places.firstNetwork != nullptr) fields.relink(places.firstNetwork);
    return;
  }
  const Network& network = fields.links()->network();
  if (places.firstNetwork == nullptr) places.firstNetwork = fields.links()->sharedNetwork();
  fields.relink(std::make_shared<const Network>(
      network.withLinks(network.byRows(graphIn(file, arrays, places)))));
}

}  // namespace mass::detail
