#include <mass/dispatch/executor.hpp>

#include <mass/dispatch/reading.hpp>
#include <mass/partition/border.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace mass::detail {

namespace {

/// Returns the fixed ends among the places and ghosts of a device.
FixedEnds fixedEnds(const PlaceFields& fields, int device) {
  const Domain& domain = fields.domain();
  const Layout& layout = fields.layout(device);
  const std::int64_t ghosts[]{layout.ghostRows, layout.ghostLines, layout.ghostColumns};
  FixedEnds ends;
  for (int axis = 0; axis < domain.dimensions; ++axis) {
    const auto number = static_cast<std::size_t>(axis);
    if (domain.borders[number] != Border::fixed) continue;
    const std::int64_t last = domain.shape[number] - 1;
    // The last of 2 or 3 axes is that of the columns.
    const bool isOfColumns = axis > 0 && axis == domain.dimensions - 1;
    const std::size_t cut = isOfColumns ? 2 : number;
    const RowRange here = fields.blocks().range(cut, device);
    // In several steps per exchange, a device also computes the ends of its neighbours.
    if (here.begin <= ghosts[cut]) ends.of[axis][0] = -here.begin;
    if (last < here.end + ghosts[cut]) ends.of[axis][1] = last - here.begin;
  }
  return ends;
}

}  // namespace

std::vector<int> frontsOf(const PlaceFields& fields) {
  std::vector<int> fronts;
  for (int component = 0; component < fields.components(); ++component)
    fronts.push_back(fields.front(component));
  return fronts;
}

std::vector<int> differences(const std::vector<int>& before, const std::vector<int>& after) {
  std::vector<int> components;
  for (std::size_t component = 0; component < before.size(); ++component)
    if (before[component] != after[component]) components.push_back(static_cast<int>(component));
  return components;
}

LaunchBuffers LaunchBuffers::of(const PlaceFields& fields, const StepBatch& batch) {
  LaunchBuffers buffers;
  for (int component = 0; component < fields.components(); ++component) {
    const bool swaps = std::ranges::count(batch.doubleBuffered, component) > 0;
    const int front = fields.front(component);
    buffers.fronts[0].push_back(front);
    buffers.fronts[1].push_back(swaps ? 1 - front : front);
    buffers.swaps.push_back(swaps);
  }
  return buffers;
}

TurnBuffers::TurnBuffers(Turn turn, std::vector<int> fronts,
                         const std::vector<int>& doubleBuffered) {
  for (const Kernel& kernel : turn) {
    std::vector<bool>& swaps = swaps_.emplace_back(fronts.size());
    for (const int component : kernel.written)
      swaps[static_cast<std::size_t>(component)] =
          kernel.isDoubleBuffered() && std::ranges::count(doubleBuffered, component) > 0;
  }
  fronts_.push_back(std::move(fronts));
  for (std::size_t step = 0; step < 2 * turn.size(); ++step) {
    std::vector<int> next = fronts_.back();
    for (std::size_t component = 0; component < next.size(); ++component)
      if (swaps_[step % turn.size()][component]) next[component] = 1 - next[component];
    fronts_.push_back(std::move(next));
  }
}

LaunchBuffers TurnBuffers::of(std::size_t rule) const {
  return {{fronts_[rule], fronts_[rule + swaps_.size()]}, swaps_[rule]};
}

LaunchPair::LaunchPair(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch,
                       int device, const LaunchBuffers& buffers) {
  for (int parity = 0; parity < 2; ++parity) {
    for (int component = 0; component < fields.components(); ++component) {
      const auto number = static_cast<std::size_t>(component);
      const bool swaps = buffers.swaps[number];
      const int front = buffers.fronts[parity][number];
      in[parity].push_back(fields.buffer(component, device, front));
      out[parity].push_back(fields.buffer(component, device, swaps ? 1 - front : front));
    }
    Launch& prepared = launch[parity];
    prepared.layout = fields.layout(device);
    prepared.domain = fields.domain();
    prepared.device = device;
    prepared.firstRow = fields.rows(device).begin;
    prepared.firstLine = fields.lines(device).begin;
    prepared.firstColumn = fields.columns(device).begin;
    prepared.ends = fixedEnds(fields, device);
    for (std::size_t axis = 1; axis < fields.blocks().exchangedAxes(); ++axis)
      prepared.domain.borders[axis] = Border::fixed;
    prepared.arguments = kernel.arguments;
    const std::int64_t results = resultsBefore(fields, kernel, device) -
                                 resultsBefore(fields, kernel, fields.devices().firstLocal());
    prepared.results =
        static_cast<char*>(kernel.results) + static_cast<std::size_t>(results) * kernel.resultBytes;
    if (!kernel.lanes.empty()) {
      const int local = device - fields.devices().firstLocal();
      prepared.lanes = kernel.lanes[static_cast<std::size_t>(local)];
    }
    if (!kernel.neighborSteps.empty()) {
      const auto& steps = kernel.neighborSteps[static_cast<std::size_t>(device)];
      prepared.neighborSteps = steps.data();
      prepared.neighborCount = static_cast<int>(steps.size());
    }
    if (fields.links() != nullptr) prepared.links = fields.links()->view(device);
    prepared.seed = batch.seed;
    prepared.population = batch.population;
    prepared.call = kernel.written.empty() ? 1 : 0;
    prepared.step = fields.step + static_cast<std::uint64_t>(batch.firstStep);
    if (kernel.writesRemoteRows()) addRemoteRows(fields, device, parity);
  }
}

