#include <mass/exchange/local_halo_transport.hpp>

#include <mass/exchange/halo_message.hpp>

#include <cstring>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Messages by receiving device; the workers of a device take them in turn.
class LocalHaloExchange : public HaloExchange {
 public:
  explicit LocalHaloExchange(std::vector<std::vector<HaloMessage>> messages)
      : messages_(std::move(messages)) {}

  void refresh(const Worker& worker) override {
    const auto& mine = messages_[static_cast<std::size_t>(worker.device())];
    const auto step = static_cast<std::size_t>(worker.size());
    for (auto i = static_cast<std::size_t>(worker.rank()); i < mine.size(); i += step) {
      for (std::size_t line = 0; line < mine[i].lines; ++line) {
        std::memcpy(mine[i].to + line * mine[i].stride, mine[i].from + line * mine[i].stride,
                    mine[i].lineBytes);
      }
    }
  }

  std::size_t bytes() const override {
    std::size_t total = 0;
    for (const auto& device : messages_) {
      for (const HaloMessage& message : device) total += message.bytes();
    }
    return total;
  }

 private:
  std::vector<std::vector<HaloMessage>> messages_;  // by receiving device
};

}  // namespace

std::unique_ptr<HaloExchange> LocalHaloTransport::prepare(const PlaceFields& fields,
                                                          std::span<const GhostField> ghosts) {
  std::vector<std::vector<HaloMessage>> messages(static_cast<std::size_t>(fields.devices().size()));
  for (const HaloMessage& message : haloMessages(fields, ghosts)) {
    messages[static_cast<std::size_t>(message.toDevice)].push_back(message);
  }
  return std::make_unique<LocalHaloExchange>(std::move(messages));
}

}  // namespace mass::detail
