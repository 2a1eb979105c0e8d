#include <mass/exchange/halo_message.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace mass::detail {
namespace {

/// Buffer of a component on a device.
struct BufferRows {
  char* memory;  // null if the device belongs to another rank
  Layout layout;
  std::array<std::int64_t, 3> first;  // global numbers of row 0, line 0 and column 0
  std::size_t elementSize;

  BufferRows(const PlaceFields& fields, GhostField field, int device)
      : memory(static_cast<char*>(fields.buffer(field.component, device, field.which))),
        layout(fields.layoutOf(field.component, device)),
        first{fields.rows(device).begin, fields.lines(device).begin, fields.columns(device).begin},
        elementSize(fields.component(field.component).elementSize) {}

  std::size_t bytes(std::int64_t places) const {
    return static_cast<std::size_t>(places) * elementSize;
  }
  /// Returns the address of a place. Of a whole axis, it is the first one of the padding.
  char* at(std::int64_t row, const AxisCopy& lines, const AxisCopy& columns,
           std::int64_t AxisCopy::*number) const {
    if (memory == nullptr) return nullptr;
    const auto local = [&](const AxisCopy& copy, std::size_t axis, std::int64_t padding) {
      return copy.count == 0 ? -padding : copy.*number - first[axis];
    };
    return memory + bytes(layout.at(row - first[0], local(lines, 1, layout.ghostLines),
                                    local(columns, 2, layout.ghostColumns)));
  }
};

/// Leaves out of a copy along one axis what lies beyond the halo depth on its side of the part of
/// the device. @param count may become 0
void cutToDepth(RowRange part, int below, int above, std::int64_t& from, std::int64_t& to,
                std::int64_t& count) {
  const bool isBefore = to < part.begin;
  const int depth = isBefore ? below : above;
  if (depth < 0) return;
  const std::int64_t first = isBefore ? std::max(to, part.begin - depth) : to;
  const std::int64_t end = isBefore ? to + count : std::min(to + count, part.end + depth);
  from += first - to;
  to = first;
  count = std::max<std::int64_t>(end - first, 0);
}

/// Returns the part of a copy within the halo depths of a component; nothing if there is none.
std::optional<GhostCopy> placesRead(const PlaceFields& fields, GhostCopy copy,
                                    const Component& component) {
  cutToDepth(fields.rows(copy.toDevice), component.haloDepthBelow, component.haloDepthAbove,
             copy.fromRow, copy.toRow, copy.count);
  if (copy.count == 0) return std::nullopt;
  const auto isRead = [](AxisCopy& along, RowRange part, int below, int above) {
    if (along.count == 0) return true;  // whole
    cutToDepth(part, below, above, along.from, along.to, along.count);
    return along.count > 0;
  };
  if (!isRead(copy.lines, fields.lines(copy.toDevice), component.lineDepthBelow,
              component.lineDepthAbove) ||
      !isRead(copy.columns, fields.columns(copy.toDevice), component.columnDepthBelow,
              component.columnDepthAbove))
    return std::nullopt;
  return copy;
}

/// Joins lines that follow each other on both sides, and rows of single lines.
void join(HaloMessage& message) {
  const auto areJoined = [&](std::size_t from, std::size_t to, std::size_t bytes) {
    return from == bytes && to == bytes;
  };
  if (message.lines > 1 && areJoined(message.fromStride, message.toStride, message.lineBytes)) {
    message.lineBytes *= message.lines;
    message.lines = 1;
  }
  if (message.lines == 1) {  // rows become lines
    message.lines = message.rows;
    message.fromStride = message.fromRowStride;
    message.toStride = message.toRowStride;
    message.rows = 1;
    if (areJoined(message.fromStride, message.toStride, message.lineBytes)) {
      message.lineBytes *= message.lines;
      message.lines = 1;
    }
  } else if (message.fromRowStride == message.lines * message.fromStride &&
             message.toRowStride == message.lines * message.toStride) {
    message.lines *= message.rows;
    message.rows = 1;
  }
}

/// Returns the message of a copy. Lines of other interleaved components may lie in between.
HaloMessage messageOf(const GhostCopy& copy, const BufferRows& from, const BufferRows& to,
                      int interleave) {
  const Layout& layout = to.layout;
  HaloMessage message{copy.fromDevice, copy.toDevice,
                      from.at(copy.fromRow, copy.lines, copy.columns, &AxisCopy::from),
                      to.at(copy.toRow, copy.lines, copy.columns, &AxisCopy::to)};
  std::int64_t width = copy.columns.count;
  if (width == 0)  // whole lines, of equal length on both sides
    width = interleave > 1 ? layout.columns + 2 * layout.ghostColumns : layout.pitch;
  message.lineBytes = to.bytes(width);
  message.lines = static_cast<std::size_t>(copy.lines.count > 0 ? copy.lines.count
                                                                : layout.rowStride / layout.pitch);
  message.fromStride = from.bytes(from.layout.pitch);
  message.toStride = to.bytes(layout.pitch);
  message.rows = static_cast<std::size_t>(copy.count);
  message.fromRowStride = from.bytes(from.layout.rowStride);
  message.toRowStride = to.bytes(layout.rowStride);
  join(message);
  return message;
}

}  // namespace

std::vector<HaloMessage> haloMessages(const PlaceFields& fields, std::span<const GhostCopy> copies,
                                      std::span<const GhostField> ghosts) {
  std::vector<HaloMessage> messages;
  for (const GhostCopy& copy : copies) {
    for (const GhostField ghost : ghosts) {
      const Component& component = fields.component(ghost.component);
      const std::optional<GhostCopy> read = placesRead(fields, copy, component);
      if (!read) continue;
      const BufferRows from(fields, ghost, read->fromDevice), to(fields, ghost, read->toDevice);
      messages.push_back(messageOf(*read, from, to, component.interleave));
    }
  }
  return messages;
}

}  // namespace mass::detail
