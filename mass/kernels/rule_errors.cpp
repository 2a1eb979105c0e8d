#include <mass/kernels/stencil_kernels.hpp>
#include <mass/rules/births.hpp>
#include <mass/rules/field_resource.hpp>
#include <mass/rules/intent.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/rules/neighbors.hpp>
#include <mass/support/error.hpp>

#include <fmt/ranges.h>

#include <span>
#include <string>

namespace mass::detail {
namespace {

constexpr std::int64_t nowhere = Space<1>::nowhere;

/// Returns a bin for a message, as "3, 4" or "nowhere".
std::string binText(std::span<const std::int64_t> bin) {
  return bin[0] == nowhere ? "nowhere" : fmt::format("{}", fmt::join(bin, ", "));
}

}  // namespace

void failReach(std::string_view place, int dimensions, const std::int64_t* coordinates,
               const int* offset, int reach) {
  const auto axes = static_cast<std::size_t>(dimensions);
  throw UsageError(
      "{} at ({}) reads its neighbour at offset ({}), but its reach is {}: raise `static constexpr "
      "int reach` in the class, and MAX_PLACE_EXCHANGE in the settings if it is lower",
      place, fmt::join(std::span(coordinates, axes), ", "),
      fmt::join(std::span(offset, axes), ", "), reach);
}

void failAxes(std::string_view place, int dimensions, const std::int64_t* coordinates,
              const int* offset) {
  const auto axes = static_cast<std::size_t>(dimensions);
  throw UsageError(
      "{} at ({}) reads its neighbour at offset ({}), but declares to read along the axes only: "
      "remove `static constexpr auto reads = mass::alongAxes` from the class",
      place, fmt::join(std::span(coordinates, axes), ", "),
      fmt::join(std::span(offset, axes), ", "));
}

void failNeighbor(std::string_view place, int dimensions, const std::int64_t* coordinates,
                  int number, int neighbors) {
  throw UsageError(
      "{} at ({}) reads its run-time neighbour number {} (from 0), but setNeighbors or exchangeAll "
      "gave it {}: give it more, or read a lower number",
      place, fmt::join(std::span(coordinates, static_cast<std::size_t>(dimensions)), ", "), number,
      neighbors);
}

void failLink(std::string_view node, std::int64_t number, int link, int links) {
  throw UsageError("a rule uses link {} (from 0) of {} {}, which has {}: use a lower number", link,
                   node, number, links);
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
  const std::span<const std::int64_t> axes(place, static_cast<std::size_t>(dimensions));
  if (place[0] == nowhere) {
    throw UsageError(
        "{} {} has a position that is nowhere: it is not finite, or a periodic axis does not "
        "contain it (Space::wrap adds or subtracts one length); check the numbers that the rule "
        "computes it from",
        agent, id);
  }
  throw UsageError("{} {} moves to ({}), but there is no such place", agent, id,
                   fmt::join(axes, ", "));
}

void failBin(std::string_view agent, std::uint64_t id, int dimensions, const std::int64_t* place,
             const std::int64_t* bin) {
  const auto axes = static_cast<std::size_t>(dimensions);
  throw UsageError(
      "{} {} lives on the place ({}), but its position is in bin ({}): a search within a radius "
      "finds agents by their places, so call manageAll after the rule that changes positions",
      agent, id, fmt::join(std::span(place, axes), ", "), binText(std::span(bin, axes)));
}

void failSearch(std::string_view agent, int dimensions, const std::int64_t* place,
                const std::int64_t* bin) {
  const auto axes = static_cast<std::size_t>(dimensions);
  throw UsageError(
      "a rule on the place ({}) searches for {} around a position in bin ({}): search around a "
      "position on its own place; an agent that has moved lives on its new place after manageAll",
      fmt::join(std::span(place, axes), ", "), agent, binText(std::span(bin, axes)));
}

void failOffspring(std::string_view agent, std::uint64_t id, int offspring) {
  throw UsageError(
      "{} {} has more children than {} before a manageAll: raise `static constexpr int offspring` "
      "in the class",
      agent, id, offspring);
}

namespace {

/// Returns the class of the parameter by which a rule makes requests.
const char* makerOf(std::string_view request) {
  if (request == "agents") return "Births";
  return request == "changes of edges" ? "Edges" : "Give";
}

}  // namespace

void failRequests(std::string_view request, std::string_view agent, int most) {
  throw UsageError(
      "a call of a rule makes more {} of class {} than {}: raise the maximum, the second template "
      "argument of {}",
      request, agent, most, makerOf(request));
}

void failBlock(std::string_view place, int dimensions, const int* offset, const int* block) {
  const auto axes = static_cast<std::size_t>(dimensions);
  throw UsageError(
      "a rule of agents takes from place ({}) of a block of {} of shape [{}]: along each axis, "
      "give "
      "a number from 0 to the shape minus 1",
      fmt::join(std::span(offset, axes), ", "), place, fmt::join(std::span(block, axes), ", "));
}

}  // namespace mass::detail
