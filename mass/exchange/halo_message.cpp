#include <mass/exchange/halo_message.hpp>

#include <algorithm>
#include <cstdint>

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
    return this->row(row) + bytes((line - firstLine + layout.padding) * layout.pitch);
  }
};

/// Returns the part of a copy within the halo depth of a component; its count may be 0.
GhostCopy rowsRead(const PlaceFields& fields, GhostCopy rows, const Component& component) {
  const RowRange band = fields.rows(rows.toDevice);
  const bool isBefore = rows.toRow < band.begin;
  const int depth = isBefore ? component.haloDepthBelow : component.haloDepthAbove;
  if (depth < 0) return rows;
  const std::int64_t first = isBefore ? std::max(rows.toRow, band.begin - depth) : rows.toRow;
  const std::int64_t end =
      isBefore ? rows.toRow + rows.count : std::min(rows.toRow + rows.count, band.end + depth);
  rows.fromRow += first - rows.toRow;
  rows.toRow = first;
  rows.count = std::max<std::int64_t>(end - first, 0);
  return rows;
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

/// Appends the messages of some lines of each row.
void addLines(std::vector<HaloMessage>& messages, const GhostCopy& rows, const BufferRows& from,
              const BufferRows& to, int interleave) {
  const Layout& layout = to.layout;
  HaloMessage message{rows.fromDevice, rows.toDevice, from.line(rows.fromRow, rows.fromLine),
                      to.line(rows.toRow, rows.toLine)};
  if (interleave == 1) {  // a line of the message is those of a row
    message.lines = static_cast<std::size_t>(rows.count);
    message.lineBytes = to.bytes(rows.lines * layout.pitch);
    message.fromStride = from.bytes(from.layout.rowStride);
    message.toStride = to.bytes(layout.rowStride);
    messages.push_back(message);
    return;
  }
  message.lines = static_cast<std::size_t>(rows.lines);
  message.lineBytes = to.bytes(layout.columns + 2 * layout.padding);
  message.fromStride = message.toStride = to.bytes(layout.pitch);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    message.from = from.line(rows.fromRow + row, rows.fromLine);
    message.to = to.line(rows.toRow + row, rows.toLine);
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
      const GhostCopy rows = rowsRead(fields, copy, component);
      if (rows.count == 0) continue;
      const BufferRows from(fields, ghost, rows.fromDevice), to(fields, ghost, rows.toDevice);
      const auto add = rows.lines == 0 ? addRows : addLines;
      add(messages, rows, from, to, component.interleave);
    }
  }
  return messages;
}

}  // namespace mass::detail
