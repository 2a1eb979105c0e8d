#include <mass/dispatch/row_costs.hpp>

#include <mass/memory/agent_io.hpp>
#include <mass/memory/repartition.hpp>
#include <mass/partition/optimal_cuts.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>

namespace mass::detail {
namespace {

/// Fraction of the available memory that is left unused.
constexpr double reservedFraction = 0.05;

/// Returns the largest number of rows of a device for which the bins of its agents can be numbered
/// with 32 bits.
std::int64_t mostRowsOfBins(std::span<AgentFields* const> residents) {
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const AgentFields* const agents : residents) {
    constexpr std::int64_t mostBins = std::numeric_limits<std::int32_t>::max() - 1;
    const BinIndexing& bins = agents->band(0).bins;
    most = std::min(most, mostBins / bins.rowSize() - 2 * bins.depth);
  }
  return most;
}

/// Returns a predicate: true if the units of rows of all places fit into the memory of a device and
/// the bins of its agents can be numbered.
RowsFit unitsThatFit(std::span<const CutPlaces> together, std::int64_t units) {
  const DeviceConfig& devices = together.front().places->devices();
  // The free bytes of a device count once, those that it has allocated for each of the places.
  std::vector<double> local;
  for (const int device : devices.local()) {
    double bytes = 0;
    for (const auto& [places, residents] : together) bytes += places->bytesWithin(device);
    const auto free = static_cast<double>(devices.device(device).freeBytes());
    local.push_back((1 - reservedFraction) *
                    (bytes - static_cast<double>(together.size() - 1) * free));
  }
  return [together, units, bytes = devices.allGather(local)](int device, RowRange range) {
    double needed = 0;
    for (const auto& [places, residents] : together) {
      const std::int64_t rows = range.size() * (places->partition().rows() / units);
      if (rows > mostRowsOfBins(residents)) return false;
      needed += places->bytesNeeded(rows);
    }
    return needed <= bytes[static_cast<std::size_t>(device)];
  };
}

/// Adds a linear slope to the costs of rows [row, last): it falls from `highest` at the outer edge
/// of the first row to 0, and its integral is `sum`.
template <class Iterator>
void addSlope(Iterator row, Iterator last, double highest, double sum) {
  // The slope ends before `last`; the minimum only guards against rounding.
  const double length = std::min(static_cast<double>(last - row), 2 * sum / highest);
  for (double begin = 0; begin < length; ++begin, ++row) {
    const double end = std::min(begin + 1, length);
    *row += highest * (end - begin) * (1 - (begin + end) / (2 * length));
  }
}

/// Distributes the cost of a band over its rows, see costsByTime().
/// @param row mean cost of a row of the band
/// @param before mean cost of a row of the preceding band; 0 if there is none
/// @param behind mean cost of a row of the following band; 0 if there is none
void distributeCost(std::span<double> band, double row, double before, double behind) {
  const double highest = std::max(before, behind);
  const double least = highest > row ? std::max(row / 2, 2 * row - highest) : row;
  std::fill(band.begin(), band.end(), least);
  const int slopes = (before > row ? 1 : 0) + (behind > row ? 1 : 0);
  const double sum = (row - least) * static_cast<double>(band.size()) / slopes;
  if (before > row) addSlope(band.begin(), band.end(), before - least, sum);
  if (behind > row) addSlope(band.rbegin(), band.rend(), behind - least, sum);
}

}  // namespace

std::vector<double> secondsByDevice(const DeviceConfig& devices, const DeviceTimes& times) {
  std::vector<double> local;
  for (const int device : devices.local()) local.push_back(times.of(device));
  return devices.allGather(local);
}

std::vector<ExchangeTimes> exchangesByDevice(const DeviceConfig& devices, DeviceTimes& times) {
  const std::vector<ExchangeTimes> ofRanks = devices.ranks().allGather(times.exchanges());
  std::vector<ExchangeTimes> ofDevices;
  for (int device = 0; device < devices.size(); ++device)
    ofDevices.push_back(ofRanks[static_cast<std::size_t>(devices.rankOf(device))]);
  return ofDevices;
}

