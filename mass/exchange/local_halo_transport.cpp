#include <mass/exchange/local_halo_transport.hpp>

#include <algorithm>
#include <cstring>

namespace mass::detail {

void LocalHaloTransport::prepare(std::vector<std::vector<HaloMessage>> rounds) {
  messages_.assign(rounds.size(), {});
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    for (const HaloMessage& message : rounds[round]) {
      const auto device = static_cast<std::size_t>(message.toDevice);
      messages_[round].resize(std::max(messages_[round].size(), device + 1));
      messages_[round][device].push_back(message);
    }
  }
}

void LocalHaloTransport::receive(const Worker& worker, std::size_t round, Queue /*queue*/) {
  const auto device = static_cast<std::size_t>(worker.device());
  if (device >= messages_[round].size()) return;
  const std::vector<HaloMessage>& mine = messages_[round][device];
  const auto step = static_cast<std::size_t>(worker.size());
  for (auto i = static_cast<std::size_t>(worker.index()); i < mine.size(); i += step) {
    const HaloMessage& message = mine[i];
    message.forEachLine([&](std::size_t from, std::size_t to) {
      std::memcpy(message.to + to, message.from + from, message.lineBytes);
    });
  }
}

}  // namespace mass::detail
