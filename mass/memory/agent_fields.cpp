#include <mass/memory/agent_fields.hpp>

#include <mass/support/error.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace mass::detail {
namespace {

/// Returns the bins of a device.
BinIndexing binsOf(const PlaceFields& places, const RowPartition& partition, int device,
                   int reach) {
  const Layout& layout = places.layout(device);
  const Domain& domain = places.domain();
  const bool isAlone = partition.devices() == 1;
  return {.rows = partition.range(device).size(),
          .depth = isAlone ? 0 : reach,
          .firstRow = partition.range(device).begin,
          .lines = layout.lines,
          .columns = layout.columns,
          .rowsWrap = isAlone && domain.borders[0] == Border::periodic,
          .linesWrap = domain.dimensions == 3 && domain.borders[1] == Border::periodic,
          .columnsWrap =
              domain.dimensions > 1 &&
              domain.borders[static_cast<std::size_t>(domain.dimensions - 1)] == Border::periodic};
}

/// Plans the ghosts of all devices: fills `ghosts`, and `edgeBins` and `edges` of the bands.
void planGhostAgents(const PlaceFields& places, const RowPartition& partition, int reach,
                     AgentPartition& agents) {
  // Only a periodic border has agents beyond it.
  const Border border =
      places.domain().borders[0] == Border::periodic ? Border::periodic : Border::fixed;
  for (const GhostCopy& rows : planGhosts(partition, reach, border)) {
    AgentBand& source = agents.bands[static_cast<std::size_t>(rows.fromDevice)];
    agents.ghosts[static_cast<std::size_t>(rows.toDevice)].push_back(
        {rows, source.edgeBins.size()});
    const std::int64_t begin = source.bins.ofRow(rows.fromRow - source.bins.firstRow);
    for (const std::int64_t bin : {begin, begin + rows.count * source.bins.rowSize()}) {
      source.edgeBins.push_back(static_cast<std::int32_t>(bin));
      source.edges.push_back(0);
    }
  }
  for (std::size_t device = 0; device < agents.bands.size(); ++device) {
    AgentBand& here = agents.bands[device];
    const auto binOf = [&](const AgentGhosts& ghosts) {
      return here.bins.ofRow(ghosts.rows.toRow - here.bins.firstRow);
    };
    std::sort(agents.ghosts[device].begin(), agents.ghosts[device].end(),
              [&](const auto& a, const auto& b) { return binOf(a) < binOf(b); });
    if (!places.devices().isLocal(static_cast<int>(device))) continue;
    const auto edges = static_cast<std::int64_t>(here.edgeBins.size());
    here.scratch.edgeBins.reserve(edges, 0);
    here.scratch.edgeBins.write(here.edgeBins.data(), edges);
  }
}

/// Reserves `count` elements in each array; the first `kept` keep their values.
template <class... Arrays>
void reserveAll(std::int64_t count, std::int64_t kept, Arrays&... arrays) {
  (arrays.reserve(count, kept), ...);
}

}  // namespace

AgentBand::AgentBand(Device& device, const AgentTraits& traits, const BinIndexing& theBins,
                     const std::vector<std::int64_t>& placeEnds)
    : BandSummary{theBins},
      ids(device),
      nextIds(device),
      bin(device),
      nextBin(device),
      first(device),
      nextFirst(device),
      targets(device),
      births(device),
      birthplaces(device),
      scratch(device),
      table(device, traits.components.size()),
      offspring_(traits.offspring) {
  for (const Component& component : traits.components) {
    elementSizes_.push_back(component.elementSize);
    front.emplace_back(device);
    back.emplace_back(device);
    children.emplace_back(device);
  }
  first.reserve(bins.size() + 1, 0, 0);
  nextFirst.reserve(bins.size() + 1, 0, 0);
  scratch.lastClaim.reserve(bins.own(), 0, -1);
  scratch.immigrants.reserve(bins.own(), 0, 0);
  if (traits.seeksFreePlaces) scratch.freePlaceList.reserve(bins.own(), 0);
  const auto devices = static_cast<std::int64_t>(placeEnds.size());
  scratch.placeEnds.reserve(devices, 0);
  scratch.placeEnds.write(placeEnds.data(), devices);
  scratch.prefixSums.reserve(1, 0);
}

void AgentBand::reserve(std::int64_t agents) {
  if (agents <= capacity()) return;
  if (agents > maxAgents) {
    throw DeviceError("{} agents on one device are more than the {} that it can number", agents,
                      maxAgents);
  }
  // Geometric growth amortises the copies of a growing population.
  const std::int64_t wanted = std::clamp(capacity() + capacity() / 2, agents, maxAgents);
  const std::int64_t kept = own + ghosts;
  reserveAll(wanted, 0, nextIds, nextBin);  // they hold the previous state
  scratch.prefixSums.reserve(wanted + 1, 0);
  reserveAll(wanted, kept, bin, scratch.moveStates);
  scratch.nextClaim.reserve(wanted, kept, -1);
  targets.reserve(wanted, kept, targetStay);
  births.reserve(wanted, kept, 0);
  birthplaces.reserve(wanted * offspring_, kept * offspring_, 0);
  for (std::size_t k = 0; k < front.size(); ++k) {
    const auto size = static_cast<std::int64_t>(elementSizes_[k]);
    front[k].reserve((wanted + agentsPerLoad) * size, kept * size, 0);
    back[k].reserve((wanted + agentsPerLoad) * size, 0, 0);
    children[k].reserve(wanted * offspring_ * size, kept * offspring_ * size, 0);
  }
  ids.reserve(wanted, kept);
  capacity_ = wanted;
}

