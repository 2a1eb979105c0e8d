#include <mass/exchange/cuda/halo_transports.hpp>

#include <utility>
#include <vector>

namespace mass::detail {
namespace {

class NcclTransport : public GpuHaloTransport {
 public:
  NcclTransport(const DeviceConfig& devices, std::shared_ptr<NcclLink> link)
      : GpuHaloTransport(devices), link_(std::move(link)) {}

  std::vector<int> awaitedRanks() const override { return link_->awaitedRanks(); }
  void abort(int device) override { link_->abort(device); }

 protected:
  void sendPacked(int device, std::span<const PackedHalo> halos, cudaStream_t stream) override {
    std::vector<NcclMessage> messages;
    for (const PackedHalo& halo : halos) {
      if (halo.isSentBy(device))
        messages.push_back({true, halo.toDevice, const_cast<char*>(halo.from), halo.bytes});
      else if (halo.isReceivedBy(device))
        messages.push_back({false, halo.fromDevice, halo.to, halo.bytes});
    }
    link_->exchange(device, messages, stream);
  }

 private:
  std::shared_ptr<NcclLink> link_;
};

}  // namespace

std::unique_ptr<HaloTransport> ncclTransport(const DeviceConfig& devices,
                                             std::shared_ptr<NcclLink> link) {
  return std::make_unique<NcclTransport>(devices, std::move(link));
}

}  // namespace mass::detail
