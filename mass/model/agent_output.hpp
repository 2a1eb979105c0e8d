#pragma once

#include <mass/io/field_array.hpp>
#include <mass/model/engine.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace mass {

namespace detail {
template <auto Filter>
struct Only {};
}  // namespace detail

/// For Simulation::agentTable: only the agents of which a const member function `bool f() const` is
/// true.
template <auto Filter>
inline constexpr detail::Only<Filter> only{};

namespace detail {
template <auto Member>
struct Positions {};
}  // namespace detail

/// For Simulation::data: the attribute of agents that is their position.
template <auto Member>
inline constexpr detail::Positions<Member> positions{};

namespace detail {

/// Arrays with a value (or several) for each of some agents, and the memory that holds them.
struct AgentFrame {
  std::size_t rows = 0;
  std::vector<FieldArray> arrays;
  std::vector<std::vector<char>> values;
};

/// What the place of an agent along an axis is called in files: row, line or column.
std::string axisName(int dimensions, int axis);

/// The columns of a table of agents, without values: identity, place, and the attributes of these
/// numbers.
std::vector<FieldArray> agentColumns(const AgentsState& population,
                                     const std::vector<std::size_t>& attributes);

/// The same with the values of those agents that are accepted (empty: of all), in the order of
/// their places and, on a place, of their identities.
AgentFrame agentRows(const AgentsState& population, const std::vector<std::size_t>& attributes,
                     const std::vector<bool>& accepted);

/// Agents as points: x, y and z of each, its identity, and the attributes of these numbers. A point
/// is in the middle of the agent's place, which is `spacing` wide; x is the last axis, as in
/// FieldGeometry.
AgentFrame agentPoints(const AgentsState& population, const std::vector<std::size_t>& attributes,
                       double spacing);
/// The same where an attribute, of that number, says where they are.
AgentFrame agentPointsAt(const AgentsState& population, const std::vector<std::size_t>& attributes,
                         std::size_t position);

/// The numbers of some attributes of A.
template <class A, auto... Members>
std::vector<std::size_t> attributeNumbers() {
  static_assert(
      ((elementTypeOf<typename AttributeSlotFor<A, Members>::Element>() != ElementType::opaque) &&
       ...),
      "an attribute in a file is a number, an enum, a bool, or an array of those");
  return {findSlot<A, Members>()...};
}

}  // namespace detail
}  // namespace mass
