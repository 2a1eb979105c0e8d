#include <mass/dispatch/scatter_exchange.hpp>

#include <mass/partition/border.hpp>

#include <algorithm>
#include <utility>

namespace mass::detail {

ScatterExchange::ScatterExchange(const PlaceFields& fields, const Kernel& kernel)
    : fields_(&fields),
      kernel_(&kernel),
      rowPlaces_(fields.layout(0).lines * fields.layout(0).columns) {
  const DeviceConfig& devices = fields.devices();
  const RowPartition& partition = fields.partition();
  const int here = devices.ranks().number();
  // All ranks list the rows of all devices in the same order.
  for (int device = 0; device < devices.size(); ++device) {
    const RowRange band = partition.range(device);
    for (const std::int64_t ghost : ghostRows(fields.layout(device))) {
      const std::int64_t arrival =
          arrivalAt(band.begin + ghost, partition.rows(), fields.domain().borders[0]);
      const int owner = partition.owner(arrival);
      const int from = devices.rankOf(device), to = devices.rankOf(owner);
      if (from == to) continue;
      const std::int64_t target = arrival - partition.range(owner).begin;
      if (from == here) add(sends_, {device, ghost, owner, target, to});
      if (to == here) add(receives_, {device, ghost, owner, target, from});
    }
  }
  const auto bytesOf = [](const Packet& packet) {
    return packet.firstWords.size() * sizeof(std::uint32_t);
  };
  std::vector<RankSend> sends;
  for (const Packet& packet : sends_)
    sends.push_back({packet.rank, packet.firstWords.data(), bytesOf(packet)});
  std::vector<RankReceive> receives;
  for (Packet& packet : receives_)
    receives.push_back({packet.rank, packet.firstWords.data(), bytesOf(packet)});
  exchange_.emplace(devices.ranks(), receives, sends);
  clearGhosts();
}

/// Empties the multisets of the ghost rows for other ranks: new places may have elements there.
void ScatterExchange::clearGhosts() const {
  const Layout& layout = fields_->layout(0);
  for (const Packet& packet : sends_) {
    for (const Row& row : packet.rows) {
      for (const int component : kernel_->written) {
        for (const int which : {0, 1}) {
          auto* const words =
              static_cast<std::uint32_t*>(fields_->buffer(component, row.device, which));
          for (std::int64_t line = 0; line < layout.lines; ++line) {
            const std::int64_t at = fields_->layout(row.device).at(row.ghost, line, 0);
            std::fill_n(words + at, layout.columns, 0U);
          }
        }
      }
    }
  }
}

/// Adds a row to the packet of its rank.
void ScatterExchange::add(std::vector<Packet>& packets, const Row& row) const {
  auto packet = std::ranges::find(packets, row.rank, &Packet::rank);
  if (packet == packets.end()) packet = packets.insert(packet, Packet{row.rank});
  packet->rows.push_back(row);
  packet->firstWords.resize(packet->firstWords.size() + static_cast<std::size_t>(rowPlaces_));
}

/// Moves the multisets of the ghost rows into a packet.
void ScatterExchange::pack(Packet& packet, int which) const {
  const Layout& layout = fields_->layout(0);
  packet.more.clear();
  std::size_t index = 1;
  for (const Row& row : packet.rows) {
    std::vector<std::uint32_t*> words;  // by word, of the first place of the buffer
    for (const int component : kernel_->written)
      words.push_back(static_cast<std::uint32_t*>(fields_->buffer(component, row.device, which)));
    for (std::int64_t line = 0; line < layout.lines; ++line) {
      const std::int64_t begin = fields_->layout(row.device).at(row.ghost, line, 0);
      for (std::int64_t at = begin; at < begin + layout.columns; ++at, ++index) {
        const std::uint32_t first = packet.firstWords[index] = words[0][at];
        if (first == 0) continue;
        words[0][at] = 0;
        if (words.size() == 1 || words[1][at] == 0) continue;
        packet.more.push_back(static_cast<std::uint32_t>(index));
        for (std::size_t k = 1; k < words.size(); ++k)
          packet.more.push_back(std::exchange(words[k][at], 0U));
      }
    }
  }
  packet.firstWords[0] = static_cast<std::uint32_t>(packet.more.size());
}

/// Exchanges the further words of multisets, if there are any.
void ScatterExchange::exchangeMore() {
  std::vector<RankSend> sends;
  for (const Packet& packet : sends_) {
    if (!packet.more.empty())
      sends.push_back({packet.rank, packet.more.data(), std::span(packet.more).size_bytes()});
  }
  std::vector<RankReceive> receives;
  for (Packet& packet : receives_) {
    packet.more.resize(packet.firstWords[0]);
    if (!packet.more.empty())
      receives.push_back({packet.rank, packet.more.data(), std::span(packet.more).size_bytes()});
  }
  if (!sends.empty() || !receives.empty()) fields_->devices().ranks().exchange(receives, sends);
}

/// Inserts the elements of a packet into the multisets of this rank.
void ScatterExchange::merge(const Packet& packet, std::span<const Launch> launches) const {
  const int firstDevice = fields_->devices().firstLocal();
  std::vector<std::uint32_t> words(kernel_->written.size());
  auto more = packet.more.begin();
  std::size_t index = 1;
  for (const Row& row : packet.rows) {
    const Launch& launch = launches[static_cast<std::size_t>(row.owner - firstDevice)];
    for (std::int64_t place = 0; place < rowPlaces_; ++place, ++index) {
      if (packet.firstWords[index] == 0) continue;
      words[0] = packet.firstWords[index];
      std::fill(words.begin() + 1, words.end(), 0U);
      if (more != packet.more.end() && *more == index) {
        std::copy_n(++more, words.size() - 1, words.begin() + 1);
        more += static_cast<std::ptrdiff_t>(words.size()) - 1;
      }
      kernel_->merge(launch, row.target, place, words.data());
    }
  }
}

void ScatterExchange::deliver(std::span<const Launch> launches, int which) {
  for (Packet& packet : sends_) pack(packet, which);
  exchange_->start();
  exchange_->finish();
  exchangeMore();
  for (const Packet& packet : receives_) merge(packet, launches);
}

}  // namespace mass::detail
