#pragma once

#include <mass/dispatch/gpu_executor.hpp>
#include <mass/exchange/cuda/gpu_halo_transport.hpp>
#include <mass/exchange/cuda/nccl_link.hpp>

#include <map>
#include <memory>
#include <vector>

namespace mass::detail {

/// Available halo modes of the GPUs of a run and their transports.
class TransportSelector {
 public:
  /// All ranks call it together.
  /// @param devices must outlive this @param requested halo mode of the settings
  /// @throws DeviceError if the GPUs do not support the requested mode.
  TransportSelector(const DeviceConfig& devices, HaloMode requested);

  /// Returns the modes to use: one, or several candidates to autotune.
  const std::vector<HaloMode>& choices() const { return choices_; }
  /// Returns the transport of `mode`, creating it on first use.
  /// @pre mode is not HaloMode::store, in which kernels store halos themselves.
  HaloTransport& transport(HaloMode mode);
  /// Returns the transport for refreshes before a batch.
  HaloTransport& refreshTransport();
  /// Returns the connection by NCCL; null if there is none.
  const std::shared_ptr<NcclLink>& nccl() const { return nccl_; }

 private:
  void chooseInProcess(HaloMode requested);
  void chooseBetweenRanks(HaloMode requested);
  std::unique_ptr<HaloTransport> makeTransport(HaloMode mode);

  const DeviceConfig* devices_;
  std::shared_ptr<NcclLink> nccl_;
  std::vector<HaloMode> choices_;
  std::map<HaloMode, std::unique_ptr<HaloTransport>> transports_;
};

}  // namespace mass::detail
