#include <mass/dispatch/row_costs.hpp>

#include <mass/memory/agent_io.hpp>
#include <mass/memory/repartition.hpp>
#include <mass/partition/optimal_cuts.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

namespace mass::detail {
namespace {

/// Of the bytes that places could have, those that are left to others.
constexpr double bytesToSpare = 0.05;

/// Which rows a device has room for.
RowsFit roomFor(const PlaceFields& places, std::span<AgentFields* const> residents) {
  std::vector<double> bytes;
  for (int device = 0; device < places.devices().size(); ++device) {
    bytes.push_back((1 - bytesToSpare) * places.bytesWithin(device));
  }
  std::int64_t most = std::numeric_limits<std::int64_t>::max();  // rows whose bins can be numbered
  for (const AgentFields* const agents : residents) {
    constexpr std::int64_t mostBins = std::numeric_limits<std::int32_t>::max() - 1;
    const BinIndexing& bins = agents->band(0).bins;
    most = std::min(most, mostBins / bins.rowSize() - 2 * bins.depth);
  }
  return [&places, bytes, most](int device, RowRange rows) {
    return rows.size() <= most &&
           places.bytesNeeded(rows.size()) <= bytes[static_cast<std::size_t>(device)];
  };
}

/// Adds to the costs of rows, from `row` up to `last`, what falls evenly from `highest` at the edge
/// of the first one to 0, `sum` in all.
template <class Iterator>
void addSlope(Iterator row, Iterator last, double highest, double sum) {
  // It is no longer than that, but for rounding.
  const double length = std::min(static_cast<double>(last - row), 2 * sum / highest);
  for (double begin = 0; begin < length; ++begin, ++row) {
    const double end = std::min(begin + 1, length);
    *row += highest * (end - begin) * (1 - (begin + end) / (2 * length));
  }
}

/// Shares what a row of a band costs in the mean, `row`, out among its rows, where a row of the
/// bands before and behind it costs so much.
void shareOut(std::span<double> band, double row, double before, double behind) {
  const double dearest = std::max(before, behind);
  const double least = dearest > row ? std::max(row / 2, 2 * row - dearest) : row;
  std::fill(band.begin(), band.end(), least);
  const int slopes = (before > row ? 1 : 0) + (behind > row ? 1 : 0);
  const double sum = (row - least) * static_cast<double>(band.size()) / slopes;
  if (before > row) addSlope(band.begin(), band.end(), before - least, sum);
  if (behind > row) addSlope(band.rbegin(), band.rend(), behind - least, sum);
}

}  // namespace

std::vector<double> costsByTime(const PlaceFields& places, const DeviceTimes& times) {
  std::vector<double> costs(static_cast<std::size_t>(places.partition().rows()));
  const int devices = places.devices().size();
  // What a row of a device costs in the mean; nothing beyond the ends.
  const auto rowOf = [&](int device) {
    if (device < 0 || device >= devices) return 0.0;
    return times.of(device) / static_cast<double>(places.layout(device).rows);
  };
  std::size_t first = 0;
  for (int device = 0; device < devices; ++device) {
    const std::span band =
        std::span(costs).subspan(first, static_cast<std::size_t>(places.layout(device).rows));
    shareOut(band, rowOf(device), rowOf(device - 1), rowOf(device + 1));
    first += band.size();
  }
  return costs;
}

std::vector<double> costsByAgents(const PlaceFields& places,
                                  std::span<AgentFields* const> residents) {
  std::vector<double> costs(static_cast<std::size_t>(places.partition().rows()));
  for (const AgentFields* const agents : residents) {
    const std::vector<std::int64_t> before = agentsBeforeRows(*agents);
    for (std::size_t row = 0; row < costs.size(); ++row) {
      costs[row] += static_cast<double>(before[row + 1] - before[row]);
    }
  }
  return costs;
}

Rebalance rebalance(PlaceFields& places, std::span<AgentFields* const> residents,
                    std::span<const double> costs, double threshold) {
  const RowPartition before = places.partition();
  Rebalance result{.before = before.bands(), .after = before.bands()};
  result.imbalance = result.expected = imbalanceOf(before, costs);
  if (result.imbalance <= threshold) return result;
  const std::optional<RowPartition> after =
      balancedPartition(costs, before.devices(), roomFor(places, residents));
  if (!after || imbalanceOf(*after, costs) >= result.imbalance) return result;
  try {
    repartition(places, residents, *after);
  } catch (const DeviceError&) {  // no reason to end a run that goes on without
    return result;
  }
  result.after = after->bands();
  result.expected = imbalanceOf(*after, costs);
  return result;
}

}  // namespace mass::detail