std::vector<double> costsAlong(const RowPartition& cuts, std::span<const double> seconds) {
  std::vector<double> costs(static_cast<std::size_t>(cuts.rows()));
  const int parts = cuts.devices();
  // Mean cost of a row of a part; 0 for parts that do not exist.
  const auto rowOf = [&](int part) {
    if (part < 0 || part >= parts) return 0.0;
    return seconds[static_cast<std::size_t>(part)] / static_cast<double>(cuts.range(part).size());
  };
  for (int part = 0; part < parts; ++part) {
    const RowRange rows = cuts.range(part);
    const std::span band = std::span(costs).subspan(static_cast<std::size_t>(rows.begin),
                                                    static_cast<std::size_t>(rows.size()));
    distributeCost(band, rowOf(part), rowOf(part - 1), rowOf(part + 1));
  }
  return costs;
}

std::vector<double> costsByTime(const PlaceFields& places, const DeviceTimes& times) {
  return costsAlong(places.partition(), secondsByDevice(places.devices(), times));
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

namespace {

/// Moves the cuts to `after`, if memory suffices. @param expected imbalance afterwards
void moveTo(std::span<const CutPlaces> together, const RowPartition& after, double expected,
            Rebalance& result) {
  try {
    repartition(together, after);
  } catch (const DeviceError&) {  // memory is exhausted; the run continues with the old cuts
    return;
  }
  result.after = after.bands();
  result.expected = expected;
}

/// Returns the largest of some times divided by their mean, minus 1.
double imbalanceOfTimes(std::span<const double> seconds) {
  const double sum = std::reduce(seconds.begin(), seconds.end());
  return std::ranges::max(seconds) * static_cast<double>(seconds.size()) / sum - 1;
}

}  // namespace

bool haveMemoryFor(std::span<const CutPlaces> together, const RowPartition& units) {
  const RowsFit fit = unitsThatFit(together, units.rows());
  for (int device = 0; device < units.devices(); ++device)
    if (!fit(device, units.range(device))) return false;
  return true;
}

Rebalance moveCutsTo(std::span<const CutPlaces> together, const RowPartition& units) {
  const auto before = partitionInUnits(*together.front().places, units.rows()).value().bands();
  Rebalance result{.before = before, .after = before};
  moveTo(together, units, 0, result);
  return result;
}

Rebalance rebalanceBySpeed(std::span<const CutPlaces> together, std::span<const double> seconds,
                           std::span<const double> fixed, double threshold) {
  const std::int64_t units = unitsOf(together);
  const RowPartition before = partitionInUnits(*together.front().places, units).value();
  Rebalance result{.before = before.bands(), .after = before.bands()};
  const RowPartition after = partitionBySpeed(before, seconds, fixed);
  std::vector<double> present, expected;
  for (int device = 0; device < before.devices(); ++device) {
    const auto number = static_cast<std::size_t>(device);
    present.push_back(seconds[number] + fixed[number]);
    expected.push_back(fixed[number] + seconds[number] *
                                           static_cast<double>(after.range(device).size()) /
                                           static_cast<double>(before.range(device).size()));
  }
  result.imbalance = result.expected = imbalanceOfTimes(present);
  if (haveMemoryFor(together, after) && result.imbalance > threshold &&
      std::ranges::max(expected) < std::ranges::max(present))
    moveTo(together, after, imbalanceOfTimes(expected), result);
  return result;
}

Rebalance rebalance(std::span<const CutPlaces> together, std::span<const double> costs,
                    double threshold) {
  const auto units = std::ssize(costs);
  const RowPartition before = partitionInUnits(*together.front().places, units).value();
  Rebalance result{.before = before.bands(), .after = before.bands()};
  result.imbalance = result.expected = imbalanceOf(before, costs);
  if (result.imbalance <= threshold) return result;
  const std::optional<RowPartition> after =
      balancedPartition(costs, before.devices(), unitsThatFit(together, units));
  if (after && imbalanceOf(*after, costs) < result.imbalance)
    moveTo(together, *after, imbalanceOf(*after, costs), result);
  return result;
}

}  // namespace mass::detail
