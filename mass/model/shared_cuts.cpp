#include <mass/model/shared_cuts.hpp>

#include <mass/dispatch/block_balance.hpp>
#include <mass/dispatch/row_costs.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace mass::detail {
namespace {

/// Returns the names of all members, quoted.
std::string namesOf(const CutGroup& group) {
  std::string names;
  for (const auto& places : group)
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", places->name);
  return names;
}

std::int64_t rowsOf(const PlacesState& places) {
  return places.fields->partition().rows();
}

/// Returns the numbers of rows and of lines of a row.
std::pair<std::int64_t, std::int64_t> lengthsOf(const PlacesState& places) {
  return {rowsOf(places), linesOfRow(places.fields->domain())};
}

/// Returns the partition of the units that all members have; nothing if they differ.
std::optional<RowPartition> commonPartition(std::span<const CutPlaces> together,
                                            std::int64_t units) {
  const auto first = partitionInUnits(*together.front().places, units);
  const bool areEqual = std::ranges::all_of(together, [&](const CutPlaces& each) {
    return partitionInUnits(*each.places, units) == first;
  });
  return areEqual ? first : std::nullopt;
}

/// Returns the seconds of each device for all members, and begins the next measurement.
std::vector<double> secondsOf(const CutGroup& group) {
  const DeviceConfig& devices = group.front()->engine->devices;
  std::vector<double> seconds(static_cast<std::size_t>(devices.size()));
  for (const auto& places : group) {
    if (!places->times) places->times.emplace(devices);
    const std::vector<double> own = secondsByDevice(devices, *places->times);
    std::ranges::transform(seconds, own, seconds.begin(), std::plus<>());
    places->times->reset();
  }
  return seconds;
}

/// Returns the result of each member, given that in units of which each has the same number.
std::vector<Rebalance> resultsOf(const CutGroup& group, const Rebalance& inUnits,
                                 std::int64_t units) {
  std::vector<Rebalance> results;
  for (const auto& places : group) {
    Rebalance& result = results.emplace_back(inUnits);
    result.places = places->name;
    for (std::int64_t& band : result.before) band *= rowsOf(*places) / units;
    for (std::int64_t& band : result.after) band *= rowsOf(*places) / units;
  }
  return results;
}

}  // namespace

CutGroup cutGroupOf(const PlacesState& places) {
  const auto isTogether = [&places](const PlacesState& other) {
    if (other.cutGroup == places.cutGroup) return true;
    // All places in blocks have the parts of the settings, and those of one shape the same cuts.
    return places.fields->areBlocks() && other.fields->areBlocks() &&
           lengthsOf(other) == lengthsOf(places);
  };
  CutGroup group;
  for (const auto& each : places.engine->places)
    if (auto other = each.lock(); other && isTogether(*other)) group.push_back(std::move(other));
  return group;
}

std::vector<AgentFields*> residentsOf(const PlacesState& places) {
  std::vector<AgentFields*> residents;
  for (const auto& each : places.engine->agents) {
    if (const auto agents = each.lock(); agents && agents->home.get() == &places)
      residents.push_back(&agents->synchronizedFields());
  }
  return residents;
}

std::vector<CutPlaces> synchronized(const CutGroup& group) {
  std::vector<CutPlaces> together;
  for (const auto& places : group) together.push_back({places->fields.get(), residentsOf(*places)});
  return together;
}

void shareCuts(PlacesState& a, PlacesState& b) {
  if (a.cutGroup == b.cutGroup || a.fields->areBlocks()) return;
  CutGroup group = cutGroupOf(a);
  for (auto& places : cutGroupOf(b)) group.push_back(std::move(places));
  const std::vector<CutPlaces> together = synchronized(group);
  const std::int64_t units = unitsOf(together);
  const DeviceConfig& devices = a.engine->devices;
  if (units < devices.size()) {
    throw UsageError(
        "rules of one of {} read another: the rows of all divide into {} common parts, and each of "
        "{} devices needs one; use at most {} devices",
        namesOf(group), units, devices.size(), units);
  }
  if (!commonPartition(together, units)) {
    requireAlone(*a.engine, "the first call that reads places with other cuts between devices");
    repartition(together, RowPartition(units, devices.weights()));
  }
  const std::uint32_t number = std::min(a.cutGroup, b.cutGroup);
  for (const auto& places : group) places->cutGroup = number;
}

void moveCuts(const PlacesState& places, std::span<const std::int64_t> rows) {
  requireRowCuts(places, "new cuts during a run");
  requireAlone(*places.engine, "repartition");
  const CutGroup group = cutGroupOf(places);
  const std::vector<CutPlaces> together = synchronized(group);
  const std::int64_t units = unitsOf(together), rowsOfUnit = rowsOf(places) / units;
  std::vector<std::int64_t> bands(rows.begin(), rows.end());
  for (std::int64_t& band : bands) {
    if (band % rowsOfUnit != 0) {
      throw UsageError(
          "'{}' cannot have {} rows on a device: the cuts of {} go together, so give multiples of "
          "{} rows",
          places.name, band, namesOf(group), rowsOfUnit);
    }
    band /= rowsOfUnit;
  }
  repartition(together, RowPartition::ofBands(bands));
}

