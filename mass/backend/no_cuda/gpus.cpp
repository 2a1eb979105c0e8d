#include <mass/backend/gpus.hpp>

#include <mass/support/error.hpp>

namespace mass::detail {

int usableGpus() {
  return 0;
}

std::vector<std::string> gpuNames() {
  return {};
}

int devicesPerGpu() {
  return 1;
}

bool isDriverUnusable() {
  return false;
}

std::string noGpuReason() {
  return "this program was built without CUDA: configure with the preset 'cuda', or set 'backend' "
         "to cpu";
}

std::vector<std::unique_ptr<Device>> openGpus(const std::vector<int>&) {
  throw DeviceError("{}", noGpuReason());
}

}  // namespace mass::detail
