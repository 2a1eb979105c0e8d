#include <mass/exchange/ghost_message.hpp>

#include <algorithm>
#include <cstdint>

namespace mass {
namespace {

/// Where a row, given by its global number, begins in a device's buffer, with everything beside it.
char* rowAddress(const PlaceFields& fields, GhostField field, int device, std::int64_t row) {
  const Layout& layout = fields.layout(device);
  const std::int64_t local = row - fields.partition().range(device).begin;
  const auto place = static_cast<std::size_t>(layout.rowStart(local));
  return static_cast<char*>(fields.buffer(field.component, device, field.which)) +
         place * fields.component(field.component).elementSize;
}

/// The rows of a copy that rules read of a component.
GhostCopy rowsRead(const PlaceFields& fields, GhostCopy rows, const Component& component) {
  const RowRange band = fields.partition().range(rows.toDevice);
  const bool isBefore = rows.toRow < band.begin;
  const int depth = isBefore ? component.readsBefore : component.readsAfter;
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

std::vector<GhostMessage> ghostMessages(const PlaceFields& fields,
                                        std::span<const GhostField> ghosts) {
  std::vector<GhostMessage> messages;
  for (const GhostCopy& copy : fields.ghostPlan()) {
    for (const GhostField ghost : ghosts) {
      const GhostCopy rows = rowsRead(fields, copy, fields.component(ghost.component));
      if (rows.count == 0) continue;
      const auto stride = static_cast<std::size_t>(fields.layout(rows.toDevice).rowStride);
      messages.push_back({rows.fromDevice, rows.toDevice,
                          rowAddress(fields, ghost, rows.fromDevice, rows.fromRow),
                          rowAddress(fields, ghost, rows.toDevice, rows.toRow),
                          static_cast<std::size_t>(rows.count) * stride *
                              fields.component(ghost.component).elementSize});
    }
  }
  return messages;
}

}  // namespace mass