std::vector<Rebalance> balanceCuts(const CutGroup& group,
                                   const std::vector<std::vector<double>>& costs,
                                   double threshold) {
  const std::vector<CutPlaces> together = synchronized(group);
  const std::int64_t units = unitsOf(together);
  std::vector<double> costsOfUnits(static_cast<std::size_t>(units));
  for (const std::vector<double>& ofRows : costs) {
    const std::size_t rowsOfUnit = ofRows.size() / costsOfUnits.size();
    for (std::size_t row = 0; row < ofRows.size(); ++row)
      costsOfUnits[row / rowsOfUnit] += ofRows[row];
  }
  return resultsOf(group, rebalance(together, costsOfUnits, threshold), units);
}

namespace {

/// Returns the seconds of each device for exchanges, which do not depend on its rows: of processors
/// beside GPUs, all but those in which they compute, or wait. GPUs exchange while they compute.
/// @param seconds compute time by device
/// @param unpackShares by device: the time of unpacking rows as a share of the seconds of GPUs. It
/// is a part of ExchangeTimes::receiving, which is unpacking only where processors are the slowest.
std::vector<double> exchangeSeconds(const std::vector<double>& seconds,
                                    const std::vector<ExchangeTimes>& exchanges,
                                    std::vector<double>& unpackShares) {
  constexpr double margin = 0.03;  // times of processors vary more
  constexpr double unknown = std::numeric_limits<double>::infinity();
  double ofGpus = 0;
  for (std::size_t device = 0; device < seconds.size(); ++device)
    if (exchanges[device].all == 0) ofGpus = std::max(ofGpus, seconds[device]);
  unpackShares.resize(seconds.size(), unknown);
  std::vector<double> fixed(seconds.size());
  for (std::size_t device = 0; device < seconds.size(); ++device) {
    const auto& [all, sending, receiving] = exchanges[device];
    if (all == 0) continue;
    double& share = unpackShares[device];
    const bool isSlowest = seconds[device] > ofGpus;
    if (share == unknown && !isSlowest) share = sending / ofGpus;  // packing takes about as long
    share = isSlowest ? receiving / ofGpus : std::min(share, receiving / ofGpus);
    const double rest = std::max(all - seconds[device] - receiving, 0.0);
    fixed[device] = rest + (share + margin) * ofGpus;
  }
  return fixed;
}

}  // namespace

namespace {

/// Returns the mean time of a step of the rules of a group: that of the slowest rank with GPUs,
/// whose measurements are not a part of it.
double stepSecondsOf(const CutGroup& group) {
  const DeviceConfig& devices = group.front()->engine->devices;
  std::int64_t steps = 0;
  double seconds = 0;
  for (const auto& places : group) {
    if (!places->times) continue;
    steps += places->times->rankSteps();
    seconds += places->times->rankSeconds();
  }
  const bool counts = devices.areGpus() && steps > 0;
  return std::ranges::max(
      devices.ranks().allGather(counts ? seconds / static_cast<double>(steps) : 0.0));
}

}  // namespace

std::vector<Rebalance> balanceSpeeds(const CutGroup& group, double threshold) {
  const DeviceConfig& devices = group.front()->engine->devices;
  std::vector<ExchangeTimes> exchanges(static_cast<std::size_t>(devices.size()));
  for (const auto& places : group) {
    if (!places->times) continue;
    const std::vector<ExchangeTimes> own = exchangesByDevice(devices, *places->times);
    std::ranges::transform(exchanges, own, exchanges.begin(), std::plus<>());
  }
  const double step = stepSecondsOf(group);
  const std::vector<double> seconds = secondsOf(group);
  if (step <= 0) return {};
  const std::vector<CutPlaces> together = synchronized(group);
  const std::int64_t units = unitsOf(together);
  const RowPartition present = partitionInUnits(*together.front().places, units).value();
  const RowPartition alone = onGpus(present, devices);
  auto& [unpackShares, idle] = group.front()->speeds;
  switch (idle.look(step, present, [&] { return haveMemoryFor(together, alone); })) {
    case IdleTrial::Next::idle:
      return resultsOf(group, moveCutsTo(together, alone), units);
    case IdleTrial::Next::restore:
      return resultsOf(group, moveCutsTo(together, idle.partitionBefore()), units);
    case IdleTrial::Next::keep:
      return resultsOf(group, moveCutsTo(together, present), units);
    case IdleTrial::Next::balance:
      break;
  }
  if (std::ranges::min(seconds) <= 0) return {};
  const std::vector<double> fixed = exchangeSeconds(seconds, exchanges, unpackShares);
  return resultsOf(group, rebalanceBySpeed(together, seconds, fixed, threshold), units);
}

std::vector<Rebalance> balanceBlocks(const CutGroup& group, double threshold) {
  const std::vector<double> seconds = secondsOf(group);
  std::vector<PlaceFields*> together;
  for (const auto& places : group) together.push_back(places->fields.get());
  std::vector<Rebalance> results;
  if (std::ranges::max(seconds) == 0) return results;
  const Rebalance balance = rebalanceBlocks(together, seconds, threshold);
  for (const auto& places : group) {
    results.push_back(balance);
    results.back().places = places->name;
  }
  return results;
}

}  // namespace mass::detail
