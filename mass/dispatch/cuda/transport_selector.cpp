#include <mass/dispatch/cuda/transport_selector.hpp>

#include <mass/exchange/cuda/halo_transports.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace mass::detail {

TransportSelector::TransportSelector(const DeviceConfig& devices, HaloMode requested) {
  for (int device = 0; device < devices.size(); ++device) {
    gpus_.push_back(static_cast<CudaDevice*>(&devices.device(device)));
  }
  const bool peerAccess = devices.allPeersAccessible();
  if (requested == HaloMode::store && !peerAccess) {
    throw DeviceError(
        "'exchange: store' requires GPUs with access to each other's memory, and these have none: "
        "set 'exchange' to host or auto");
  }
  if (!peerAccess && (requested == HaloMode::automatic || requested == HaloMode::copy)) {
    fmt::print(stderr,
               "mass: the GPUs have no access to each other's memory; halos are copied through the "
               "host\n");
  }
  if (requested != HaloMode::automatic) {
    choices_ = {requested};
    if (requested == HaloMode::nccl && gpus_.size() > 1) transport(requested);
  } else if (peerAccess) {
    // NCCL takes a second to initialise and has no advantage over these two.
    choices_ = {HaloMode::store, HaloMode::copy};
  } else {
    choices_ = {HaloMode::host, HaloMode::copy};
    if (ncclUnavailableReason().empty()) choices_.push_back(HaloMode::nccl);
  }
}

std::unique_ptr<HaloTransport> TransportSelector::makeTransport(HaloMode mode) const {
  switch (mode) {
    case HaloMode::nccl:
      return ncclTransport(gpus_);
    case HaloMode::host:
      return hostStagingTransport(gpus_);
    default:
      return peerCopyTransport(gpus_);
  }
}

HaloTransport& TransportSelector::transport(HaloMode mode) {
  auto& found = transports_[mode];
  if (!found) found = makeTransport(mode);
  return *found;
}

HaloTransport& TransportSelector::refreshTransport() {
  const bool copies = gpus_.size() == 1 || choices_.front() == HaloMode::store;
  return transport(copies ? HaloMode::copy : choices_.front());
}

}  // namespace mass::detail
