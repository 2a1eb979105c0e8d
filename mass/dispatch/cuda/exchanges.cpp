#include <mass/dispatch/cuda/exchanges.hpp>

#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace mass {

Exchanges::Exchanges(const DeviceConfig& devices, Exchange wanted) {
  for (int device = 0; device < devices.size(); ++device) {
    gpus_.push_back(static_cast<CudaDevice*>(&devices.device(device)));
  }
  const bool reach = devices.reachEachOther();
  if (wanted == Exchange::store && !reach) {
    throw DeviceError(
        "exchange: store needs GPUs that can reach each other's memory, and these cannot: set "
        "'exchange' to host or auto");
  }
  if (!reach && (wanted == Exchange::automatic || wanted == Exchange::copy)) {
    fmt::print(stderr,
               "mass: the GPUs cannot reach each other's memory; ghosts go through the host\n");
  }
  if (wanted != Exchange::automatic) {
    choices_ = {wanted};
    if (wanted == Exchange::nccl && gpus_.size() > 1) carried(wanted);
  } else if (reach) {
    // NCCL takes a second to start, and has nothing that these two lack.
    choices_ = {Exchange::store, Exchange::copy};
  } else {
    choices_ = {Exchange::host, Exchange::copy};
    if (whyNoNccl().empty()) choices_.push_back(Exchange::nccl);
  }
}

std::unique_ptr<Carrier> Exchanges::makeCarrier(Exchange exchange) const {
  switch (exchange) {
    case Exchange::nccl:
      return ncclCarrier(gpus_);
    case Exchange::host:
      return hostCarrier();
    default:
      return copyCarrier(gpus_);
  }
}

GpuExchange& Exchanges::carried(Exchange exchange) {
  auto& made = made_[exchange];
  if (!made) made = std::make_unique<GpuExchange>(gpus_, makeCarrier(exchange));
  return *made;
}

GpuExchange& Exchanges::refreshing() {
  const bool copies = gpus_.size() == 1 || choices_.front() == Exchange::store;
  return carried(copies ? Exchange::copy : choices_.front());
}

}  // namespace mass
