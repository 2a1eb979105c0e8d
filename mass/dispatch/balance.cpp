#include <mass/dispatch/balance.hpp>

#include <mass/memory/agent_io.hpp>
#include <mass/memory/repartition.hpp>
#include <mass/partition/balance.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

namespace mass {
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
    const Bins& bins = agents->band(0).bins;
    most = std::min(most, mostBins / bins.rowSize() - 2 * bins.depth);
  }
  return [&places, bytes, most](int device, RowRange rows) {
    return rows.size() <= most &&
           places.bytesNeeded(rows.size()) <= bytes[static_cast<std::size_t>(device)];
  };
}

}  // namespace

std::vector<double> costsByTime(const PlaceFields& places, const DeviceTimes& times) {
  std::vector<double> costs;
  for (int device = 0; device < places.devices().size(); ++device) {
    const std::int64_t rows = places.layout(device).rows;
    costs.insert(costs.end(), static_cast<std::size_t>(rows),
                 times.of(device) / static_cast<double>(rows));
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

}  // namespace mass
