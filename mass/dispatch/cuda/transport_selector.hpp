#pragma once

#include <mass/dispatch/gpu_executor.hpp>
#include <mass/exchange/cuda/gpu_halo_exchange.hpp>

#include <map>
#include <memory>
#include <vector>

namespace mass::detail {

/// The ways in which the GPUs of a run can exchange ghosts.
class TransportSelector {
 public:
  /// @throws DeviceError when the way that is wanted cannot be taken by these GPUs.
  TransportSelector(const DeviceConfig& devices, HaloMode wanted);

  /// Those that may be taken: one, or several to be tried.
  const std::vector<HaloMode>& choices() const { return choices_; }
  /// One that needs carrying, which is not HaloMode::store; made when first asked for.
  GpuHaloExchange& transport(HaloMode exchange);
  /// One by which ghosts can be refreshed before a round.
  GpuHaloExchange& refreshTransport();

 private:
  std::unique_ptr<GpuTransport> makeTransport(HaloMode exchange) const;

  Gpus gpus_;
  std::vector<HaloMode> choices_;
  std::map<HaloMode, std::unique_ptr<GpuHaloExchange>> made_;
};

}  // namespace mass::detail
