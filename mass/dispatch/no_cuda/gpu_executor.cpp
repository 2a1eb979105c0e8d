#include <mass/dispatch/gpu_executor.hpp>

#include <mass/backend/gpus.hpp>
#include <mass/support/error.hpp>

namespace mass::detail {

std::unique_ptr<Executor> makeGpuExecutor(const DeviceConfig&, const GpuOptions&) {
  throw DeviceError("{}", whyNoGpu());
}

}  // namespace mass::detail
