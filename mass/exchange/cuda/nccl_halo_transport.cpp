#include <mass/exchange/cuda/halo_transports.hpp>

#include <mass/backend/gpus.hpp>
#include <mass/support/error.hpp>

#if __has_include(<nccl.h>) && !defined(MASS_EMULATED_GPUS)
#include <dlfcn.h>
#include <nccl.h>

#include <cstdlib>
#include <utility>
#endif

namespace mass::detail {
namespace {

#if __has_include(<nccl.h>) && !defined(MASS_EMULATED_GPUS)

/// Functions of NCCL, loaded at run time, so that the program also runs on hosts without the
/// library.
struct Nccl {
  decltype(&::ncclCommInitAll) commInitAll = nullptr;
  decltype(&::ncclCommDestroy) commDestroy = nullptr;
  decltype(&::ncclCommAbort) commAbort = nullptr;
  decltype(&::ncclGroupStart) groupStart = nullptr;
  decltype(&::ncclGroupEnd) groupEnd = nullptr;
  decltype(&::ncclSend) send = nullptr;
  decltype(&::ncclRecv) recv = nullptr;
  decltype(&::ncclGetErrorString) errorString = nullptr;
  std::string problem;  ///< reason why NCCL is not available; empty if it is

  Nccl();

 private:
  /// Looks a function up; sets `problem` if it is missing.
  template <class F>
  void load(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (function == nullptr) problem = std::string("libnccl.so.2 has no ") + name;
  }
};

Nccl::Nccl() {
  void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    problem = dlerror();
    return;
  }
  load(library, "ncclCommInitAll", commInitAll);
  load(library, "ncclCommDestroy", commDestroy);
  load(library, "ncclCommAbort", commAbort);
  load(library, "ncclGroupStart", groupStart);
  load(library, "ncclGroupEnd", groupEnd);
  load(library, "ncclSend", send);
  load(library, "ncclRecv", recv);
  load(library, "ncclGetErrorString", errorString);
}

/// Returns NCCL, loaded by the first call.
const Nccl& nccl() {
  static const Nccl loaded;
  return loaded;
}

/// @throws DeviceError with NCCL's description if the status is not ncclSuccess
void check(ncclResult_t status, const char* call) {
  if (status != ncclSuccess) throw DeviceError("{}: {}", call, nccl().errorString(status));
}

class NcclTransport : public GpuHaloTransport {
 public:
  explicit NcclTransport(const Gpus& gpus) : GpuHaloTransport(gpus), communicators_(gpus.size()) {
    // NVLink multicast (NVLS) costs time and memory at start; send and receive do not use it.
    (void)setenv("NCCL_NVLS_ENABLE", "0", 0);
    std::vector<int> ordinals;
    for (const CudaDevice* gpu : gpus) ordinals.push_back(gpu->ordinal());
    check(nccl().commInitAll(communicators_.data(), static_cast<int>(gpus.size()), ordinals.data()),
          "ncclCommInitAll");
  }
  ~NcclTransport() override {
    for (const ncclComm_t communicator : communicators_) {
      if (communicator != nullptr) (void)nccl().commDestroy(communicator);
    }
  }
  NcclTransport(const NcclTransport&) = delete;
  NcclTransport& operator=(const NcclTransport&) = delete;

  void abort(int device) override {
    ncclComm_t& communicator = communicators_[static_cast<std::size_t>(device)];
    if (communicator != nullptr) (void)nccl().commAbort(std::exchange(communicator, nullptr));
  }

 protected:
  void sendPacked(int device, std::span<const PackedHalo> halos, cudaStream_t stream) override {
    const ncclComm_t communicator = communicators_[static_cast<std::size_t>(device)];
    if (communicator == nullptr) throw DeviceError("NCCL was aborted after a GPU had failed");
    check(nccl().groupStart(), "ncclGroupStart");
    for (const PackedHalo& halo : halos) {
      if (halo.isSentBy(device)) {
        check(nccl().send(halo.from, halo.bytes, ncclChar, halo.toDevice, communicator, stream),
              "ncclSend");
      } else if (halo.isReceivedBy(device)) {
        check(nccl().recv(halo.to, halo.bytes, ncclChar, halo.fromDevice, communicator, stream),
              "ncclRecv");
      }
    }
    check(nccl().groupEnd(), "ncclGroupEnd");
  }

 private:
  std::vector<ncclComm_t> communicators_;  // by device; null after abort()
};

std::unique_ptr<HaloTransport> makeNcclTransport(const Gpus& gpus) {
  return std::make_unique<NcclTransport>(gpus);
}

constexpr bool isBuiltIn = true;
std::string problem() {
  return nccl().problem;
}

#else

std::unique_ptr<HaloTransport> makeNcclTransport(const Gpus&) {
  return nullptr;
}

constexpr bool isBuiltIn = false;
std::string problem() {
  return "this program was built without nccl.h";
}

#endif

}  // namespace

std::string ncclUnavailableReason() {
  return devicesShareGpus()
             ? "it supports only one device on a GPU, and MASS_DEVICES_PER_GPU is above 1"
             : problem();
}

std::unique_ptr<HaloTransport> ncclTransport(const Gpus& gpus) {
  if (!isBuiltIn) {
    throw DeviceError(
        "exchange: nccl needs a program that was built with nccl.h: install it (package "
        "libnccl-dev) and build the program again, or set 'exchange' to auto");
  }
  if (!ncclUnavailableReason().empty()) {
    throw DeviceError(
        "exchange: nccl needs NVIDIA's NCCL library, which cannot be used ({}): install it "
        "(package libnccl2), or set 'exchange' to auto",
        ncclUnavailableReason());
  }
  return makeNcclTransport(gpus);
}

}  // namespace mass::detail