std::size_t AgentBand::bytes() const {
  const auto sum = [](const auto&... arrays) { return (arrays.bytes() + ...); };
  std::size_t total =
      table.bytes() +
      sum(ids, nextIds, bin, nextBin, first, nextFirst, targets, births, birthplaces) +
      sum(scratch.nextClaim, scratch.prefixSums, scratch.moveStates, scratch.lastClaim,
          scratch.immigrants, scratch.placeEnds, scratch.edgeBins, scratch.sentPlaces,
          scratch.sentOrigins, scratch.decisions, scratch.freePlaceList, scratch.allFreePlaceList);
  for (const auto* components : {&front, &back, &children}) {
    for (const auto& component : *components) total += component.bytes();
  }
  return total;
}

AgentFields::AgentFields(const PlaceFields& places, AgentTraits traits)
    : places_(&places),
      traits_(std::move(traits)),
      partition_(emptyPartition(places.partition())) {}

AgentPartition AgentFields::emptyPartition(const RowPartition& partition) const {
  std::vector<BinIndexing> bins;
  std::vector<std::int64_t> placeEnds;
  // Rules of agents index the places of a GPU by 32 bits.
  const int interleave = places_->devices().areGpus() ? places_->domain().interleave : 1;
  const std::int64_t maxPlaces = std::numeric_limits<std::int32_t>::max() / interleave;
  for (int device = 0; device < partition.devices(); ++device) {
    bins.push_back(binsOf(*places_, partition, device, traits_.reach));
    const std::int64_t rows = partition.range(device).size();
    if (bins.back().size() >= maxPlaces ||
        (interleave > 1 && Layout::of(places_->domain(), rows).size >= maxPlaces)) {
      throw UsageError(
          "agents of class {} live on {} places of one device, which can number fewer than {} with "
          "ghosts and padding: use more devices",
          traits_.name, bins.back().own(), maxPlaces);
    }
    placeEnds.push_back(partition.range(device).end * bins.back().rowSize());
  }
  AgentPartition agents;
  for (int device = 0; device < partition.devices(); ++device) {
    const BinIndexing& here = bins[static_cast<std::size_t>(device)];
    if (places_->devices().isLocal(device))
      agents.bands.emplace_back(places_->devices().device(device), traits_, here, placeEnds);
    else
      agents.bands.emplace_back(here);
  }
  agents.ghosts.resize(agents.bands.size());
  if (agents.bands.size() > 1) planGhostAgents(*places_, partition, traits_.reach, agents);
  return agents;
}

std::int64_t AgentFields::expectedCapacity(const BinIndexing& bins, std::int64_t count) const {
  double factor = 1;
  if (places_->devices().size() > 1) {
    factor = static_cast<double>(bins.size()) / static_cast<double>(bins.own()) + 1.0 / 16;
  }
  if (traits_.offspring > 0) factor += 0.5;
  const double capacity =
      std::min(factor * static_cast<double>(count), double{AgentBand::maxAgents});
  return std::max(count, static_cast<std::int64_t>(capacity));
}

void AgentFields::requireCapacity(std::int64_t agents) const {
  const DeviceConfig& devices = places_->devices();
  const std::int64_t maxAgents = AgentBand::maxAgents * devices.size();
  if (agents > maxAgents) {
    throw DeviceError(
        "{} agents of class {} are more than the {} that {} device{} can number: use more devices, "
        "or have fewer agents",
        agents, traits_.name, maxAgents, devices.size(), devices.size() == 1 ? "" : "s");
  }
  double attributes = 0;
  for (const Component& component : traits_.components) {
    attributes += static_cast<double>(component.elementSize);
  }
  // Bytes of an agent in the arrays of AgentBand::reserve().
  const double agentBytes = 42 + 2 * attributes + traits_.offspring * (8 + attributes);
  const double needed = static_cast<double>(agents) * agentBytes, free = devices.freeBytes();
  if (needed > free) {
    throw DeviceError(
        "{} agents of class {} need {:.0f} bytes, {:.0f} bytes are available: have fewer agents, "
        "or use {}",
        agents, traits_.name, needed, free,
        devices.areGpus() ? "more devices" : "a machine with more memory");
  }
}

std::int64_t AgentFields::alive() const {
  std::int64_t total = 0;
  for (const AgentBand& band : partition_.bands) total += band.own;
  return total;
}

void AgentFields::reserve(int device, std::int64_t agents) {
  AgentBand& here = band(device);
  try {
    here.reserve(agents);
  } catch (const DeviceError& error) {
    // CPU devices share one memory: more devices have no more memory.
    const bool moreDevicesHelp = places_->devices().areGpus() || agents > AgentBand::maxAgents;
    throw DeviceError(
        "agents of class {} need memory for {} on {}, which has memory for {}: {}; use {}, or "
        "rules "
        "that create fewer agents",
        traits_.name, agents, places_->devices().device(device).name(), here.capacity(),
        error.what(), moreDevicesHelp ? "more devices" : "a machine with more memory");
  }
}

std::size_t AgentFields::bytes() const {
  std::size_t total = 0;
  for (const AgentBand& band : partition_.bands) total += band.bytes();
  return total;
}

}  // namespace mass::detail
