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
      "int reach` in "
      "the class, and MAX_PLACE_EXCHANGE in the settings if it is lower",
      place, fmt::join(std::span(coordinates, axes), ", "),
      fmt::join(std::span(offset, axes), ", "), reach);
}

void failNeighbor(std::string_view place, int dimensions, const std::int64_t* coordinates,
                  int number, int neighbors) {
  throw UsageError(
      "{} at ({}) reads its run-time neighbour number {}, but setNeighbors or exchangeAll gave it "
      "{} "
      "(numbers from 0)",
      place, fmt::join(std::span(coordinates, static_cast<std::size_t>(dimensions)), ", "), number,
      neighbors);
}

void failWrite(std::string_view place, std::string_view member, int dimensions,
               const std::int64_t* coordinates) {
  throw UsageError(
      "a rule of {} changed '{}' at ({}), which it does not write: it is constant, or not in the "
      "mass::writes<...> "
      "given to callAll",
      place, member, fmt::join(std::span(coordinates, static_cast<std::size_t>(dimensions)), ", "));
}

void failPassage(std::string_view place, int dimensions, const std::int64_t* coordinates) {
  throw UsageError(
      "{} at ({}) says by its flowCell() that what is streamed goes on there, but it lies at a "
      "fixed "
      "border, or beside a place that is blocked",
      place, fmt::join(std::span(coordinates, static_cast<std::size_t>(dimensions)), ", "));
}

void failTravel(std::string_view agent, std::uint64_t id, int dimensions, const std::int64_t* from,
                const int* offset, int travel) {
  const auto axes = static_cast<std::size_t>(dimensions);
  throw UsageError(
      "{} {} at ({}) wants to go to offset ({}), but its travel is {}: raise `static constexpr int "
      "travel` in the class, and MAX_AGENT_TRAVEL in the settings if it is lower",
      agent, id, fmt::join(std::span(from, axes), ", "), fmt::join(std::span(offset, axes), ", "),
      travel);
}

void failPlace(std::string_view agent, std::uint64_t id, int dimensions,
               const std::int64_t* place) {
  throw UsageError("{} {} wants to move to ({}), and there is no such place", agent, id,
                   fmt::join(std::span(place, static_cast<std::size_t>(dimensions)), ", "));
}

void failOffspring(std::string_view agent, std::uint64_t id, int offspring) {
  throw UsageError(
      "{} {} has more children than {} before a manageAll: raise `static constexpr int offspring` "
      "in the class",
      agent, id, offspring);
}

}  // namespace mass::detail
