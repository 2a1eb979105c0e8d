#pragma once

#include <mass/kernels/stencil_kernels.hpp>
#include <mass/launch/agent_launch.hpp>
#include <mass/launch/resource_launch.hpp>
#include <mass/rules/bin_block.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

// Orders in which rules run for agents: one after another, or by the blocks of places below the
// coarser places that they take from.

namespace mass::detail {

/// Coordinates of a bin in the band. The column of a node is that of columnOfRow().
struct BinNumbers {
  std::int64_t row, line, column;
};
/// Returns the coordinates of the bin of an agent of class A.
template <class A>
MASS_FN inline BinNumbers binNumbers(const AgentLaunch& launch, std::int64_t agent) {
  using P = typename A::Home;
  // Dividing 32 bits takes a fraction of the time of 64.
  const auto number = static_cast<std::uint32_t>(launch.bin[agent]);
  const auto columns = static_cast<std::uint32_t>(launch.agents.bins.columns);
  if constexpr (P::dimensions == 1) return {number, 0, columnOfRow<P>(launch.places, number)};
  if constexpr (P::dimensions == 2) return {number / columns, 0, number % columns};
  const auto lines = static_cast<std::uint32_t>(launch.agents.bins.lines);
  return {number / columns / lines, number / columns % lines, number % columns};
}

/// Calls body(agent, row, line, column) for the agents [begin, end) of a device.
template <class A, class Body>
inline void forEachAgent(const AgentLaunch& launch, std::int64_t begin, std::int64_t end,
                         Body&& body) {
  for (std::int64_t agent = begin; agent < end; ++agent) {
    const auto at = binNumbers<A>(launch, agent);
    body(agent, at.row, at.line, at.column);
  }
}

/// Extends or shortens a range of agents to those on the places whose first agent it has.
struct WholePlaces {
  std::int64_t begin, end;

  WholePlaces(const AgentLaunch& launch, std::int64_t rangeBegin, std::int64_t rangeEnd)
      : begin(rangeBegin), end(rangeEnd) {
    const std::int32_t* const first = launch.agents.first;
    while (begin < end && first[launch.bin[begin]] != begin) ++begin;
    if (begin < end) end = first[launch.bin[end - 1] + 1];
  }
};

/// Returns the index of the first coarser places from which a rule takes, among its arguments.
template <class... T>
constexpr std::size_t coarserResourceNumber() {
  constexpr bool isCoarser[] = {std::is_same_v<T, ScaledResourceView<Scale::coarser>>...};
  std::size_t number = 0;
  while (!isCoarser[number]) ++number;
  return number;
}
/// Returns the ratios of rows, lines and columns of the coarser places from which a rule takes.
/// @pre they are among the arguments; if several are, they have the same shape
template <class... T>
MASS_FN inline const AxisRatio (&ratioOfCoarser(const std::tuple<T...>& arguments))[3] {
  return std::get<coarserResourceNumber<T...>()>(arguments).ratio;
}

/// Calls body(agent, row, line, column) for the agents of the block of places that begins at a
/// local position, in the order of places, then identities.
template <class A, class Body>
MASS_FN inline void forEachOfBlock(const AgentLaunch& launch, const BinBlock& block, Body&& body) {
  for (std::int64_t k = 0; k < block.size; ++k) {
    const auto agents = block.agents(launch.agents.first, k);
    for (std::int64_t agent = agents.begin; agent < agents.end; ++agent) {
      const auto at = binNumbers<A>(launch, agent);
      body(agent, at.row, at.line, at.column);
    }
  }
}
/// Returns the block of places to which an agent's place belongs.
template <class A>
MASS_FN inline BinBlock blockOfAgent(const AgentLaunch& launch, const AxisRatio (&ratio)[3],
                                     std::int64_t agent) {
  const auto at = binNumbers<A>(launch, agent);
  // A band begins with a whole block, so that local positions divide as those in the world.
  return {launch.agents.bins, ratio[0].dividing(at.row) * ratio[0].value,
          ratio[1].dividing(at.line) * ratio[1].value,
          ratio[2].dividing(at.column) * ratio[2].value, ratio};
}
/// True if an agent is the first one of its block of places.
template <class A>
MASS_FN inline bool isFirstOfBlock(const AgentLaunch& launch, const BinBlock& block,
                                   std::int64_t agent) {
  for (std::int64_t k = 0; k < block.size; ++k) {
    const auto agents = block.agents(launch.agents.first, k);
    if (agents.begin < agents.end) return agents.begin == agent;
  }
  return false;
}

/// Calls body(agent, row, line, column) for the agents of whole rows of blocks: those whose first
/// agent is among the agents [begin, end) of a device.
template <class A, class Body>
inline void forEachOfWholeBlocks(const AgentLaunch& launch, const AxisRatio (&ratio)[3],
                                 std::int64_t begin, std::int64_t end, Body&& body) {
  if (begin >= end) return;
  const BinIndexing& bins = launch.agents.bins;
  const auto firstOf = [&](std::int64_t row) { return launch.agents.first[bins.ofRow(row)]; };
  const std::int64_t rows = ratio[0].value;
  std::int64_t row = ratio[0].dividing(binNumbers<A>(launch, begin).row) * rows;
  if (firstOf(row) < begin) row += rows;
  for (; row < bins.rows && firstOf(row) < end; row += rows) {
    for (std::int64_t line = 0; line < bins.lines; line += ratio[1].value) {
      for (std::int64_t column = 0; column < bins.columns; column += ratio[2].value)
        forEachOfBlock<A>(launch, BinBlock(bins, row, line, column, ratio), body);
    }
  }
}

}  // namespace mass::detail
