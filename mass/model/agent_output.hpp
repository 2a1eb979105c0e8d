#pragma once

#include <mass/io/field_array.hpp>
#include <mass/model/engine.hpp>
#include <mass/support/export.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace mass {

namespace detail {
/// Type of mass::only.
template <auto Filter>
struct Only {};
}  // namespace detail

/// Argument of Simulation::agentTable: selects the agents for which the member function
/// `bool f() const` returns true.
template <auto Filter>
inline constexpr detail::Only<Filter> only{};

namespace detail {
/// Type of mass::positions.
template <auto Member>
struct Positions {};
}  // namespace detail

/// Argument of Simulation::data: names the attribute of agents that is their position.
template <auto Member>
inline constexpr detail::Positions<Member> positions{};

namespace detail {

/// Values of selected agents at one step: the arrays and their memory. Rank 0 has all of them, the
/// others none.
struct AgentFrame {
  std::size_t rows = 0;                   ///< number of agents
  std::vector<FieldArray> arrays;         ///< `rows` values or tuples each, pointing into `values`
  std::vector<std::vector<char>> values;  ///< bytes of each array
};

/// Returns the name of a coordinate in files: row, line (3-D) or column.
std::string axisName(int dimensions, int axis);

/// Returns the columns of a table of agents, without values: identity, coordinates, attributes.
/// @param attributes indices in AgentsState::attributes
MASS_EXPORT std::vector<FieldArray> agentColumns(const AgentsState& population,
                                                 const std::vector<std::size_t>& attributes);

/// Returns the columns of agentColumns() with their values, in the order of agents.
/// All ranks call it together.
/// @param accepted not 0 for each agent that this rank reports and that has a row, in the order of
/// agents; empty: all agents
MASS_EXPORT AgentFrame agentRows(const AgentsState& population,
                                 const std::vector<std::size_t>& attributes,
                                 const std::vector<unsigned char>& accepted);

/// Returns the agents as points: x, y and z (Points), identity, and attributes. A point is the
/// centre of the agent's place; x is the last axis, as in FieldGeometry. All ranks call it
/// together.
/// @param attributes indices in AgentsState::attributes
/// @param spacing extent of a place along each axis, in the model's unit of length
MASS_EXPORT AgentFrame agentPoints(const AgentsState& population,
                                   const std::vector<std::size_t>& attributes, double spacing);
/// Returns the agents as points at the positions that an attribute holds. All ranks call it
/// together.
/// @param position index of that attribute: 2 or 3 components, float or double
MASS_EXPORT AgentFrame agentPointsAt(const AgentsState& population,
                                     const std::vector<std::size_t>& attributes,
                                     std::size_t position);

/// Returns the indices of attributes of A.
template <class A, auto... Members>
std::vector<std::size_t> attributeNumbers() {
  static_assert(
      ((elementTypeOf<typename AttributeSlotFor<A, Members>::Element>() != ElementType::opaque) &&
       ...),
      "an attribute in a file is a number, an enum, a bool, or an array of one of these");
  return {findSlot<A, Members>()...};
}

}  // namespace detail
}  // namespace mass
