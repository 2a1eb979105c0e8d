#include <mass/exchange/cuda/nccl_link.hpp>

#include <mass/backend/gpus.hpp>
#include <mass/backend/on_all_ranks.hpp>
#include <mass/support/error.hpp>

#if __has_include(<nccl.h>) && !defined(MASS_EMULATED_GPUS)
#include <mass/backend/cuda/cuda_device.hpp>

#include <dlfcn.h>
#include <nccl.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <future>
#include <thread>
#include <utility>
#endif

namespace mass::detail {
namespace {

#if __has_include(<nccl.h>) && !defined(MASS_EMULATED_GPUS)

/// Functions of NCCL, loaded at run time, so that the program also runs on hosts without the
/// library.
struct Nccl {
  decltype(&::ncclGetUniqueId) getUniqueId = nullptr;
  decltype(&::ncclCommInitRank) commInitRank = nullptr;
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
  load(library, "ncclGetUniqueId", getUniqueId);
  load(library, "ncclCommInitRank", commInitRank);
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

/// Makes NCCL calls as a group, which NCCL performs at its end.
template <class Calls>
void grouped(const Calls& calls) {
  check(nccl().groupStart(), "ncclGroupStart");
  calls();
  check(nccl().groupEnd(), "ncclGroupEnd");
}

/// NCCL's communicators of the GPUs of this process.
class Communicators {
 public:
  explicit Communicators(const DeviceConfig& devices) : size_(devices.size()) {
    for (const int device : devices.local()) {
      auto& gpu = static_cast<CudaDevice&>(devices.device(device));
      members_.push_back({device, gpu.ordinal(), gpu.stream()});
    }
  }
  ~Communicators() {
    for (const Member& member : members_) {
      if (member.communicator != nullptr) (void)nccl().commDestroy(member.communicator);
    }
  }
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;

  /// Connects all devices. NCCL waits for all processes.
  void connect(const ncclUniqueId& id) {
    grouped([&] {
      for (Member& member : members_) {
        const cuda::Current current(member.ordinal);
        check(nccl().commInitRank(&member.communicator, size_, id, member.device),
              "ncclCommInitRank");
      }
    });
  }
  /// Exchanges a byte between neighbouring devices. NCCL connects two devices when they first
  /// exchange data, and waits for both.
  void connectNeighbors() {
    for (Member& member : members_) {
      const cuda::Current current(member.ordinal);
      MASS_CUDA_CALL(cudaMalloc(&member.bytes, 4));
    }
    grouped([&] {
      for (const Member& member : members_) {
        const cuda::Current current(member.ordinal);
        const int next = (member.device + 1) % size_;
        const int previous = (member.device + size_ - 1) % size_;
        send(member, member.bytes, 1, next, member.stream);
        send(member, member.bytes + 1, 1, previous, member.stream);
        receive(member, member.bytes + 2, 1, previous, member.stream);
        receive(member, member.bytes + 3, 1, next, member.stream);
      }
    });
    for (const Member& member : members_) {
      const cuda::Current current(member.ordinal);
      MASS_CUDA_CALL(cudaStreamSynchronize(member.stream));
      MASS_CUDA_CALL(cudaFree(member.bytes));
    }
  }

  /// Aborts all transfers.
  void abort() {
    for (Member& member : members_) abort(member);
  }

  /// GPU of this process.
  struct Member {
    int device, ordinal;
    cudaStream_t stream;
    ncclComm_t communicator = nullptr;  ///< null after abort()
    char* bytes = nullptr;              ///< memory for connectNeighbors()
  };
  /// Returns the GPU of a local device.
  Member& of(int device) {
    return members_[static_cast<std::size_t>(device - members_.front().device)];
  }
  /// Aborts the transfers of a GPU.
  static void abort(Member& member) {
    if (member.communicator != nullptr)
      (void)nccl().commAbort(std::exchange(member.communicator, nullptr));
  }
  /// Queues the sending of bytes to another device.
  static void send(const Member& from, const void* data, std::size_t bytes, int device,
                   cudaStream_t stream) {
    check(nccl().send(data, bytes, ncclChar, device, from.communicator, stream), "ncclSend");
  }
  /// Queues the receipt of bytes from another device.
  static void receive(const Member& to, void* data, std::size_t bytes, int device,
                      cudaStream_t stream) {
    check(nccl().recv(data, bytes, ncclChar, device, to.communicator, stream), "ncclRecv");
  }

