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

/// Transfer of consecutive places along one axis, from their part in the old partition to a part of
/// the new one, as its own or as ghosts.
struct AxisTransfer {
  int fromPart = 0, toPart = 0;
  RowRange places;  ///< global numbers; below 0 or from the length on beyond the world
};

/// Returns the transfers that fill all parts of `to`, ghosts included. The first and the last part
/// provide the places beyond the world, which are constant beyond a fixed border.
std::vector<AxisTransfer> axisTransfers(const RowPartition& from, const RowPartition& to,
                                        std::int64_t depth) {
  std::vector<AxisTransfer> transfers;
  const int last = from.devices() - 1;
  for (int toPart = 0; toPart <= last; ++toPart) {
    const RowRange wanted{to.range(toPart).begin - depth, to.range(toPart).end + depth};
    for (int fromPart = 0; fromPart <= last; ++fromPart) {
      RowRange places = from.range(fromPart);
      if (fromPart == 0) places.begin -= depth;
      if (fromPart == last) places.end += depth;
      places = {std::max(places.begin, wanted.begin), std::min(places.end, wanted.end)};
      if (places.size() > 0) transfers.push_back({fromPart, toPart, places});
    }
  }
  return transfers;
}

/// Transfer of rows and lines, with their padding, between two devices.
struct PlaceTransfer {
  int fromDevice = 0, toDevice = 0;
  RowRange rows, lines;
};

/// Returns the transfers that fill all buffers of partition `to`, ghosts included.
std::vector<PlaceTransfer> placeTransfers(const BlockPartition& from, const BlockPartition& to,
                                          std::int64_t depth) {
  std::vector<PlaceTransfer> transfers;
  for (const AxisTransfer& rows : axisTransfers(from.ofRows(), to.ofRows(), depth))
    for (const AxisTransfer& lines : axisTransfers(from.ofLines(), to.ofLines(), depth))
      transfers.push_back({from.device(rows.fromPart, lines.fromPart),
                           to.device(rows.toPart, lines.toPart), rows.places, lines.places});
  return transfers;
}

/// Buffers of a component in one of the partitions.
struct PartitionBuffers {
  const BlockPartition& partition;
  const std::vector<Layout>& layouts;
  const std::vector<Buffer>& buffers;
  const Component& component;

  /// Returns the bytes of whole rows of a band, or of lines of a row of a block, with their
  /// padding, of all interleaved components.
  std::size_t bytesOf(RowRange rows, RowRange lines) const {
    const Layout layout = layoutOf(component, layouts[0]);
    const std::int64_t places =
        partition.isInBlocks() ? lines.size() * layout.pitch : rows.size() * layout.rowStride;
    return static_cast<std::size_t>(places) * component.elementSize;
  }
  /// Returns the address of a row of a band or of a line of a block, with its padding, of all
  /// interleaved components.
  char* at(int device, std::int64_t row, std::int64_t line) const {
    const auto d = static_cast<std::size_t>(device);
    const Layout layout = layoutOf(component, layouts[d]);
    std::int64_t place = layout.rowStart(row - partition.rows(device).begin);
    if (partition.isInBlocks())
      place += (line - partition.lines(device).begin + layout.ghostLines) * layout.pitch;
    return static_cast<char*>(buffers[d].data()) +
           static_cast<std::size_t>(place) * component.elementSize;
  }
};

/// Copy of all components from one partition to another.
struct PlaceCopy {
  const DeviceConfig& devices;
  std::vector<PartitionBuffers> from, to;  ///< by buffer

  /// Calls body(buffer, row, bytes) for the contiguous places of some rows of a transfer.
  template <class Body>
  void forEachChunk(const PlaceTransfer& transfer, RowRange rows, const Body& body) const {
    const std::int64_t together = to.front().partition.isInBlocks() ? 1 : rows.size();
    for (std::size_t i = 0; i < from.size() && rows.size() > 0; ++i)
      for (std::int64_t row = rows.begin; row < rows.end; row += together)
        body(i, row, from[i].bytesOf({row, row + together}, transfer.lines));
  }
  /// Copies rows of a transfer between two local devices.
  void copy(const PlaceTransfer& transfer, RowRange rows) const {
    const auto& [source, target, all, lines] = transfer;
    forEachChunk(transfer, rows,
                 [&, source = source, target = target, line = lines.begin](
                     std::size_t i, std::int64_t row, std::size_t bytes) {
                   copyBytes(devices.device(source), from[i].at(source, row, line),
                             devices.device(target), to[i].at(target, row, line), bytes);
                 });
  }
  /// Copies rows that stay on their device, with first touch by the thread that processes them
  /// later.
  void copyOwn(const std::vector<PlaceTransfer>& transfers) const {
    devices.run([&](const Worker& worker) {
      for (const PlaceTransfer& transfer : transfers) {
        if (transfer.fromDevice != transfer.toDevice || transfer.toDevice != worker.device())
          continue;
        const auto [begin, end] = worker.share(transfer.rows.size());
        copy(transfer, {transfer.rows.begin + begin, transfer.rows.begin + end});
      }
    });
  }
  /// Copies or sends the places that move to another device.
  void move(const std::vector<PlaceTransfer>& transfers) const {
    RankPackets packets(devices.ranks());
    for (const PlaceTransfer& transfer : transfers) {
      const int source = transfer.fromDevice, target = transfer.toDevice;
      const bool isFromHere = devices.isLocal(source), isToHere = devices.isLocal(target);
      if (source == target) continue;
      if (isFromHere && isToHere) copy(transfer, transfer.rows);
      if (isFromHere == isToHere) continue;
      const std::int64_t line = transfer.lines.begin;
      forEachChunk(transfer, transfer.rows,
                   [&](std::size_t i, std::int64_t row, std::size_t bytes) {
                     if (isFromHere) {
                       packets.send(devices.rankOf(target), devices.device(source),
                                    from[i].at(source, row, line), bytes);
                     } else {
                       packets.receive(devices.rankOf(source), devices.device(target),
                                       to[i].at(target, row, line), bytes);
                     }
                   });
    }
    if (packets.isEmpty()) return;
    packets.start();
    packets.finish();
  }
};

}  // namespace

