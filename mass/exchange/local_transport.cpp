#include <mass/exchange/local_transport.hpp>

#include <cstring>
#include <vector>

namespace mass {
namespace {

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
};

class LocalExchange : public GhostExchange {
 public:
  explicit LocalExchange(std::vector<std::vector<Copy>> copies) : copies_(std::move(copies)) {}

  void refresh(const Worker& worker) override {
    const auto& mine = copies_[static_cast<std::size_t>(worker.device())];
    const auto step = static_cast<std::size_t>(worker.size());
    for (auto i = static_cast<std::size_t>(worker.rank()); i < mine.size(); i += step) {
      std::memcpy(mine[i].to, mine[i].from, mine[i].bytes);
    }
  }

  std::size_t bytes() const override {
    std::size_t total = 0;
    for (const auto& device : copies_) {
      for (const Copy& copy : device) total += copy.bytes;
    }
    return total;
  }

 private:
  std::vector<std::vector<Copy>> copies_;  // by receiving device
};

/// Where a row, given by its global number, begins in a device's buffer, with everything beside it.
char* rowAddress(const PlaceFields& fields, GhostField field, int device, std::int64_t row) {
  const Layout& layout = fields.layout(device);
  const std::int64_t local = row - fields.partition().range(device).begin;
  const std::int64_t firstLine = fields.domain().dimensions == 3 ? -layout.side : 0;
  const auto place = static_cast<std::size_t>(layout.at(local, firstLine, -layout.side));
  return static_cast<char*>(fields.buffer(field.component, device, field.which)) +
         place * fields.component(field.component).elementSize;
}

}  // namespace

std::unique_ptr<GhostExchange> LocalTransport::prepare(const PlaceFields& fields,
                                                       std::span<const GhostField> ghosts) {
  std::vector<std::vector<Copy>> copies(static_cast<std::size_t>(fields.devices().size()));
  for (const GhostCopy& rows : fields.ghostPlan()) {
    for (const GhostField ghost : ghosts) {
      const auto stride = static_cast<std::size_t>(fields.layout(rows.toDevice).rowStride);
      copies[static_cast<std::size_t>(rows.toDevice)].push_back(
          {rowAddress(fields, ghost, rows.toDevice, rows.toRow),
           rowAddress(fields, ghost, rows.fromDevice, rows.fromRow),
           static_cast<std::size_t>(rows.count) * stride *
               fields.component(ghost.component).elementSize});
    }
  }
  return std::make_unique<LocalExchange>(std::move(copies));
}

}  // namespace mass
