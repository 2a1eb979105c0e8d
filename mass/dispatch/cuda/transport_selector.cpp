#include <mass/dispatch/cuda/transport_selector.hpp>

#include <mass/backend/on_all_ranks.hpp>
#include <mass/exchange/cuda/halo_transports.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace mass::detail {

TransportSelector::TransportSelector(const DeviceConfig& devices, HaloMode requested)
    : devices_(&devices) {
  if (devices.ranks().count() > 1)
    chooseBetweenRanks(requested);
  else
    chooseInProcess(requested);
}

void TransportSelector::chooseInProcess(HaloMode requested) {
  const bool peerAccess = devices_->allPeersAccessible();
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
    if (requested == HaloMode::nccl && devices_->size() > 1) transport(requested);
  } else if (peerAccess) {
    // NCCL takes a second to initialise and has no advantage over these two.
    choices_ = {HaloMode::store, HaloMode::copy};
  } else {
    choices_ = {HaloMode::host, HaloMode::copy};
    if (ncclUnavailableReason().empty()) choices_.push_back(HaloMode::nccl);
  }
}

void TransportSelector::chooseBetweenRanks(HaloMode requested) {
  Ranks& ranks = devices_->ranks();
  if (requested == HaloMode::store || requested == HaloMode::copy) {
    throw DeviceError(
        "'exchange' store and copy work within one process, and this run has {} ranks: set "
        "'exchange' to nccl, host or auto",
        ranks.count());
  }
  if (requested != HaloMode::automatic) {
    choices_ = {requested};
    if (requested == HaloMode::nccl) onAllRanks(ranks, [&] { transport(requested); });
    return;
  }
  choices_ = {HaloMode::host};
  if (ranks.any(!ncclUnavailableReason().empty())) return;
  try {
    onAllRanks(ranks, [&] { nccl_ = connectNccl(*devices_); });
    choices_ = {HaloMode::nccl, HaloMode::host};
  } catch (const DeviceError& error) {
    nccl_.reset();
    if (ranks.isFirst()) {
      fmt::print(stderr, "mass: NCCL fails ({}); halos are copied through the host\n",
                 error.what());
    }
  }
}

std::unique_ptr<HaloTransport> TransportSelector::makeTransport(HaloMode mode) {
  switch (mode) {
    case HaloMode::nccl:
      if (!nccl_) nccl_ = connectNccl(*devices_);
      return ncclTransport(*devices_, nccl_);
    case HaloMode::host:
      return hostStagingTransport(*devices_);
    default:
      return peerCopyTransport(*devices_);
  }
}

HaloTransport& TransportSelector::transport(HaloMode mode) {
  auto& found = transports_[mode];
  if (!found) found = makeTransport(mode);
  return *found;
}

HaloTransport& TransportSelector::refreshTransport() {
  const bool copies = devices_->size() == 1 || choices_.front() == HaloMode::store;
  return transport(copies ? HaloMode::copy : choices_.front());
}

}  // namespace mass::detail
