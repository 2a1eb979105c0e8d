#include <mass/model/agent_output.hpp>

#include <mass/memory/agent_io.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

namespace mass::detail {
namespace {

template <class T>
std::vector<char> bytesOf(const std::vector<T>& values) {
  std::vector<char> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// An attribute of all agents, its components side by side.
std::vector<char> attributeValues(const AgentsState& population, const AttributeInfo& info) {
  const AgentFields& agents = population.settled();
  const auto count = static_cast<std::size_t>(agents.alive());
  const auto components = static_cast<std::size_t>(info.components);
  std::vector<char> component(count * info.elementSize);
  std::vector<char> values(component.size() * components);
  for (std::size_t k = 0; k < components; ++k) {
    readAgents(agents, info.firstComponent + static_cast<int>(k), component.data());
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(values.data() + (i * components + k) * info.elementSize,
                  component.data() + i * info.elementSize, info.elementSize);
    }
  }
  return values;
}

/// The coordinates along each axis of the places that all agents are on.
std::vector<std::vector<std::int64_t>> placeCoordinates(const AgentsState& population) {
  const Domain& domain = population.fields->places().domain();
  std::vector<std::int64_t> places = agentPlaces(population.settled());
  std::vector<std::vector<std::int64_t>> axes(static_cast<std::size_t>(domain.dimensions));
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    for (std::int64_t& place : places) {
      axes[axis].push_back(place % domain.shape[axis]);
      place /= domain.shape[axis];
    }
  }
  return axes;
}

/// Values of all agents without those of agents that are not accepted.
std::vector<char> acceptedOf(std::vector<char> values, const std::vector<bool>& accepted) {
  if (accepted.empty()) return values;
  const std::size_t each = values.size() / accepted.size();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < accepted.size(); ++i) {
    if (!accepted[i]) continue;
    std::memmove(values.data() + kept * each, values.data() + i * each, each);
    ++kept;
  }
  values.resize(kept * each);
  return values;
}

/// Points for VTK, whose x is the last of the components that each agent has.
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

/// Points that are known as a frame, with the identity and attributes of each.
AgentFrame framed(const AgentsState& population, const std::vector<std::size_t>& attributes,
                  ElementType type, std::vector<char> points) {
  AgentFrame frame;
  const auto add = [&](FieldArray array, std::vector<char> values) {
    array.data = frame.values.emplace_back(std::move(values)).data();
    frame.arrays.push_back(std::move(array));
  };
  frame.rows = static_cast<std::size_t>(population.settled().alive());
  add({"Points", type, 3}, std::move(points));
  add({"id", ElementType::uint64}, bytesOf(agentIds(population.settled())));
  for (const std::size_t number : attributes) {
    const AttributeInfo& info = population.attributes[number];
    add({info.name, info.type, static_cast<std::size_t>(info.components)},
        attributeValues(population, info));
  }
  return frame;
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
                     const std::vector<bool>& accepted) {
  AgentFrame frame{0, agentColumns(population, attributes), {}};
  frame.values.push_back(acceptedOf(bytesOf(agentIds(population.settled())), accepted));
  frame.rows = frame.values.front().size() / sizeof(std::uint64_t);
  for (const auto& along : placeCoordinates(population)) {
    frame.values.push_back(acceptedOf(bytesOf(along), accepted));
  }
  for (const std::size_t number : attributes) {
    auto values = attributeValues(population, population.attributes[number]);
    frame.values.push_back(acceptedOf(std::move(values), accepted));
  }
  for (std::size_t i = 0; i < frame.arrays.size(); ++i) {
    frame.arrays[i].data = frame.values[i].data();
  }
  return frame;
}

AgentFrame agentPoints(const AgentsState& population, const std::vector<std::size_t>& attributes,
                       double spacing) {
  const auto axes = placeCoordinates(population);
  std::vector<double> middles;
  for (std::size_t i = 0; i < axes.front().size(); ++i) {
    for (const auto& along : axes) {
      middles.push_back((static_cast<double>(along[i]) + 0.5) * spacing);
    }
  }
  return framed(population, attributes, ElementType::float64,
                pointsOf<double>(bytesOf(middles), axes.size()));
}

AgentFrame agentPointsAt(const AgentsState& population, const std::vector<std::size_t>& attributes,
                         std::size_t position) {
  const AttributeInfo& info = population.attributes[position];
  const auto values = attributeValues(population, info);
  const auto components = static_cast<std::size_t>(info.components);
  return framed(population, attributes, info.type,
                info.type == ElementType::float32 ? pointsOf<float>(values, components)
                                                  : pointsOf<double>(values, components));
}

}  // namespace mass::detail
