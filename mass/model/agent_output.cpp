#include <mass/model/agent_output.hpp>

#include <mass/memory/agent_io.hpp>
#include <mass/model/agent_coordinates.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>

namespace mass::detail {
namespace {

template <class T>
std::vector<char> bytesOf(const std::vector<T>& values) {
  std::vector<char> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Returns an attribute of the agents that this rank reports as bytes; the components of an agent
/// are adjacent.
std::vector<char> attributeValues(const AgentsState& population, const AttributeInfo& info) {
  const AgentFields& agents = population.synchronizedFields();
  const auto components = static_cast<std::size_t>(info.components);
  std::vector<char> values(static_cast<std::size_t>(reportedAgents(agents).size()) *
                           info.elementSize * components);
  for (std::size_t k = 0; k < components; ++k) {
    const std::vector<char> component = readReportedAgents(
        agents, componentColumn(agents, info.firstComponent + static_cast<int>(k)));
    for (std::size_t i = 0; i * info.elementSize < component.size(); ++i) {
      std::memcpy(values.data() + (i * components + k) * info.elementSize,
                  component.data() + i * info.elementSize, info.elementSize);
    }
  }
  return values;
}

/// Returns the identities of the agents that this rank reports as bytes.
std::vector<char> localIds(const AgentsState& population) {
  return readReportedAgents(population.synchronizedFields(), idColumn());
}

/// Returns the coordinates of the places of the agents that this rank reports, by axis and agent.
std::vector<std::vector<std::int64_t>> placeCoordinates(const AgentsState& population) {
  const Domain& domain = population.fields->places().domain();
  const AgentFields& agents = population.synchronizedFields();
  const std::vector<char> bytes = readReportedAgents(agents, placeColumn(agents));
  std::vector<std::int64_t> places(bytes.size() / sizeof(std::int64_t));
  if (!bytes.empty()) std::memcpy(places.data(), bytes.data(), bytes.size());
  return coordinatesByAxis(domain, std::move(places));
}

/// Returns the values of accepted agents; all values if `accepted` is empty.
std::vector<char> selected(std::vector<char> values, const std::vector<unsigned char>& accepted) {
  if (accepted.empty()) return values;
  const std::size_t each = values.size() / accepted.size();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < accepted.size(); ++i) {
    if (accepted[i] == 0) continue;
    std::memmove(values.data() + kept * each, values.data() + i * each, each);
    ++kept;
  }
  values.resize(kept * each);
  return values;
}

/// Returns points for VTK, with x, y and z: the components of each position in reverse order,
/// missing ones 0.
template <class T>
std::vector<char> pointsOf(const std::vector<char>& positions, std::size_t components) {
  std::vector<T> values(positions.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), positions.data(), positions.size());
  std::vector<T> points(values.size() / components * 3);
  for (std::size_t i = 0; i < values.size(); ++i) {
    points[i / components * 3 + components - 1 - i % components] = values[i];
  }
  return bytesOf(points);
}

/// Collects the values of a frame on rank 0, in the order of agents; the other ranks keep none. All
/// ranks call it together. @param frame the agents that this rank reports
AgentFrame collected(Ranks& ranks, AgentFrame frame) {
  const std::vector<std::size_t> rows = ranks.allGather(frame.rows);
  frame.rows = ranks.isFirst() ? std::accumulate(rows.begin(), rows.end(), std::size_t{0}) : 0;
  for (std::size_t i = 0; i < frame.arrays.size(); ++i) {
    FieldArray& array = frame.arrays[i];
    std::vector<char>& values = frame.values[i];
    if (ranks.count() > 1) {
      const std::size_t rowBytes = array.components * sizeOf(array.type);
      std::vector<std::size_t> offsets{0};
      for (const std::size_t count : rows) offsets.push_back(offsets.back() + count * rowBytes);
      const std::vector<char> own = std::move(values);
      values = std::vector<char>(frame.rows * rowBytes);
      ranks.gatherToFirst(own.data(), values.data(), offsets);
    }
    array.data = values.data();
  }
  return frame;
}

/// Returns a frame of the points given, with the identities and attributes of all agents.
/// @param points points of the agents that this rank reports
AgentFrame makeFrame(const AgentsState& population, const std::vector<std::size_t>& attributes,
                     ElementType type, std::vector<char> points) {
  AgentFrame frame;
  const auto add = [&](FieldArray array, std::vector<char> values) {
    array.data = frame.values.emplace_back(std::move(values)).data();
    frame.arrays.push_back(std::move(array));
  };
  frame.rows = static_cast<std::size_t>(reportedAgents(population.synchronizedFields()).size());
  add({"Points", type, 3}, std::move(points));
  add({"id", ElementType::uint64}, localIds(population));
  for (const std::size_t number : attributes) {
    const AttributeInfo& info = population.attributes[number];
    add({info.name, info.type, static_cast<std::size_t>(info.components)},
        attributeValues(population, info));
  }
  return collected(population.engine->devices.ranks(), std::move(frame));
}

}  // namespace

std::string axisName(int dimensions, int axis) {
  if (axis == 0) return "row";
  return axis == dimensions - 1 ? "column" : "line";
}

std::vector<FieldArray> agentColumns(const AgentsState& population,
                                     const std::vector<std::size_t>& attributes) {
  std::vector<FieldArray> columns{{"id", ElementType::uint64}};
  const int dimensions = population.fields->places().domain().dimensions;
  for (int axis = 0; axis < dimensions; ++axis) {
    columns.push_back({axisName(dimensions, axis), ElementType::int64});
  }
  for (const std::size_t number : attributes) {
    const AttributeInfo& info = population.attributes[number];
    columns.push_back({info.name, info.type, static_cast<std::size_t>(info.components)});
  }
  return columns;
}

AgentFrame agentRows(const AgentsState& population, const std::vector<std::size_t>& attributes,
                     const std::vector<unsigned char>& accepted) {
  AgentFrame frame{0, agentColumns(population, attributes), {}};
  frame.values.push_back(selected(localIds(population), accepted));
  frame.rows = frame.values.front().size() / sizeof(std::uint64_t);
  for (const auto& along : placeCoordinates(population)) {
    frame.values.push_back(selected(bytesOf(along), accepted));
  }
  for (const std::size_t number : attributes) {
    auto values = attributeValues(population, population.attributes[number]);
    frame.values.push_back(selected(std::move(values), accepted));
  }
  return collected(population.engine->devices.ranks(), std::move(frame));
}

AgentFrame agentPoints(const AgentsState& population, const std::vector<std::size_t>& attributes,
                       double spacing) {
  const auto axes = placeCoordinates(population);
  std::vector<double> centres;
  for (std::size_t i = 0; i < axes.front().size(); ++i) {
    for (const auto& along : axes) {
      centres.push_back((static_cast<double>(along[i]) + 0.5) * spacing);
    }
  }
  return makeFrame(population, attributes, ElementType::float64,
                   pointsOf<double>(bytesOf(centres), axes.size()));
}

AgentFrame agentPointsAt(const AgentsState& population, const std::vector<std::size_t>& attributes,
                         std::size_t position) {
  const AttributeInfo& info = population.attributes[position];
  const auto values = attributeValues(population, info);
  const auto components = static_cast<std::size_t>(info.components);
  return makeFrame(population, attributes, info.type,
                   info.type == ElementType::float32 ? pointsOf<float>(values, components)
                                                     : pointsOf<double>(values, components));
}

}  // namespace mass::detail
