#include <mass/dispatch/cuda/gpu_rank_fetches.hpp>

#include <algorithm>
#include <utility>

namespace mass::detail::migration {
namespace {

/// Alignment of a fetch in pinned memory, for copies in wide words.
constexpr std::size_t alignment = 16;

}  // namespace

GpuRankFetches::GpuRankFetches(const DeviceConfig& devices) : devices_(&devices) {}

void GpuRankFetches::plan(const AgentFields& agents, const std::vector<Fetch>& fetches) {
  items_.clear();
  for (const Fetch& fetch : fetches) {
    const bool isFromHere = devices_->isLocal(fetch.fromDevice);
    if (isFromHere == devices_->isLocal(fetch.toDevice)) continue;
    const int device = isFromHere ? fetch.fromDevice : fetch.toDevice;
    const int other = isFromHere ? fetch.toDevice : fetch.fromDevice;
    const AgentBand& band = agents.band(device);
    const auto [address, bytes] = isFromHere ? sourceOf(fetch, agents.traits(), band)
                                             : targetOf(fetch, agents.traits(), band);
    items_.push_back({.rank = devices_->rankOf(other),
                      .isSent = isFromHere,
                      .device = device,
                      .address = address,
                      .bytes = bytes});
  }
  if (isEmpty()) return;
  current_ = 1 - current_;
  arrange();
}

/// Assigns pinned memory such that all that is sent to, or received from, a rank is contiguous.
void GpuRankFetches::arrange() {
  const auto partner = [](const Item& item) { return std::pair(item.rank, item.isSent); };
  std::stable_sort(items_.begin(), items_.end(),
                   [&](const Item& a, const Item& b) { return partner(a) < partner(b); });
  std::size_t bytes = 0;
  for (Item& item : items_) {
    item.offset = bytes;
    bytes += (item.bytes + alignment - 1) / alignment * alignment;
  }
  memories_[current_].reserve(bytes);
  packets_.emplace(devices_->ranks());
  for (auto first = items_.begin(); first != items_.end();) {
    const auto end = std::find_if(
        first, items_.end(), [&](const Item& item) { return partner(item) != partner(*first); });
    const std::size_t size = (end == items_.end() ? bytes : end->offset) - first->offset;
    if (first->isSent)
      packets_->send(first->rank, host_, at(*first), size);
    else
      packets_->receive(first->rank, host_, at(*first), size);
    first = end;
  }
}

char* GpuRankFetches::at(const Item& item) const {
  return reinterpret_cast<char*>(memories_[current_].data()) + item.offset;
}

std::vector<GpuRankFetches::Copy> GpuRankFetches::sends(int device) const {
  std::vector<Copy> sends;
  for (const Item& item : items_) {
    if (item.isSent && item.device == device) sends.push_back({item.address, at(item), item.bytes});
  }
  return sends;
}

void GpuRankFetches::exchange() {
  packets_->start();
  packets_->finish();
}

std::vector<GpuRankFetches::Copy> GpuRankFetches::arrivals(int device) const {
  std::vector<Copy> arrivals;
  for (const Item& item : items_) {
    if (!item.isSent && item.device == device)
      arrivals.push_back({at(item), item.address, item.bytes});
  }
  return arrivals;
}

}  // namespace mass::detail::migration
