#include <mass/dispatch/scatter_exchange.hpp>

#include <mass/partition/border.hpp>

#include <algorithm>

namespace mass::detail {

ScatterExchange::ScatterExchange(const PlaceFields& fields, const Kernel& kernel)
    : fields_(&fields),
      kernel_(&kernel),
      rowWords_(kernel.written.size() *
                static_cast<std::size_t>(fields.layout(0).lines * fields.layout(0).columns)) {
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
  std::vector<RankSend> sends;
  for (const Packet& packet : sends_)
    sends.push_back(
        {packet.rank, packet.words.data(), packet.words.size() * sizeof(std::uint32_t)});
  std::vector<RankReceive> receives;
  for (Packet& packet : receives_) {
    receives.push_back(
        {packet.rank, packet.words.data(), packet.words.size() * sizeof(std::uint32_t)});
  }
  exchange_.emplace(devices.ranks(), receives, sends);
  clearGhosts();
}

/// Empties the multisets of the ghost rows for other ranks: other rules refresh halos of multisets
/// that they write.
void ScatterExchange::clearGhosts() const {
  const Layout& layout = fields_->layout(0);
  for (const Packet& packet : sends_) {
    for (const Row& row : packet.rows) {
      for (const int component : kernel_->written) {
        for (std::int64_t line = 0; line < layout.lines; ++line) {
          for (const int which : {0, 1})
            std::fill_n(wordsAt(component, row.device, which, row.ghost, line), layout.columns, 0U);
        }
      }
    }
  }
}

/// Adds a row to the packet of its rank.
void ScatterExchange::add(std::vector<Packet>& packets, const Row& row) const {
  auto packet = std::ranges::find(packets, row.rank, &Packet::rank);
  if (packet == packets.end()) packet = packets.insert(packet, Packet{row.rank, {}, {}});
  packet->rows.push_back(row);
  packet->words.resize(packet->rows.size() * rowWords_);
}

/// Returns the address of the first word of a line.
std::uint32_t* ScatterExchange::wordsAt(int component, int device, int which, std::int64_t row,
                                        std::int64_t line) const {
  return static_cast<std::uint32_t*>(fields_->buffer(component, device, which)) +
         fields_->layoutOf(component, device).at(row, line, 0);
}

/// Moves the words of the ghost rows into a packet.
void ScatterExchange::pack(Packet& packet, int which) const {
  const Layout& layout = fields_->layout(0);
  auto to = packet.words.begin();
  for (const Row& row : packet.rows) {
    for (const int component : kernel_->written) {
      for (std::int64_t line = 0; line < layout.lines; ++line) {
        std::uint32_t* const from = wordsAt(component, row.device, which, row.ghost, line);
        to = std::copy(from, from + layout.columns, to);
        std::fill(from, from + layout.columns, 0U);
      }
    }
  }
}

/// Inserts the elements of a packet into the multisets of this rank.
void ScatterExchange::merge(const Packet& packet, std::span<const Launch> launches) const {
  const int firstDevice = fields_->devices().firstLocal();
  const std::uint32_t* words = packet.words.data();
  for (const Row& row : packet.rows) {
    kernel_->merge(launches[static_cast<std::size_t>(row.owner - firstDevice)], row.target, words);
    words += rowWords_;
  }
}

void ScatterExchange::deliver(std::span<const Launch> launches, int which) {
  for (Packet& packet : sends_) pack(packet, which);
  exchange_->start();
  exchange_->finish();
  for (const Packet& packet : receives_) merge(packet, launches);
}

}  // namespace mass::detail
