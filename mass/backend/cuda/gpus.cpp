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

/// Result of cudaGetDeviceCount.
struct GpuQuery {
  cudaError_t status = cudaSuccess;
  int count = 0;
};

/// Queries the number of GPUs; 0 if CUDA fails.
GpuQuery queryGpus() {
  GpuQuery result;
  result.status = cudaGetDeviceCount(&result.count);
  if (result.status != cudaSuccess) {
    result.count = 0;
    (void)cudaGetLastError();
  }
  return result;
}

/// Returns a CUDA version number as text, e.g. 13000 as "13.0".
std::string version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

/// Returns the compute capability, e.g. 90 for 9.0.
int capabilityOf(int gpu) {
  int major = 0, minor = 0;
  MASS_CUDA_CALL(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu));
  MASS_CUDA_CALL(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, gpu));
  return major * 10 + minor;
}

/// Returns the numbers of all GPUs, the best first; see gpuNames().
std::vector<int> ranked(int count) {
  if (count == 0) return {};
  std::vector<int> gpus(static_cast<std::size_t>(count));
  std::iota(gpus.begin(), gpus.end(), 0);
  std::stable_sort(gpus.begin(), gpus.end(),
                   [](int a, int b) { return capabilityOf(a) > capabilityOf(b); });
  const int best = gpus.front();
  std::stable_sort(gpus.begin() + 1, gpus.end(), [&](int a, int b) {
    const auto order = [&](int gpu) {
      return std::tuple(!cuda::canAccessPeer(best, gpu), -capabilityOf(gpu));
    };
    return order(a) < order(b);
  });
  return gpus;
}

/// Enables peer access from a GPU to others. It may fail: the number of peers of a GPU is limited,
/// and a machine may forbid it. Copies are then staged through the host.
/// @return the GPUs to which it is enabled
std::set<int> enablePeers(int gpu, const std::vector<int>& others) {
  std::set<int> peers;
  const cuda::Current current(gpu);
  for (const int other : others) {
    if (other == gpu || !cuda::canAccessPeer(gpu, other)) continue;
    const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
    if (status == cudaSuccess || status == cudaErrorPeerAccessAlreadyEnabled) peers.insert(other);
    (void)cudaGetLastError();  // a sticky error returns with the next call
  }
  return peers;
}

}  // namespace

int usableGpus() {
  return queryGpus().count * devicesPerGpu();
}

int devicesPerGpu() {
  const char* const text = std::getenv("MASS_DEVICES_PER_GPU");
  if (text == nullptr) return 1;
  constexpr int most = 8;
  if (text[0] < '1' || text[0] > '0' + most || text[1] != '\0') {
    throw DeviceError(
        "MASS_DEVICES_PER_GPU in the environment is '{}': set it to 1 to {}, or unset it", text,
        most);
  }
  return text[0] - '0';
}

bool isDriverUnusable() {
  const GpuQuery found = queryGpus();
  int driver = 0;
  (void)cudaDriverGetVersion(&driver);
  return driver > 0 && found.status != cudaSuccess && found.status != cudaErrorNoDevice;
}

std::string noGpuReason() {
  const GpuQuery found = queryGpus();
  if (found.count > 0) return {};
  int driver = 0, runtime = 0;
  (void)cudaDriverGetVersion(&driver);
  (void)cudaRuntimeGetVersion(&runtime);
  if (driver == 0) {
    return "there is no NVIDIA driver on this machine (libcuda.so.1 cannot be loaded): install "
           "one, or set 'backend' to cpu";
  }
  if (found.status == cudaErrorInsufficientDriver) {
    // A driver supports all minor versions of its CUDA major version.
    const int needed = runtime / 1000 * 1000;
    return fmt::format(
        "the NVIDIA driver is too old: it supports CUDA {}, this program needs {}. Install a newer "
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

std::vector<std::string> gpuNames() {
  std::vector<std::string> names;
  for (const int gpu : ranked(queryGpus().count)) {
    cudaDeviceProp properties{};
    MASS_CUDA_CALL(cudaGetDeviceProperties(&properties, gpu));
    std::string& name = names.emplace_back();
    for (const char byte : properties.uuid.bytes)
      name += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return names;
}

std::vector<std::unique_ptr<Device>> openGpus(const std::vector<int>& chosen) {
  const int count = queryGpus().count;
  if (count == 0) throw DeviceError("{}", noGpuReason());
  const std::vector<int> all = ranked(count);
  std::vector<int> gpus;
  for (const int index : chosen) gpus.push_back(all[static_cast<std::size_t>(index)]);
  std::vector<std::unique_ptr<Device>> devices;
  for (const int gpu : gpus)
    devices.push_back(std::make_unique<CudaDevice>(gpu, enablePeers(gpu, gpus)));
  return devices;
}

}  // namespace mass::detail
