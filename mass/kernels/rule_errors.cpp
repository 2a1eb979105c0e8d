#include <mass/kernels/stencil_kernels.hpp>
#include <mass/rules/intent.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/support/error.hpp>

#include <fmt/ranges.h>

#include <span>

namespace mass::detail {

void failReach(std::string_view place, int dimensions, const std::int64_t* coordinates,
               const int* offset, int reach) {
  const auto axes = static_cast<std::size_t>(dimensions);
  throw UsageError(
      "{} at ({}) reads its neighbour at offset ({}), but its reach is {}: raise `static constexpr "
      "int reach` in the class, and MAX_PLACE_EXCHANGE in the settings if it is lower",
      place, fmt::join(std::span(coordinates, axes), ", "),
      fmt::join(std::span(offset, axes), ", "), reach);
}

void failNeighbor(std::string_view place, int dimensions, const std::int64_t* coordinates,
                  int number, int neighbors) {
  throw UsageError(
      "{} at ({}) reads its run-time neighbour number {} (from 0), but setNeighbors or exchangeAll "
      "gave it {}: give it more, or read a lower number",
      place, fmt::join(std::span(coordinates, static_cast<std::size_t>(dimensions)), ", "), number,
      neighbors);
}

void failWrite(std::string_view place, std::string_view member, int dimensions,
               const std::int64_t* coordinates) {
  throw UsageError(
      "a rule of {} changed '{}' at ({}), but the attribute is constant or not in the "
      "mass::writes<...> given to callAll: add it there, or leave it unchanged",
      place, member, fmt::join(std::span(coordinates, static_cast<std::size_t>(dimensions)), ", "));
}

void failFlowCell(std::string_view place, int dimensions, const std::int64_t* coordinates) {
  throw UsageError(
      "{} at ({}) has a flowCell() without bounce-back, but a fixed border or a solid place is "
      "adjacent: return FlowCell::nearBoundary or FlowCell::nearSolid there",
      place, fmt::join(std::span(coordinates, static_cast<std::size_t>(dimensions)), ", "));
}

void failTravel(std::string_view agent, std::uint64_t id, int dimensions, const std::int64_t* from,
                const int* offset, int travel) {
  const auto axes = static_cast<std::size_t>(dimensions);
  throw UsageError(
      "{} {} at ({}) moves to offset ({}), but its travel is {}: raise `static constexpr int "
      "travel` in the class, and MAX_AGENT_TRAVEL in the settings if it is lower",
      agent, id, fmt::join(std::span(from, axes), ", "), fmt::join(std::span(offset, axes), ", "),
      travel);
}

void failPlace(std::string_view agent, std::uint64_t id, int dimensions,
               const std::int64_t* place) {
  throw UsageError("{} {} moves to ({}), but there is no such place", agent, id,
                   fmt::join(std::span(place, static_cast<std::size_t>(dimensions)), ", "));
}

void failOffspring(std::string_view agent, std::uint64_t id, int offspring) {
  throw UsageError(
      "{} {} has more children than {} before a manageAll: raise `static constexpr int offspring` "
      "in the class",
      agent, id, offspring);
}

}  // namespace mass::detail