void LaunchPair::addRemoteRows(const PlaceFields& fields, int device, int parity) {
  const RowPartition& partition = fields.partition();
  const Layout& layout = fields.layout(device);
  const RowRange band = partition.range(device);
  for (const std::int64_t row : ghostRows(layout)) {
    const std::int64_t arrival =
        arrivalAt(band.begin + row, partition.rows(), fields.domain().borders[0]);
    const int owner = partition.owner(arrival);
    // Elements for another rank are inserted into the ghost row; see ScatterExchange.
    const bool isHere = fields.devices().isLocal(owner);
    std::vector<void*>& buffers = remoteOut[parity].emplace_back();
    for (int component = 0; component < fields.components(); ++component) {
      // The owner's buffer with the same index as the output buffer of this device.
      const int which =
          out[parity][static_cast<std::size_t>(component)] == fields.buffer(component, device, 0)
              ? 0
              : 1;
      buffers.push_back(fields.buffer(component, isHere ? owner : device, which));
    }
    const std::int64_t rowThere = isHere ? arrival - partition.range(owner).begin : row;
    remoteRows[parity].push_back({buffers.data(), (rowThere - row) * layout.rowStride});
    launch[parity].scatter.isShared |= owner != device;
  }
  launch[parity].scatter.remoteRows = remoteRows[parity].data();
}

Launch LaunchPair::at(std::int64_t step, std::int64_t swaps) const {
  const auto parity = static_cast<std::size_t>(swaps % 2);
  Launch prepared = launch[parity];
  prepared.in = in[parity].data();
  prepared.out = out[parity].data();
  prepared.step += static_cast<std::uint64_t>(step);
  return prepared;
}

namespace {

/// Makes the numbers of the ends of an axis count from another place.
void countFrom(std::int64_t first, std::int64_t (&ends)[2]) {
  for (std::int64_t& end : ends)
    if (end != FixedEnds::none) end = std::max(end - first, FixedEnds::none);
}

}  // namespace

Launch onPart(Launch launch, RowRange lines, RowRange columns) {
  launch.layout.origin += lines.begin * launch.layout.pitch;
  launch.layout.lines = lines.size();
  launch.firstLine += lines.begin;
  countFrom(lines.begin, launch.ends.of[1]);
  launch.columnsBefore = columns.begin;
  launch.layout.columns = columns.size();
  return launch;
}

Launch onBox(Launch launch, const PlaceBox& box) {
  Layout& layout = launch.layout;
  const std::int64_t line = box.places[1].begin - launch.firstLine;
  const std::int64_t column = box.places[2].begin - launch.firstColumn;
  layout.origin += line * layout.pitch + column;
  layout.lines = box.places[1].size();
  layout.columns = box.places[2].size();
  launch.firstRow += box.toWorld[0];
  launch.firstLine += line + box.toWorld[1];
  launch.firstColumn += column + box.toWorld[2];
  countFrom(line, launch.ends.of[1]);
  countFrom(column, launch.ends.of[2]);
  return launch;
}

std::vector<int> writtenBy(Turn turn) {
  std::set<int> written;
  for (const Kernel& kernel : turn) written.insert(kernel.written.begin(), kernel.written.end());
  return {written.begin(), written.end()};
}

std::int64_t reachOf(const PlaceFields& fields, Turn turn) {
  return std::ranges::count_if(turn, &Kernel::readsNeighbors) * fields.domain().reach;
}

std::vector<std::int64_t> ghostRows(const Layout& layout) {
  std::vector<std::int64_t> rows;
  for (std::int64_t k = 0; k < layout.depth; ++k) rows.push_back(k - layout.depth);
  for (std::int64_t k = 0; k < layout.depth; ++k) rows.push_back(layout.rows + k);
  return rows;
}

std::vector<GhostField> ghostFields(const PlaceFields& fields, const std::vector<int>& components,
                                    int parity) {
  std::vector<GhostField> ghosts;
  for (const int component : components)
    ghosts.push_back({component, fields.front(component) ^ parity});
  return ghosts;
}

}  // namespace mass::detail
