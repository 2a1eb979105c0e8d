#include <mass/backend/copy.hpp>
#include <mass/backend/on_all_ranks.hpp>
#include <mass/backend/rank_packets.hpp>
#include <mass/memory/place_fields.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

// Copies of places for another partition.

namespace mass::detail {
namespace {

/// Transfer of consecutive rows, with their padding, from their owner in the old partition to a
/// device of the new one, as own or as ghost rows.
struct RowTransfer {
  int fromDevice = 0, toDevice = 0;
  RowRange rows;  ///< global numbers; below 0 or from rows() on beyond the world
};

/// Returns the transfers that fill all buffers of partition `to`, ghost rows included. The first
/// and the last device provide the rows beyond the world, which are constant beyond a fixed border.
std::vector<RowTransfer> rowTransfers(const RowPartition& from, const RowPartition& to,
                                      std::int64_t depth) {
  std::vector<RowTransfer> transfers;
  const int last = from.devices() - 1;
  for (int toDevice = 0; toDevice <= last; ++toDevice) {
    const RowRange wanted{to.range(toDevice).begin - depth, to.range(toDevice).end + depth};
    for (int fromDevice = 0; fromDevice <= last; ++fromDevice) {
      RowRange rows = from.range(fromDevice);
      if (fromDevice == 0) rows.begin -= depth;
      if (fromDevice == last) rows.end += depth;
      rows = {std::max(rows.begin, wanted.begin), std::min(rows.end, wanted.end)};
      if (rows.size() > 0) transfers.push_back({fromDevice, toDevice, rows});
    }
  }
  return transfers;
}

/// Buffers of a component in one of the partitions.
struct PartitionBuffers {
  const RowPartition& partition;
  const std::vector<Layout>& layouts;
  const std::vector<Buffer>& buffers;
  const Component& component;

  /// Returns the bytes of rows with their padding, of all interleaved components.
  std::size_t bytesOf(RowRange rows) const {
    return static_cast<std::size_t>(rows.size() * layoutOf(component, layouts[0]).rowStride) *
           component.elementSize;
  }
  /// Returns the address of a row with its padding, of all interleaved components.
  char* at(int device, std::int64_t row) const {
    const auto d = static_cast<std::size_t>(device);
    const Layout layout = layoutOf(component, layouts[d]);
    const std::int64_t place = layout.rowStart(row - partition.range(device).begin);
    return static_cast<char*>(buffers[d].data()) +
           static_cast<std::size_t>(place) * component.elementSize;
  }
};

/// Copy of all components from one partition to another.
struct PlaceCopy {
  const DeviceConfig& devices;
  std::vector<PartitionBuffers> from, to;  ///< by buffer

