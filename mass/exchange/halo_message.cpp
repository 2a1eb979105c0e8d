#include <mass/exchange/halo_message.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace mass::detail {
namespace {

/// Buffer of a component on a device.
struct BufferRows {
  char* memory;  // null if the device belongs to another rank
  Layout layout;
  std::int64_t firstRow, firstLine;  // global numbers of row 0 and line 0
  std::size_t elementSize;

  BufferRows(const PlaceFields& fields, GhostField field, int device)
      : memory(static_cast<char*>(fields.buffer(field.component, device, field.which))),
        layout(fields.layoutOf(field.component, device)),
        firstRow(fields.rows(device).begin),
        firstLine(fields.lines(device).begin),
        elementSize(fields.component(field.component).elementSize) {}

  std::size_t bytes(std::int64_t places) const {
    return static_cast<std::size_t>(places) * elementSize;
  }
  /// Returns the address of a row, with its padding.
  char* row(std::int64_t row) const {
    return memory == nullptr ? nullptr : memory + bytes(layout.rowStart(row - firstRow));
  }
  /// Returns the address of a line of a row, with its padding.
  char* line(std::int64_t row, std::int64_t line) const {
    if (memory == nullptr) return nullptr;
    return this->row(row) + bytes((line - firstLine + layout.ghostLines) * layout.pitch);
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
  if (copy.lines == 0) return copy;
  cutToDepth(fields.lines(copy.toDevice), component.lineDepthBelow, component.lineDepthAbove,
             copy.fromLine, copy.toLine, copy.lines);
  return copy.lines == 0 ? std::nullopt : std::optional(copy);
}

/// Appends the message of whole rows.
void addRows(std::vector<HaloMessage>& messages, const GhostCopy& rows, const BufferRows& from,
             const BufferRows& to, int interleave) {
  const Layout& layout = to.layout;
  HaloMessage message{rows.fromDevice, rows.toDevice, from.row(rows.fromRow), to.row(rows.toRow)};
  message.lineBytes = to.bytes(rows.count * layout.rowStride);
  if (interleave > 1) {  // lines of other components lie in between
    message.lines = static_cast<std::size_t>(rows.count * (layout.rowStride / layout.pitch));
    message.lineBytes = to.bytes(layout.columns + 2 * layout.padding);
    message.fromStride = message.toStride = to.bytes(layout.pitch);
  }
  messages.push_back(message);
}

/// Appends the messages of some lines of each row: one for each line if lines of other components
/// lie in between, else one for all.
void addLines(std::vector<HaloMessage>& messages, const GhostCopy& rows, const BufferRows& from,
              const BufferRows& to, int interleave) {
  const Layout& layout = to.layout;
  const std::int64_t together = interleave > 1 ? 1 : rows.lines;
  const std::int64_t width =
      interleave > 1 ? layout.columns + 2 * layout.padding : rows.lines * layout.pitch;
  for (std::int64_t line = 0; line < rows.lines; line += together) {
    HaloMessage message{rows.fromDevice, rows.toDevice,
                        from.line(rows.fromRow, rows.fromLine + line),
                        to.line(rows.toRow, rows.toLine + line)};
    message.lines = static_cast<std::size_t>(rows.count);
    message.lineBytes = to.bytes(width);
    message.fromStride = from.bytes(from.layout.rowStride);
    message.toStride = to.bytes(layout.rowStride);
    messages.push_back(message);
  }
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
      const auto add = read->lines == 0 ? addRows : addLines;
      add(messages, *read, from, to, component.interleave);
    }
  }
  return messages;
}

}  // namespace mass::detail