void PlaceFields::requireMemoryFor(const BlockPartition& partition) const {
  const RowPartition &rows = partition.ofRows(), &lines = partition.ofLines();
  if (rows.rows() != this->partition().rows() || rows.devices() != this->partition().devices()) {
    throw UsageError(
        "a partition of {} rows on {} devices cannot become one of {} rows on {} devices",
        this->partition().rows(), this->partition().devices(), rows.rows(), rows.devices());
  }
  if (lines.rows() != partition_.ofLines().rows() ||
      lines.devices() != partition_.ofLines().devices()) {
    throw UsageError(
        "a partition of {} lines in {} parts cannot become one of {} lines in {} parts",
        partition_.ofLines().rows(), partition_.ofLines().devices(), lines.rows(), lines.devices());
  }
  for (const int device : devices_->local()) {
    const std::int64_t count = partition.rows(device).size();
    const double bytes = bytesNeeded(Layout::of(domain_, count, partition.lines(device).size()));
    if (bytes <= bytesWithin(device)) continue;
    throw DeviceError("device {} has no memory for {} rows, which need {:.0f} bytes: it has {:.0f}",
                      devices_->device(device).name(), count, bytes, bytesWithin(device));
  }
  for (int number = 0; number < components(); ++number) {
    const Component& component = this->component(number);
    const bool isInPlace = component.storage == Storage::aaInPlace && component.lane == 0;
    if (isInPlace && !hasBuffer(number, 1 - front(number))) requireMemoryForBackBuffer(number);
  }
}

/// Sets all ghost rows of new front buffers, with their padding, to the value beyond a fixed
/// border; of blocks, which have ghost lines in each row, all places. Back buffers begin as copies
/// of them, and no rule writes the padding of a fixed border.
void PlaceFields::fillGhostRows(const Worker& worker, const std::vector<Layout>& layouts,
                                std::vector<std::vector<Buffer>>& fronts) const {
  const auto device = static_cast<std::size_t>(worker.device());
  const Layout& alone = layouts[device];
  const std::int64_t linesOfRow = alone.rowStride / alone.pitch;
  const std::int64_t afterBand = (alone.ghostRows + alone.rows) * linesOfRow;
  std::vector<RowRange> filled{{0, alone.ghostRows * linesOfRow},
                               {afterBand, afterBand + alone.ghostRows * linesOfRow}};
  if (areBlocks()) filled = {{0, alone.allLines()}};
  for (int number = 0; number < components(); ++number) {
    const Component& component = this->component(number);
    const Layout layout = detail::layoutOf(component, alone);
    const std::int64_t width = layout.pitch / component.interleave;
    char* const data =
        static_cast<char*>(fronts[static_cast<std::size_t>(firstLane(number))][device].data()) +
        static_cast<std::size_t>(component.lane * width) * component.elementSize;
    for (const RowRange& lines : filled) {
      const auto [begin, end] = worker.share(lines.size());
      devices_->device(worker.device())
          .fill(data, component.elementSize,
                layout.wholeLines(lines.begin + begin, lines.begin + end, width),
                component.outside.data());
    }
  }
}

void PlaceFields::repartition(const BlockPartition& partition) {
  if (partition == partition_) return;
  requireMemoryFor(partition);
  moveTo(partition, links_ ? std::make_unique<const DeviceLinks>(*devices_, links_->sharedNetwork(),
                                                                 partition.ofRows())
                           : nullptr);
}

void PlaceFields::relink(std::shared_ptr<const Network> network) {
  auto links = std::make_unique<const DeviceLinks>(*devices_, std::move(network), partition());
  if (devices_->size() == 1)
    links_ = std::move(links);  // without ghosts, nothing else depends on links
  else
    moveTo(BlockPartition(partition_), std::move(links));
}

/// Copies all values to the parts of a partition. @param links null for a grid
void PlaceFields::moveTo(const BlockPartition& partition,
                         std::unique_ptr<const DeviceLinks> links) {
  restoreLayout();
  bytes_.reset();
  // The state is in the front buffers. Without back buffers, the old and the new front buffers need
  // no more memory than front and back buffers do; components that stream in place need twice
  // theirs.
  for (ComponentState& component : states_) component.buffers[1 - component.front].clear();
  BlockPartition next = partition;
  std::vector<Layout> layouts = layoutsOf(next, links.get());
  std::vector<GhostCopy> ghostPlan = links ? links->ghostPlan()
                                           : planGhosts(next, {domain_.reach, domain_.reach},
                                                        domain_.borders[0], domain_.borders[1]);
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
    places.from.push_back({partition_, layouts_, state(number).buffers[front(number)], component});
    places.to.push_back({next, layouts, fronts[static_cast<std::size_t>(number)], component});
  }
  const std::vector<PlaceTransfer> transfers = placeTransfers(partition_, next, depth);
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
