#include <mass/backend/copy.hpp>
#include <mass/backend/on_all_ranks.hpp>
#include <mass/backend/rank_packets.hpp>
#include <mass/memory/place_fields.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <array>
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

/// Returns the transfers that fill all parts of `to`, ghosts included. The parts of the first and
/// the last place provide the places beyond the world, which are constant beyond a fixed border.
std::vector<AxisTransfer> axisTransfers(const RowPartition& from, const RowPartition& to,
                                        std::int64_t depth) {
  std::vector<AxisTransfer> transfers;
  for (int toPart = 0; toPart < to.devices(); ++toPart) {
    if (to.isIdle(toPart)) continue;
    const RowRange wanted{to.range(toPart).begin - depth, to.range(toPart).end + depth};
    for (int fromPart = 0; fromPart < from.devices(); ++fromPart) {
      RowRange places = from.range(fromPart);
      if (fromPart == from.owner(0)) places.begin -= depth;
      if (fromPart == from.owner(from.rows() - 1)) places.end += depth;
      places = {std::max(places.begin, wanted.begin), std::min(places.end, wanted.end)};
      if (places.size() > 0) transfers.push_back({fromPart, toPart, places});
    }
  }
  return transfers;
}

/// Transfer of a box of places between two devices. Axes that exchanges do not fill are whole, with
/// their padding.
struct PlaceTransfer {
  int fromDevice = 0, toDevice = 0;
  RowRange rows, lines, columns;
};

/// Returns the transfers that fill all buffers of partition `to`, ghosts included.
std::vector<PlaceTransfer> placeTransfers(const BlockPartition& from, const BlockPartition& to,
                                          std::int64_t depth) {
  std::vector<PlaceTransfer> transfers;
  for (const AxisTransfer& rows : axisTransfers(from.along(0), to.along(0), depth))
    for (const AxisTransfer& lines : axisTransfers(from.along(1), to.along(1), depth))
      for (const AxisTransfer& columns : axisTransfers(from.along(2), to.along(2), depth))
        transfers.push_back({from.device({rows.fromPart, lines.fromPart, columns.fromPart}),
                             to.device({rows.toPart, lines.toPart, columns.toPart}), rows.places,
                             lines.places, columns.places});
  return transfers;
}

/// Buffers of a component in one of the partitions.
struct PartitionBuffers {
  const BlockPartition& partition;
  const std::vector<Layout>& layouts;
  const std::vector<Buffer>& buffers;
  const Component& component;

  /// Returns the bytes of consecutive places.
  std::size_t bytes(std::int64_t places) const {
    return static_cast<std::size_t>(places) * component.elementSize;
  }
  /// Returns the layout of a device.
  Layout layout(int device) const {
    return layoutOf(component, layouts[static_cast<std::size_t>(device)]);
  }
  /// Returns the address of a row with its padding; given a line, of that line with its padding;
  /// given a column, of that place, in the lane of an interleaved component.
  char* at(int device, std::int64_t row, const std::int64_t* line = nullptr,
           const std::int64_t* column = nullptr, int lane = 0) const {
    const Layout layout = this->layout(device);
    std::int64_t place = layout.rowStart(row - partition.range(0, device).begin);
    if (line != nullptr)
      place += (*line - partition.range(1, device).begin + layout.ghostLines) * layout.pitch;
    if (column != nullptr)
      place += *column - partition.range(2, device).begin + layout.ghostColumns +
               lane * (layout.pitch / component.interleave);
    return static_cast<char*>(buffers[static_cast<std::size_t>(device)].data()) + bytes(place);
  }
};

/// Copy of all components from one partition to another.
struct PlaceCopy {
  const DeviceConfig& devices;
  std::vector<PartitionBuffers> from, to;  ///< by buffer

  /// Calls body(source, target, bytes) for the contiguous places of some rows of a transfer: whole
  /// rows of bands, whole lines of each row, or parts of each line. The addresses are null on
  /// devices of other ranks.
  template <class Body>
  void forEachChunk(const PlaceTransfer& transfer, RowRange rows, const Body& body) const {
    if (rows.size() == 0) return;
    const auto& [source, target, all, lines, columns] = transfer;
    const auto address = [&](const PartitionBuffers& buffers, int device, auto... place) {
      return devices.isLocal(device) ? buffers.at(device, place...) : nullptr;
    };
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto chunk = [&, source = source, target = target](std::int64_t places, auto... place) {
        body(address(from[i], source, place...), address(to[i], target, place...),
             from[i].bytes(places));
      };
      const Layout layout = from[i].layout(0);
      const std::size_t exchanged = from[i].partition.exchangedAxes();
      if (exchanged == 1) chunk(rows.size() * layout.rowStride, rows.begin);
      for (std::int64_t row = rows.begin; row < rows.end && exchanged > 1; ++row) {
        if (exchanged == 2) chunk(lines.size() * layout.pitch, row, &lines.begin);
        for (std::int64_t line = lines.begin; line < lines.end && exchanged == 3; ++line)
          for (int lane = 0; lane < from[i].component.interleave; ++lane)
            chunk(columns.size(), row, &line, &columns.begin, lane);
      }
    }
  }
  /// Copies rows of a transfer between two local devices.
  void copy(const PlaceTransfer& transfer, RowRange rows) const {
    forEachChunk(transfer, rows, [&](const char* source, char* target, std::size_t bytes) {
      copyBytes(devices.device(transfer.fromDevice), source, devices.device(transfer.toDevice),
                target, bytes);
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
      forEachChunk(transfer, transfer.rows, [&](const char* origin, char* goal, std::size_t bytes) {
        if (isFromHere) {
          packets.send(devices.rankOf(target), devices.device(source), origin, bytes);
        } else {
          packets.receive(devices.rankOf(source), devices.device(target), goal, bytes);
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
  constexpr std::array names{"rows", "lines", "columns"};
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    const RowPartition &now = partition_.along(axis), &next = partition.along(axis);
    if (next.rows() == now.rows() && next.devices() == now.devices()) continue;
    throw UsageError("a partition of {} {} in {} parts cannot become one of {} {} in {} parts",
                     now.rows(), names[axis], now.devices(), next.rows(), names[axis],
                     next.devices());
  }
  const std::vector<Layout> layouts = layoutsOf(partition, nullptr);
  for (const int device : devices_->local()) {
    const Layout& next = layouts[static_cast<std::size_t>(device)];
    const std::int64_t count = next.rows;
    const double bytes = bytesNeeded(next);
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
/// border; of blocks, which have ghosts in each row, all places. Back buffers begin as copies
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
  std::vector<GhostCopy> ghostPlan =
      links ? links->ghostPlan()
            : planGhosts(next, {domain_.reach, domain_.reach, domain_.reach}, domain_.borders);
  // Ghost rows of a network are those of other nodes than before.
  const std::int64_t depth = links ? 0 : domain_.reach;
  // Idle devices do not know which ghost rows the others have refreshed; all agree on none.
  const bool hasIdle = partition_.ofRows().hasIdle();
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
    target.freshRows = hasIdle ? 0 : std::min(target.freshRows, depth);
  }
  links_ = std::move(links);
  layouts_ = std::move(layouts);
  partition_ = std::move(next);
  ghostPlan_ = std::move(ghostPlan);
}

}  // namespace mass::detail
