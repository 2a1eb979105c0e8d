#include <mass/dispatch/scatter_exchange.hpp>

#include <mass/partition/border.hpp>

#include <algorithm>
#include <utility>

namespace mass::detail {
namespace {

/// Words of the multisets of a row of a device, in memory of the host: those of a CPU, or a copy of
/// those of a GPU.
class RowWords {
 public:
  /// @param which number of the buffers
  RowWords(const PlaceFields& fields, const std::vector<int>& components, int device,
           std::int64_t row, int which)
      : device_(&fields.devices().device(device)) {
    const Layout& layout = fields.layout(device);
    box_ = contiguous(layout.rowStart(row), layout.rowStride);
    const auto places = static_cast<std::size_t>(layout.rowStride);
    if (!device_->isHost()) copies_.resize(components.size() * places);
    for (std::size_t k = 0; k < components.size(); ++k) {
      auto* const words = static_cast<std::uint32_t*>(fields.buffer(components[k], device, which));
      buffers_.push_back(words);
      words_.push_back(words);
      if (device_->isHost()) continue;
      std::uint32_t* const copy = copies_.data() + k * places;
      device_->read(words, sizeof(*words), box_, copy);
      words_.back() = copy - box_.first;
    }
  }
  /// Returns the address at which word `k` of the first place of the buffer would be.
  std::uint32_t* operator[](std::size_t k) const { return words_[k]; }
  /// Returns the number of words of a multiset.
  std::size_t size() const { return words_.size(); }
  /// Writes a copy back to the GPU.
  void store() const {
    for (std::size_t k = 0; k < size() && !device_->isHost(); ++k)
      device_->write(buffers_[k], sizeof(std::uint32_t), box_, words_[k] + box_.first);
  }

 private:
  Device* device_;
  Box box_;                              // places of the row, with their padding
  std::vector<std::uint32_t*> buffers_;  // by word
  std::vector<std::uint32_t*> words_;    // by word
  std::vector<std::uint32_t> copies_;
};

}  // namespace

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
      for (const int which : {0, 1}) {
        const RowWords words(*fields_, kernel_->written, row.device, row.ghost, which);
        for (std::size_t k = 0; k < words.size(); ++k) {
          for (std::int64_t line = 0; line < layout.lines; ++line) {
            const std::int64_t at = fields_->layout(row.device).at(row.ghost, line, 0);
            std::fill_n(words[k] + at, layout.columns, 0U);
          }
        }
        words.store();
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
    const RowWords words(*fields_, kernel_->written, row.device, row.ghost, which);
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
    words.store();
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
void ScatterExchange::merge(const Packet& packet, std::span<const Launch> launches,
                            int which) const {
  const int firstDevice = fields_->devices().firstLocal();
  std::vector<std::uint32_t> words(kernel_->written.size());
  std::vector<void*> out(static_cast<std::size_t>(fields_->components()));
  auto more = packet.more.begin();
  std::size_t index = 1;
  for (const Row& row : packet.rows) {
    const RowWords target(*fields_, kernel_->written, row.owner, row.target, which);
    for (std::size_t k = 0; k < target.size(); ++k)
      out[static_cast<std::size_t>(kernel_->written[k])] = target[k];
    Launch launch = launches[static_cast<std::size_t>(row.owner - firstDevice)];
    launch.out = out.data();
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
    target.store();
  }
}

void ScatterExchange::deliver(std::span<const Launch> launches, int which) {
  for (Packet& packet : sends_) pack(packet, which);
  exchange_->start();
  exchange_->finish();
  exchangeMore();
  for (const Packet& packet : receives_) merge(packet, launches, which);
}

}  // namespace mass::detail
