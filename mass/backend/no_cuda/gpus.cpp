#include <mass/backend/gpus.hpp>

#include <mass/support/error.hpp>

namespace mass::detail {

int usableGpus() {
  return 0;
}

bool devicesShareGpus() {
  return false;
}

bool isDriverUnusable() {
  return false;
}

std::string noGpuReason() {
  return "this program was built without CUDA: configure with the preset 'cuda', or set 'backend' "
         "to cpu";
}

std::vector<std::unique_ptr<Device>> openGpus(int) {
  throw DeviceError("{}", noGpuReason());
}

}  // namespace mass::detail
