#include <mass/dispatch/cuda/transport_selector.hpp>

#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace mass::detail {

TransportSelector::TransportSelector(const DeviceConfig& devices, HaloMode wanted) {
  for (int device = 0; device < devices.size(); ++device) {
    gpus_.push_back(static_cast<CudaDevice*>(&devices.device(device)));
  }
  const bool reach = devices.reachEachOther();
  if (wanted == HaloMode::store && !reach) {
    throw DeviceError(
        "exchange: store needs GPUs that can reach each other's memory, and these cannot: set "
        "'exchange' to host or auto");
  }
  if (!reach && (wanted == HaloMode::automatic || wanted == HaloMode::copy)) {
    fmt::print(stderr,
               "mass: the GPUs cannot reach each other's memory; ghosts go through the host\n");
  }
  if (wanted != HaloMode::automatic) {
    choices_ = {wanted};
    if (wanted == HaloMode::nccl && gpus_.size() > 1) transport(wanted);
  } else if (reach) {
    // NCCL takes a second to start, and has nothing that these two lack.
    choices_ = {HaloMode::store, HaloMode::copy};
  } else {
    choices_ = {HaloMode::host, HaloMode::copy};
    if (ncclUnavailableReason().empty()) choices_.push_back(HaloMode::nccl);
  }
}

std::unique_ptr<GpuTransport> TransportSelector::makeTransport(HaloMode exchange) const {
  switch (exchange) {
    case HaloMode::nccl:
      return ncclTransport(gpus_);
    case HaloMode::host:
      return hostStagingTransport();
    default:
      return peerCopyTransport(gpus_);
  }
}

GpuHaloExchange& TransportSelector::transport(HaloMode exchange) {
  auto& made = made_[exchange];
  if (!made) made = std::make_unique<GpuHaloExchange>(gpus_, makeTransport(exchange));
  return *made;
}

GpuHaloExchange& TransportSelector::refreshTransport() {
  const bool copies = gpus_.size() == 1 || choices_.front() == HaloMode::store;
  return transport(copies ? HaloMode::copy : choices_.front());
}

}  // namespace mass::detail
