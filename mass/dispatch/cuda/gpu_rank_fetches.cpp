#include <mass/dispatch/cuda/gpu_rank_fetches.hpp>

#include <mass/backend/cpu/cpu_device.hpp>
#include <mass/backend/cuda/cuda_device.hpp>
#include <mass/backend/rank_packets.hpp>
#include <mass/dispatch/cuda/pinned_memory.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <thread>
#include <utility>

namespace mass::detail::migration {
namespace {

/// Returns the bytes of a fetch in staging memory, where each begins at a multiple of 16 bytes, for
/// copies in wide words.
std::size_t padded(std::size_t bytes) {
  constexpr std::size_t alignment = 16;
  return (bytes + alignment - 1) / alignment * alignment;
}

class HostRankFetches : public GpuRankFetches {
 public:
  using GpuRankFetches::GpuRankFetches;

  void finishSends(cudaStream_t stream) override { MASS_CUDA_CALL(cudaStreamSynchronize(stream)); }
  void exchange(const Worker& worker, cudaStream_t /*stream*/,
                const std::function<bool()>& /*hasFailed*/) override {
    if (!worker.isCaller()) return;
    packets_->start();
    packets_->finish();
  }

 protected:
  /// Two memories take turns: a device may still copy from that of the last set.
  char* reserve(int device, std::size_t bytes) override {
    PinnedMemory& memory = memories_[device][set_];
    memory.reserve(bytes);
    return reinterpret_cast<char*>(memory.data());
  }
  void prepare() override {
    set_ = 1 - set_;
    packets_.emplace(devices().ranks());
    for (const Message& message : messages()) {
      const int rank = devices().rankOf(message.other);
      if (message.isSent)
        packets_->send(rank, host_, message.staging, message.bytes);
      else
        packets_->receive(rank, host_, message.staging, message.bytes);
    }
  }

 private:
  CpuDevice host_{0};
  std::map<int, PinnedMemory[2]> memories_;  // by device
  int set_ = 0;
  std::optional<RankPackets> packets_;
};

class NcclRankFetches : public GpuRankFetches {
 public:
  NcclRankFetches(const DeviceConfig& devices, std::shared_ptr<NcclLink> link)
      : GpuRankFetches(devices), link_(std::move(link)) {}

  void exchange(const Worker& worker, cudaStream_t stream,
                const std::function<bool()>& hasFailed) override {
    std::vector<NcclMessage> mine;
    for (const Message& message : messages()) {
      if (message.device == worker.device())
        mine.push_back({message.isSent, message.other, message.staging, message.bytes});
    }
    if (mine.empty()) return;
    try {
      link_->exchange(worker.device(), mine, stream);
      wait(worker, stream, hasFailed);
    } catch (...) {
      link_->abort(worker.device());
      throw;
    }
  }

 protected:
  char* reserve(int device, std::size_t bytes) override {
    Buffer& memory = memories_[device];
    // Freeing the old memory waits for the GPU.
    if (bytes > memory.bytes()) memory = Buffer(devices().device(device), 2 * bytes);
    return static_cast<char*>(memory.data());
  }

 private:
  void wait(const Worker& worker, cudaStream_t stream, const std::function<bool()>& hasFailed) {
    cudaError_t status = cudaErrorNotReady;
    const auto isDone = [&] {
      if (hasFailed()) link_->abort(worker.device());
      return (status = cudaStreamQuery(stream)) != cudaErrorNotReady;
    };
    if (worker.isCaller()) {
      devices().ranks().waitUntil(isDone, link_->awaitedRanks());
    } else {
      while (!isDone()) std::this_thread::yield();
    }
    cuda::check(status, "the exchange of agents");
  }

  std::shared_ptr<NcclLink> link_;
  std::map<int, Buffer> memories_;  // by device
};

}  // namespace

void GpuRankFetches::plan(const AgentFields& agents, const std::vector<Fetch>& fetches) {
  items_.clear();
  messages_.clear();
  for (const Fetch& fetch : fetches) {
    const bool isFromHere = devices_->isLocal(fetch.fromDevice);
    if (isFromHere == devices_->isLocal(fetch.toDevice)) continue;
    const int device = isFromHere ? fetch.fromDevice : fetch.toDevice;
    const AgentBand& band = agents.band(device);
    const auto [address, bytes] = isFromHere ? sourceOf(fetch, agents.traits(), band)
                                             : targetOf(fetch, agents.traits(), band);
    items_.push_back({.device = device,
                      .other = isFromHere ? fetch.toDevice : fetch.fromDevice,
                      .isSent = isFromHere,
                      .address = address,
                      .bytes = bytes});
  }
  if (!isEmpty()) arrange();
}

/// Assigns staging memory such that all that goes from one device to another is contiguous.
void GpuRankFetches::arrange() {
  // By sender, then receiver: the same order on both ranks.
  const auto key = [](const Item& item) {
    return item.isSent ? std::pair(item.device, item.other) : std::pair(item.other, item.device);
  };
  std::stable_sort(items_.begin(), items_.end(),
                   [&](const Item& a, const Item& b) { return key(a) < key(b); });
  std::map<int, std::size_t> bytes;  // by device
  for (const Item& item : items_) bytes[item.device] += padded(item.bytes);
  std::map<int, char*> next;
  for (const auto& [device, total] : bytes) next[device] = reserve(device, total);
  for (auto item = items_.begin(); item != items_.end(); ++item) {
    const std::size_t size = padded(item->bytes);
    item->staging = std::exchange(next[item->device], next[item->device] + size);
    const bool continues = item != items_.begin() && key(*item) == key(*(item - 1));
    if (!continues)
      messages_.push_back({item->device, item->other, item->isSent, item->staging, 0});
    messages_.back().bytes += size;
  }
  prepare();
}

std::vector<GpuRankFetches::Copy> GpuRankFetches::sends(int device) const {
  std::vector<Copy> sends;
  for (const Item& item : items_) {
    if (item.isSent && item.device == device)
      sends.push_back({item.address, item.staging, item.bytes});
  }
  return sends;
}

std::vector<GpuRankFetches::Copy> GpuRankFetches::arrivals(int device) const {
  std::vector<Copy> arrivals;
  for (const Item& item : items_) {
    if (!item.isSent && item.device == device)
      arrivals.push_back({item.staging, item.address, item.bytes});
  }
  return arrivals;
}

std::unique_ptr<GpuRankFetches> hostRankFetches(const DeviceConfig& devices) {
  return std::make_unique<HostRankFetches>(devices);
}

std::unique_ptr<GpuRankFetches> ncclRankFetches(const DeviceConfig& devices,
                                                std::shared_ptr<NcclLink> link) {
  return std::make_unique<NcclRankFetches>(devices, std::move(link));
}

}  // namespace mass::detail::migration