  /// Copies rows of a transfer between two local devices.
  void copy(const RowTransfer& transfer, RowRange rows) const {
    for (std::size_t i = 0; i < from.size(); ++i) {
      copyBytes(devices.device(transfer.fromDevice), from[i].at(transfer.fromDevice, rows.begin),
                devices.device(transfer.toDevice), to[i].at(transfer.toDevice, rows.begin),
                from[i].bytesOf(rows));
    }
  }
  /// Copies rows that stay on their device, with first touch by the thread that processes them
  /// later.
  void copyOwn(const std::vector<RowTransfer>& transfers) const {
    devices.run([&](const Worker& worker) {
      for (const RowTransfer& transfer : transfers) {
        if (transfer.fromDevice != transfer.toDevice || transfer.toDevice != worker.device())
          continue;
        const auto [begin, end] = worker.share(transfer.rows.size());
        copy(transfer, {transfer.rows.begin + begin, transfer.rows.begin + end});
      }
    });
  }
  /// Copies or sends the rows that move to another device.
  void move(const std::vector<RowTransfer>& transfers) const {
    RankPackets packets(devices.ranks());
    for (const RowTransfer& transfer : transfers) {
      const auto& [source, target, rows] = transfer;
      const bool isFromHere = devices.isLocal(source), isToHere = devices.isLocal(target);
      if (source == target) continue;
      if (isFromHere && isToHere) copy(transfer, rows);
      for (std::size_t i = 0; i < from.size() && isFromHere != isToHere; ++i) {
        const std::size_t bytes = from[i].bytesOf(rows);
        if (isFromHere) {
          packets.send(devices.rankOf(target), devices.device(source),
                       from[i].at(source, rows.begin), bytes);
        } else {
          packets.receive(devices.rankOf(source), devices.device(target),
                          to[i].at(target, rows.begin), bytes);
        }
      }
    }
    if (packets.isEmpty()) return;
    packets.start();
    packets.finish();
  }
};

}  // namespace

void PlaceFields::requireMemoryFor(const RowPartition& partition) const {
  if (partition.rows() != this->partition().rows() ||
      partition.devices() != this->partition().devices()) {
    throw UsageError(
        "a partition of {} rows on {} devices cannot become one of {} rows on {} devices",
        this->partition().rows(), this->partition().devices(), partition.rows(),
        partition.devices());
  }
  for (const int device : devices_->local()) {
    const std::int64_t rows = partition.range(device).size();
    if (bytesNeeded(rows) <= bytesWithin(device)) continue;
    throw DeviceError("device {} has no memory for {} rows, which need {:.0f} bytes: it has {:.0f}",
                      devices_->device(device).name(), rows, bytesNeeded(rows),
                      bytesWithin(device));
  }
  for (int number = 0; number < components(); ++number) {
    const Component& component = this->component(number);
    const bool isInPlace = component.storage == Storage::aaInPlace && component.lane == 0;
    if (isInPlace && !hasBuffer(number, 1 - front(number))) requireMemoryForBackBuffer(number);
  }
}

/// Sets all ghost rows of new front buffers, with their padding, to the value beyond a fixed
/// border. Back buffers begin as copies of them, and no rule writes the padding of a fixed border.
void PlaceFields::fillGhostRows(const Worker& worker, const std::vector<Layout>& layouts,
                                std::vector<std::vector<Buffer>>& fronts) const {
  const auto device = static_cast<std::size_t>(worker.device());
  const Layout& alone = layouts[device];
  const std::int64_t linesOfRow = alone.rowStride / alone.pitch;
  const std::int64_t afterBand = (alone.ghostRows + alone.rows) * linesOfRow;
  const auto [begin, end] = worker.share(alone.ghostRows * linesOfRow);
  for (int number = 0; number < components(); ++number) {
    const Component& component = this->component(number);
    const Layout layout = detail::layoutOf(component, alone);
    const std::int64_t width = layout.pitch / component.interleave;
    char* const data =
        static_cast<char*>(fronts[static_cast<std::size_t>(firstLane(number))][device].data()) +
        static_cast<std::size_t>(component.lane * width) * component.elementSize;
    for (const std::int64_t first : {std::int64_t{0}, afterBand})
      devices_->device(worker.device())
          .fill(data, component.elementSize, layout.wholeLines(first + begin, first + end, width),
                component.outside.data());
  }
}

void PlaceFields::repartition(const RowPartition& partition) {
  if (partition == this->partition()) return;
  requireMemoryFor(partition);
  moveTo(partition,
         links_ ? std::make_unique<const DeviceLinks>(*devices_, links_->sharedNetwork(), partition)
                : nullptr);
}

void PlaceFields::relink(std::shared_ptr<const Network> network) {
  auto links = std::make_unique<const DeviceLinks>(*devices_, std::move(network), partition());
  if (devices_->size() == 1)
    links_ = std::move(links);  // without ghosts, nothing else depends on links
  else
    moveTo(RowPartition(partition()), std::move(links));
}

/// Copies all values to the rows of a partition. @param links null for a grid
void PlaceFields::moveTo(const RowPartition& partition, std::unique_ptr<const DeviceLinks> links) {
  restoreLayout();
  bytes_.reset();
  // The state is in the front buffers. Without back buffers, the old and the new front buffers need
  // no more memory than front and back buffers do; components that stream in place need twice
  // theirs.
  for (ComponentState& component : states_) component.buffers[1 - component.front].clear();
  BlockPartition next(partition, linesOfRow(domain_));
  std::vector<Layout> layouts = layoutsOf(next, links.get());
  std::vector<GhostCopy> ghostPlan =
      links ? links->ghostPlan() : planGhosts(partition, domain_.reach, domain_.borders[0]);
  // Ghost rows of a network are those of other nodes than before.
  const std::int64_t depth = links ? 0 : domain_.reach;
  std::vector<std::vector<Buffer>> fronts;
  onAllRanks(devices_->ranks(), [&] {
    for (int component = 0; component < components(); ++component)
      fronts.push_back(allocate(component, layouts));
  });
  devices_->run([&](const Worker& worker) { fillGhostRows(worker, layouts, fronts); });
  PlaceCopy places{*devices_, {}, {}};
  for (int number = 0; number < components(); ++number) {
    const Component& component = this->component(number);
    if (component.lane > 0) continue;  // copied with lane 0
    places.from.push_back(
        {this->partition(), layouts_, state(number).buffers[front(number)], component});
    places.to.push_back({partition, layouts, fronts[static_cast<std::size_t>(number)], component});
  }
  const std::vector<RowTransfer> transfers = rowTransfers(this->partition(), partition, depth);
  places.copyOwn(transfers);
  places.move(transfers);
  for (int component = 0; component < components(); ++component) {
    ComponentState& target = state(component);
    target.buffers[target.front] = std::move(fronts[static_cast<std::size_t>(component)]);
    target.freshRows = std::min(target.freshRows, depth);
  }
  links_ = std::move(links);
  layouts_ = std::move(layouts);
  partition_ = std::move(next);
  ghostPlan_ = std::move(ghostPlan);
}

}  // namespace mass::detail
