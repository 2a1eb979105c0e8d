#pragma once

#include <mass/dispatch/gpu_executor.hpp>
#include <mass/exchange/cuda/gpu_halo_exchange.hpp>

#include <map>
#include <memory>
#include <vector>

namespace mass::detail {

/// Available halo modes of the GPUs of a run and their halo exchanges.
class TransportSelector {
 public:
  /// @param requested halo mode of the settings
  /// @throws DeviceError if the GPUs do not support the requested mode.
  TransportSelector(const DeviceConfig& devices, HaloMode requested);

  /// Returns the modes to use: one, or several candidates to autotune.
  const std::vector<HaloMode>& choices() const { return choices_; }
  /// Returns the halo exchange of `mode`, creating it on first use.
  /// @pre mode is not HaloMode::store, in which kernels store halos themselves.
  GpuHaloExchange& haloExchange(HaloMode mode);
  /// Returns the halo exchange for refreshes before a batch.
  GpuHaloExchange& refreshExchange();

 private:
  std::unique_ptr<GpuTransport> makeTransport(HaloMode mode) const;

  Gpus gpus_;
  std::vector<HaloMode> choices_;
  std::map<HaloMode, std::unique_ptr<GpuHaloExchange>> exchanges_;
};

}  // namespace mass::detail
