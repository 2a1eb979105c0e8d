#include <mass/program/partition_text.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace mass::detail {
namespace {

/// Returns the places of a part of an axis that are further than `reach` from the cuts.
std::int64_t insideOf(const RowPartition& cuts, RowRange part, Border border, std::int64_t reach) {
  if (cuts.devices() == 1) return part.size();
  const bool isEndless = border == Border::periodic;
  const int ends =
      (isEndless || part.begin > 0 ? 1 : 0) + (isEndless || part.end < cuts.rows() ? 1 : 0);
  return std::max<std::int64_t>(part.size() - ends * reach, 0);
}

/// Returns the share of the places within reach of a cut.
double shareAtCuts(const PlaceFields& fields) {
  const auto& borders = fields.domain().borders;
  const std::int64_t reach = fields.domain().reach;
  double all = 0, inside = 0;
  for (int device = 0; device < fields.devices().size(); ++device) {
    double places = 1, placesInside = 1;
    for (std::size_t axis = 0; axis < borders.size(); ++axis) {
      const RowRange part = fields.blocks().range(axis, device);
      places *= static_cast<double>(part.size());
      placesInside *=
          static_cast<double>(insideOf(fields.blocks().along(axis), part, borders[axis], reach));
    }
    all += places;
    inside += placesInside;
  }
  return 1 - inside / all;
}

std::string lineOf(std::size_t device, const AnyPlaces::Part& part) {
  return fmt::format(
      "    device {}, rank {}{}: {} places from {}, neighbours {}\n", device, part.rank,
      part.host.empty() ? "" : " on " + part.host, fmt::join(part.size, " x "),
      fmt::join(part.first, ", "),
      part.neighbors.empty() ? "none" : fmt::to_string(fmt::join(part.neighbors, " ")));
}

/// Returns a line on streamed attributes that need two buffers for the partition; empty if there
/// are none.
std::string streamingText(const AnyPlaces& places) {
  const PlaceFields& fields = *places.population().fields;
  if (!fields.areBlocks() && fields.devices().ranks().count() == 1) return {};
  for (int component = 0; component < fields.components(); ++component)
    if (fields.component(component).isStreamed)
      return fmt::format("  streaming   '{}' in two buffers of {:.4g} MB together\n", places.name(),
                         static_cast<double>(fields.bytes()) / 1e6);
  return {};
}

}  // namespace

std::string partitionText(const std::vector<AnyPlaces>& all, bool listsBands) {
  std::string text;
  for (const AnyPlaces& places : all) {
    const PlaceFields& fields = *places.population().fields;
    text += streamingText(places);
    if (!fields.areBlocks() && !listsBands) continue;
    const std::vector<AnyPlaces::Part> parts = places.parts();
    const BlockPartition& blocks = fields.blocks();
    text += fmt::format("  partition   '{}', {} x {}{} parts, {:.3g} % of the places at cuts\n",
                        places.name(), blocks.along(0).devices(), blocks.along(1).devices(),
                        blocks.isCut(2) ? fmt::format(" x {}", blocks.along(2).devices()) : "",
                        100 * shareAtCuts(fields));
    for (std::size_t device = 0; device < parts.size(); ++device)
      text += lineOf(device, parts[device]);
  }
  return text;
}

}  // namespace mass::detail