 private:
  int size_;
  std::vector<Member> members_;
};

class NcclLinkOfRanks : public NcclLink {
 public:
  explicit NcclLinkOfRanks(const DeviceConfig& devices)
      : ranks_(&devices.ranks()), communicators_(std::make_shared<Communicators>(devices)) {
    // NVLink multicast (NVLS) costs time and memory at start; send and receive do not use it.
    (void)setenv("NCCL_NVLS_ENABLE", "0", 0);
    ncclUniqueId id{};
    onAllRanks(*ranks_, [&] {
      if (ranks_->isFirst()) check(nccl().getUniqueId(&id), "ncclGetUniqueId");
    });
    id = ranks_->broadcast(id);
    if (ranks_->count() == 1)
      communicators_->connect(id);
    else
      connectRanks(id);
  }
  /// Does not wait for other ranks if the run ends with an error.
  ~NcclLinkOfRanks() override {
    if (std::uncaught_exceptions() > 0) communicators_->abort();
  }
  NcclLinkOfRanks(const NcclLinkOfRanks&) = delete;
  NcclLinkOfRanks& operator=(const NcclLinkOfRanks&) = delete;

  void exchange(int device, std::span<const NcclMessage> messages, cudaStream_t stream) override {
    const Communicators::Member& here = communicators_->of(device);
    if (here.communicator == nullptr) throw DeviceError("NCCL was aborted after a GPU had failed");
    grouped([&] {
      for (const NcclMessage& message : messages) {
        if (message.isSent)
          Communicators::send(here, message.data, message.bytes, message.device, stream);
        else
          Communicators::receive(here, message.data, message.bytes, message.device, stream);
      }
    });
  }
  void abort(int device) override { Communicators::abort(communicators_->of(device)); }
  std::vector<int> awaitedRanks() const override {
    std::vector<int> others;
    for (int rank = 0; rank < ranks_->count(); ++rank) {
      if (rank != ranks_->number()) others.push_back(rank);
    }
    return others;
  }

 private:
  /// Connects the devices of all ranks on a thread of its own, while this one answers other ranks.
  void connectRanks(const ncclUniqueId& id) {
    std::promise<void> promise;
    std::future<void> done = promise.get_future();
    // If another rank fails, the thread does not end before the process.
    std::thread([communicators = communicators_, id, promise = std::move(promise)]() mutable {
      try {
        communicators->connect(id);
        communicators->connectNeighbors();
        promise.set_value();
      } catch (...) {
        promise.set_exception(std::current_exception());
      }
    }).detach();
    const auto isDone = [&] {
      return done.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready;
    };
    ranks_->waitUntil(isDone, awaitedRanks());
    done.get();
  }

  Ranks* ranks_;
  std::shared_ptr<Communicators> communicators_;
};

std::shared_ptr<NcclLink> makeLink(const DeviceConfig& devices) {
  return std::make_shared<NcclLinkOfRanks>(devices);
}

constexpr bool isBuiltIn = true;
std::string problem() {
  return nccl().problem;
}

#else

std::shared_ptr<NcclLink> makeLink(const DeviceConfig&) {
  return nullptr;
}

constexpr bool isBuiltIn = false;
std::string problem() {
  return "this program was built without nccl.h";
}

#endif

/// @throws DeviceError if connectNccl() is not available
void requireNccl() {
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
}

}  // namespace

std::string ncclUnavailableReason() {
  return devicesPerGpu() > 1
             ? "it supports only one device on a GPU, and MASS_DEVICES_PER_GPU is above 1"
             : problem();
}

std::shared_ptr<NcclLink> connectNccl(const DeviceConfig& devices) {
  onAllRanks(devices.ranks(), requireNccl);
  return makeLink(devices);
}

}  // namespace mass::detail
