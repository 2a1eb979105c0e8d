#include <mass/backend/copy.hpp>
#include <mass/memory/place_fields.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

// How places come to other devices.

namespace mass::detail {
namespace {

/// Rows that a device has in the old and in the new partition, whole as they lie in buffers, with
/// their sides; beside the own ones, the ghosts around them.
struct RowTransfer {
  int fromDevice = 0, toDevice = 0;
  RowRange rows;
};

/// Where all rows of a new buffer come from, ghosts too: the device that owns a row, and for those
/// beyond the world, which hold what never changes behind a fixed border, the first or the last.
std::vector<RowTransfer> stretchesOf(const RowPartition& from, const RowPartition& to,
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

/// The buffers of a component in one of the partitions.
struct Side {
  const RowPartition& partition;
  const std::vector<Layout>& layouts;
  const std::vector<Buffer>& buffers;
  const Component& component;

  /// Where a row begins, of a bundle as a whole.
  char* at(int device, std::int64_t row) const {
    const auto d = static_cast<std::size_t>(device);
    const Layout layout = layouts[d].interleaved(component.interleave);
    const std::int64_t place = layout.rowStart(row - partition.range(device).begin);
    return static_cast<char*>(buffers[d].data()) +
           static_cast<std::size_t>(place) * component.elementSize;
  }
};

}  // namespace

void PlaceFields::requireMemoryFor(const RowPartition& partition) const {
  if (partition.rows() != partition_.rows() || partition.devices() != partition_.devices()) {
    throw UsageError("{} rows on {} devices cannot be split as {} rows on {} devices",
                     partition_.rows(), partition_.devices(), partition.rows(),
                     partition.devices());
  }
  for (int device = 0; device < partition.devices(); ++device) {
    const std::int64_t rows = partition.range(device).size();
    if (bytesNeeded(rows) <= bytesWithin(device)) continue;
    throw DeviceError("device {} cannot take {} rows, which need {:.0f} bytes: it has {:.0f}",
                      devices_->device(device).name(), rows, bytesNeeded(rows),
                      bytesWithin(device));
  }
  if (!domain_.streamsInPlace) return;
  for (int number = 0; number < components(); ++number) {
    const Component& component = this->component(number);
    if (component.isStreamed && component.lane == 0 && !hasBuffer(number, 1 - front(number)))
      requireRoomForBack(number);
  }
}

void PlaceFields::repartition(const RowPartition& partition) {
  if (partition == partition_) return;
  requireMemoryFor(partition);
  // The state is in the front buffers. Without back buffers, old and new ones together take no more
  // than there was before or will be; but for what moves in place, which takes twice its memory
  // now.
  for (ComponentState& component : states_) component.buffers[1 - component.front].clear();
  RowPartition next = partition;
  std::vector<Layout> layouts = layoutsOf(partition);
  std::vector<GhostCopy> ghostPlan = planGhosts(partition, domain_.reach, domain_.borders[0]);
  std::vector<std::vector<Buffer>> fronts;
  for (int component = 0; component < components(); ++component) {
    fronts.push_back(allocate(component, layouts));
  }
  const auto copy = [&](const RowTransfer& transfer, int number, RowRange rows) {
    const Component& component = this->component(number);
    if (component.lane > 0) return;  // has come with the first of its bundle
    const Side from{partition_, layouts_, state(number).buffers[front(number)], component};
    const Side to{partition, layouts, fronts[static_cast<std::size_t>(number)], component};
    copyBytes(devices_->device(transfer.fromDevice), from.at(transfer.fromDevice, rows.begin),
              devices_->device(transfer.toDevice), to.at(transfer.toDevice, rows.begin),
              static_cast<std::size_t>(rows.size() * layouts_[0].rowStride * component.interleave) *
                  component.elementSize);
  };
  const std::vector<RowTransfer> transfers = stretchesOf(partition_, partition, domain_.reach);
  // What stays on its device: each thread touches first what it will work on later.
  devices_->run([&](const Worker& worker) {
    for (const RowTransfer& transfer : transfers) {
      if (transfer.fromDevice != transfer.toDevice || transfer.toDevice != worker.device())
        continue;
      const auto [begin, end] = worker.share(transfer.rows.size());
      for (int component = 0; component < components(); ++component) {
        copy(transfer, component, {transfer.rows.begin + begin, transfer.rows.begin + end});
      }
    }
  });
  for (const RowTransfer& transfer : transfers) {
    if (transfer.fromDevice == transfer.toDevice) continue;
    for (int component = 0; component < components(); ++component) {
      copy(transfer, component, transfer.rows);
    }
  }
  for (int component = 0; component < components(); ++component) {
    ComponentState& moved = state(component);
    moved.buffers[moved.front] = std::move(fronts[static_cast<std::size_t>(component)]);
  }
  layouts_ = std::move(layouts);
  partition_ = std::move(next);
  ghostPlan_ = std::move(ghostPlan);
}

}  // namespace mass::detail
