#pragma once

#include <mass/dispatch/gpu_executor.hpp>
#include <mass/exchange/cuda/gpu_exchange.hpp>

#include <map>
#include <memory>
#include <vector>

namespace mass {

/// The ways in which the GPUs of a run can exchange ghosts.
class Exchanges {
 public:
  /// @throws DeviceError when the way that is wanted cannot be taken by these GPUs.
  Exchanges(const DeviceConfig& devices, Exchange wanted);

  /// Those that may be taken: one, or several to be tried.
  const std::vector<Exchange>& choices() const { return choices_; }
  /// One that needs carrying, which is not Exchange::store; made when first asked for.
  GpuExchange& carried(Exchange exchange);
  /// One by which ghosts can be refreshed before a round.
  GpuExchange& refreshing();

 private:
  std::unique_ptr<Carrier> makeCarrier(Exchange exchange) const;

  Gpus gpus_;
  std::vector<Exchange> choices_;
  std::map<Exchange, std::unique_ptr<GpuExchange>> made_;
};

}  // namespace mass
