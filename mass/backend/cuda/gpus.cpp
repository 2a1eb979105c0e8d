#include <mass/backend/gpus.hpp>

#include <mass/backend/cuda/check.hpp>
#include <mass/backend/cuda/cuda_device.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <tuple>

namespace mass::detail {
namespace {

/// What asking for GPUs gives, as CUDA says it.
struct Census {
  cudaError_t status = cudaSuccess;
  int count = 0;
};

Census census() {
  Census result;
  result.status = cudaGetDeviceCount(&result.count);
  if (result.status != cudaSuccess) {
    result.count = 0;
    (void)cudaGetLastError();
  }
  return result;
}

std::string version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

int capabilityOf(int gpu) {
  int major = 0, minor = 0;
  MASS_CUDA_CALL(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu));
  MASS_CUDA_CALL(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, gpu));
  return major * 10 + minor;
}

/// What MASS_DEVICES_PER_GPU says.
int devicesPerGpu() {
  const char* const text = std::getenv("MASS_DEVICES_PER_GPU");
  if (text == nullptr) return 1;
  constexpr int most = 8;
  if (text[0] < '1' || text[0] > '0' + most || text[1] != '\0') {
    throw DeviceError("MASS_DEVICES_PER_GPU in the environment is '{}': set it to 1 to {}, or not",
                      text, most);
  }
  return text[0] - '0';
}

/// All GPUs, the best first.
std::vector<int> ranked(int count) {
  std::vector<int> gpus(static_cast<std::size_t>(count));
  std::iota(gpus.begin(), gpus.end(), 0);
  std::stable_sort(gpus.begin(), gpus.end(),
                   [](int a, int b) { return capabilityOf(a) > capabilityOf(b); });
  const int best = gpus.front();
  std::stable_sort(gpus.begin() + 1, gpus.end(), [&](int a, int b) {
    const auto order = [&](int gpu) {
      return std::tuple(!cuda::reaches(best, gpu), -capabilityOf(gpu));
    };
    return order(a) < order(b);
  });
  return gpus;
}

/// Lets kernels of a GPU reach the memory of others, and returns which ones. A machine may have
/// more GPUs than one can be a peer of, or forbid it; then copies go through the host.
std::set<int> enablePeers(int gpu, const std::vector<int>& others) {
  std::set<int> peers;
  const cuda::Current current(gpu);
  for (const int other : others) {
    if (other == gpu || !cuda::reaches(gpu, other)) continue;
    const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
    if (status == cudaSuccess || status == cudaErrorPeerAccessAlreadyEnabled) peers.insert(other);
    (void)cudaGetLastError();  // a GPU that is lost says so at the next call again
  }
  return peers;
}

}  // namespace

int usableGpus() {
  return census().count * devicesPerGpu();
}

bool devicesShareGpus() {
  return devicesPerGpu() > 1;
}

bool isDriverUnusable() {
  const Census found = census();
  int driver = 0;
  (void)cudaDriverGetVersion(&driver);
  return driver > 0 && found.status != cudaSuccess && found.status != cudaErrorNoDevice;
}

std::string whyNoGpu() {
  const Census found = census();
  if (found.count > 0) return {};
  int driver = 0, runtime = 0;
  (void)cudaDriverGetVersion(&driver);
  (void)cudaRuntimeGetVersion(&runtime);
  if (driver == 0) {
    return "there is no NVIDIA driver on this machine (libcuda.so.1 cannot be loaded): install "
           "one, or set 'backend' to cpu";
  }
  if (found.status == cudaErrorInsufficientDriver) {
    // A driver serves programs of its own CUDA's whole major version, newer ones too.
    const int needed = runtime / 1000 * 1000;
    return fmt::format(
        "the NVIDIA driver is too old: it knows CUDA {}, this program needs {}. Install a newer "
        "driver, or set 'backend' to cpu",
        version(driver), version(needed));
  }
  if (found.status == cudaSuccess || found.status == cudaErrorNoDevice) {
    return "there is no GPU on this machine that CUDA can use (CUDA_VISIBLE_DEVICES may hide "
           "one): set 'backend' to cpu";
  }
  return fmt::format("CUDA cannot be used: {} ({}). Set 'backend' to cpu",
                     cudaGetErrorString(found.status), cudaGetErrorName(found.status));
}

std::vector<std::unique_ptr<Device>> openGpus(int wanted) {
  const int count = usableGpus();
  if (count == 0) throw DeviceError("{}", whyNoGpu());
  if (wanted > count) {
    throw DeviceError("{} GPUs were asked for, there {} {}: set 'devices' to {} or less", wanted,
                      count == 1 ? "is" : "are", count, count);
  }
  std::vector<int> gpus = ranked(count / devicesPerGpu());
  if (wanted < static_cast<int>(gpus.size())) gpus.resize(static_cast<std::size_t>(wanted));
  std::vector<std::unique_ptr<Device>> devices;
  for (int device = 0; device < wanted; ++device) {
    const int gpu = gpus[static_cast<std::size_t>(device) % gpus.size()];
    devices.push_back(std::make_unique<CudaDevice>(gpu, enablePeers(gpu, gpus)));
  }
  return devices;
}

}  // namespace mass::detail
