#include <mass/exchange/halo_message.hpp>

#include <algorithm>
#include <cstdint>

namespace mass::detail {
namespace {

/// Returns the address of a row, with its padding, in a buffer of a device; null if the device
/// belongs to another rank. @param row global number
char* rowAddress(const PlaceFields& fields, GhostField field, int device, std::int64_t row) {
  auto* const memory = static_cast<char*>(fields.buffer(field.component, device, field.which));
  if (memory == nullptr) return nullptr;
  const Layout layout = fields.layoutOf(field.component, device);
  const std::int64_t local = row - fields.partition().range(device).begin;
  const auto place = static_cast<std::size_t>(layout.rowStart(local));
  return memory + place * fields.component(field.component).elementSize;
}

/// Returns the part of a copy within the halo depth of a component; its count may be 0.
GhostCopy rowsRead(const PlaceFields& fields, GhostCopy rows, const Component& component) {
  const RowRange band = fields.partition().range(rows.toDevice);
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

}  // namespace

std::vector<HaloMessage> haloMessages(const PlaceFields& fields, std::span<const GhostCopy> copies,
                                      std::span<const GhostField> ghosts) {
  std::vector<HaloMessage> messages;
  for (const GhostCopy& copy : copies) {
    for (const GhostField ghost : ghosts) {
      const Component& component = fields.component(ghost.component);
      const GhostCopy rows = rowsRead(fields, copy, component);
      if (rows.count == 0) continue;
      HaloMessage message{rows.fromDevice, rows.toDevice,
                          rowAddress(fields, ghost, rows.fromDevice, rows.fromRow),
                          rowAddress(fields, ghost, rows.toDevice, rows.toRow)};
      const Layout layout = fields.layoutOf(ghost.component, rows.toDevice);
      const auto bytes = [&](std::int64_t places) {
        return static_cast<std::size_t>(places) * component.elementSize;
      };
      message.lineBytes = bytes(rows.count * layout.rowStride);
      if (component.interleave > 1) {  // lines of other components lie in between
        message.lines = static_cast<std::size_t>(rows.count * (layout.rowStride / layout.pitch));
        message.lineBytes = bytes(layout.columns + 2 * layout.padding);
        message.stride = bytes(layout.pitch);
      }
      messages.push_back(message);
    }
  }
  return messages;
}

}  // namespace mass::detail
