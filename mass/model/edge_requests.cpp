#include <mass/model/edge_requests.hpp>

#include <mass/graph/graph_edit.hpp>
#include <mass/model/rank_requests.hpp>
#include <mass/model/rule_arguments.hpp>
#include <mass/rules/edges.hpp>
#include <mass/support/error.hpp>

#include <cmath>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Bytes of an element of each component: weight and node.
const std::vector<std::size_t> elementSizes{sizeof(double), sizeof(std::int64_t)};

/// Returns a value of a component.
template <class T>
T valueOf(const std::vector<char>& values, std::size_t i) {
  T value;
  std::memcpy(&value, values.data() + i * sizeof(T), sizeof(T));
  return value;
}

/// Returns the number of nodes or agents on a device that run the rule.
std::int64_t callersOn(const AnyEdgeSource& edges, int device) {
  if (edges.actors != nullptr) return edges.actors->fields->band(device).own;
  return edges.places->fields->layout(device).rows;
}

/// Returns the changes of the edges between rows that requests of nodes ask for, in their order.
/// @throws UsageError if a node or link does not exist
std::vector<EdgeChange> changesOf(const Requests& requests, const PlacesState& places) {
  const Network& network = places.fields->links()->network();
  std::vector<EdgeChange> changes;
  for (const std::size_t i : requests.sorted()) {
    const auto node = valueOf<std::int64_t>(requests.components[1], i);
    const std::int64_t target = requests.targets[i];
    EdgeChange change{EdgeChange::Kind::add, network.rowOf(static_cast<std::int32_t>(node)), 0,
                      valueOf<double>(requests.components[0], i)};
    if (target < 0) {
      const auto links = static_cast<std::int64_t>(network.graph.degree(change.node));
      change.kind = EdgeChange::Kind::remove;
      change.other = removalOf(target);
      if (change.other >= links)
        throw UsageError("a rule removes a link that node {} of '{}' lacks: it has {}", node,
                         places.name, links);
    } else {
      if (std::isnan(change.weight))
        throw UsageError(
            "a rule adds an edge from node {} of '{}' to node {} with a weight that is "
            "not a number",
            node, places.name, target);
      if (target >= network.graph.nodes())
        throw UsageError(
            "a rule adds an edge from node {} of '{}' to a node that does not exist: "
            "nodes are 0 to {}",
            node, places.name, network.graph.nodes() - 1);
      change.other = network.rowOf(static_cast<std::int32_t>(target));
    }
    changes.push_back(change);
  }
  return changes;
}

}  // namespace

void align(const AnyEdgeSource& edges, PlacesState& reader) {
  requireAlone(*reader.engine, "a rule with Edges");
  requireSameMass(*edges.places, reader);
  if (edges.places == &reader) return;
  throw UsageError("a rule on '{}' got '{}' for its Edges: give it the nodes that it runs on",
                   reader.name, edges.places->name);
}

void setViews(AnyEdgeSource& edges, const PlacesState& reader) {
  PlacesState& places = *edges.places;
  if (edges.actors != nullptr) static_cast<void>(edges.actors->synchronizedFields());
  DeviceConfig& devices = places.engine->devices;
  places.edgeViews.resize(static_cast<std::size_t>(devices.size()));
  for (const int device : devices.local()) {
    RequestList& list = places.edgeLists.try_emplace(device, devices.device(device)).first->second;
    list.prepare(requestCapacity(callersOn(edges, device), edges.most, reader), elementSizes);
    places.edgeViews[static_cast<std::size_t>(device)] = list.view();
  }
  edges.byDevice = places.edgeViews.data();
}

void finish(AnyEdgeSource& edges) {
  PlacesState& places = *edges.places;
  places.edgeCounts = {};
  Requests own;
  for (auto& [device, list] : places.edgeLists) {
    Requests requests = list.take();
    if (edges.actors != nullptr) numberByAgents(*edges.actors, device, edges.most, requests);
    append(requests, own);
  }
  const Requests all = ofAllRanks(places.engine->devices.ranks(), std::move(own), elementSizes);
  if (all.refused > 0) {
    throw UsageError(
        "calls of a rule made {} changes of edges of '{}' more than Edges declares: raise the "
        "maximum, the second template argument of mass::Edges",
        all.refused, places.name);
  }
  if (all.size() == 0) return;
  PlaceFields& fields = *places.fields;
  const Network& network = fields.links()->network();
  EdgeCounts counts;
  Network next = network.withLinks(changed(network.graph, changesOf(all, places), counts));
  if (places.firstNetwork == nullptr) places.firstNetwork = fields.links()->sharedNetwork();
  fields.relink(std::make_shared<const Network>(std::move(next)));
  places.edgeCounts = counts;
}

}  // namespace mass::detail
