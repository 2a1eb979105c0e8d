#include <mass/exchange/ghost_message.hpp>

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

}  // namespace

std::vector<GhostMessage> ghostMessages(const PlaceFields& fields,
                                        std::span<const GhostField> ghosts) {
  std::vector<GhostMessage> messages;
  for (const GhostCopy& rows : fields.ghostPlan()) {
    for (const GhostField ghost : ghosts) {
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
