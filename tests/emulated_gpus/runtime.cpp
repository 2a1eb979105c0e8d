// CUDA runtime with threads of the host as GPUs: memory, streams, events, graphs and launches.

#include "block.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

using Work = std::function<void()>;
using Clock = std::chrono::steady_clock;

/// State of an event from one record to the next.
struct Moment {
  std::mutex mutex;
  std::condition_variable changed;
  bool has_come = false;
  Clock::time_point time;

  void come() {
    const std::lock_guard lock(mutex);
    has_come = true;
    time = Clock::now();
    changed.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return has_come; });
  }
  bool hasCome() {
    const std::lock_guard lock(mutex);
    return has_come;
  }
};
struct CUevent_st {
  std::mutex mutex;
  std::shared_ptr<Moment> moment;
  std::shared_ptr<Moment> last() {
    const std::lock_guard lock(mutex);
    return moment;
  }
};
struct CUgraph_st {
  std::vector<Work> works;
};
struct CUgraphExec_st {
  std::vector<Work> works;
};

namespace {

constexpr int multiprocessors = 6;
/// Returns the number of multiprocessors that programs are told of.
int multiprocessorsTold() {
  const char* const text = std::getenv("EMULATED_MULTIPROCESSORS");
  return text == nullptr ? multiprocessors : std::atoi(text);
}
constexpr std::size_t memoryBytes = std::size_t{6} << 30;
constexpr std::size_t alignment = 256;

/// Emulated GPU. After an operation on it has failed, all fail.
struct Gpu {
  std::atomic<cudaError_t> error = cudaSuccess;
  std::atomic<std::size_t> used = 0;
  std::mutex mutex;
  std::set<CUstream_st*> streams;
};

int countOfGpus() {
  static const int count = [] {
    const char* const text = std::getenv("EMULATED_GPUS");
    return text == nullptr ? 4 : std::atoi(text);
  }();
  return count;
}
Gpu& gpu(int number) {
  // Never destroyed: streams may outlive the static objects of a program.
  static auto* const gpus = new std::array<Gpu, 64>;
  return (*gpus)[static_cast<std::size_t>(number)];
}

thread_local int current = 0;
thread_local cudaError_t lastError = cudaSuccess;

cudaError_t says(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) lastError = error;
  return error;
}
cudaError_t stateOf(int number) {
  return says(gpu(number).error.load());
}

struct Piece {
  std::size_t bytes;
  int gpu;  // -1: pinned host memory
};
struct Memory {
  std::mutex mutex;
  std::map<const char*, Piece> pieces;

  bool isPinned(const void* address) {
    const std::lock_guard lock(mutex);
    auto after = pieces.upper_bound(static_cast<const char*>(address));
    if (after == pieces.begin()) return false;
    const auto& [begin, piece] = *--after;
    return piece.gpu < 0 && static_cast<const char*>(address) < begin + piece.bytes;
  }
};
Memory& memory() {
  static auto* const made = new Memory;
  return *made;
}
void* take(std::size_t bytes, int number) {
  void* const address = ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
  if (address == nullptr) return nullptr;
  std::memset(address, 0xA5, bytes);  // uninitialised memory has no defined contents
  const std::lock_guard lock(memory().mutex);
  memory().pieces[static_cast<const char*>(address)] = {bytes, number};
  return address;
}
Piece giveBack(void* address) {
  Piece piece{};
  {
    const std::lock_guard lock(memory().mutex);
    const auto found = memory().pieces.find(static_cast<const char*>(address));
    if (found == memory().pieces.end()) std::abort();
    piece = found->second;
    memory().pieces.erase(found);
  }
  ::operator delete (address, std::align_val_t{alignment});
  return piece;
}

}  // namespace

/// Stream: runs work in order on its own thread.
struct CUstream_st {
  explicit CUstream_st(int number) : device(number) {
    const std::lock_guard lock(gpu(device).mutex);
    gpu(device).streams.insert(this);
  }
  ~CUstream_st() {
    {
      const std::lock_guard lock(gpu(device).mutex);
      gpu(device).streams.erase(this);
    }
    {
      const std::lock_guard lock(mutex);
      ends = true;
    }
    changed.notify_all();
    thread.join();
  }

  void add(Work work) {
    if (captured) {
      captured->push_back(std::move(work));
      return;
    }
    const std::lock_guard lock(mutex);
    queue.push_back(std::move(work));
    changed.notify_all();
  }
  bool isIdle() {
    const std::lock_guard lock(mutex);
    return queue.empty();
  }
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return queue.empty(); });
  }
  void serve() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return ends || !queue.empty(); });
      if (queue.empty()) return;
      const Work work = queue.front();
      lock.unlock();
      work();
      lock.lock();
      queue.pop_front();  // only now: an empty queue means that all work is done
      changed.notify_all();
    }
  }

  const int device;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Work> queue;
  bool ends = false;
  std::unique_ptr<std::vector<Work>> captured;
  std::thread thread{[this] { serve(); }};
};

namespace {

bool works(int number) {
  return gpu(number).error == cudaSuccess;
}
/// Queues work of a GPU; the work is skipped if the GPU has failed.
void queueOn(cudaStream_t stream, Work work) {
  stream->add([device = stream->device, work = std::move(work)] {
    if (works(device)) work();
  });
}

struct Grid {
  dim3 blocks, threads;
  bool cooperative;  // cooperative: all blocks run at the same time

  dim3 number(unsigned i) const {
    return {i % blocks.x, i / blocks.x % blocks.y, i / blocks.x / blocks.y};
  }
};
/// Runs the blocks of a launch. Returns true if no thread has trapped.
bool run(const Grid& grid, const Work& thread) {
  const unsigned count = grid.blocks.x * grid.blocks.y * grid.blocks.z;
  const auto runOne = [&](unsigned i) {
    gridDim = grid.blocks;
    blockDim = grid.threads;
    return emulated_gpus::runBlock(grid.number(i), thread);
  };
  if (!grid.cooperative) {
    for (unsigned i = 0; i < count; ++i)
      if (!runOne(i)) return false;
    return true;
  }
  std::atomic<bool> well = true;
  std::vector<std::thread> hosts;
  for (unsigned i = 0; i < count; ++i)
    hosts.emplace_back([&, i] {
      if (!runOne(i)) well = false;
    });
  for (auto& host : hosts) host.join();
  return well;
}

}  // namespace

cudaError_t emulated_gpus::launch(const cudaLaunchConfig_t& config, Work thread) {
  if (const auto error = stateOf(config.stream->device); error != cudaSuccess) return error;
  const Grid grid{config.gridDim, config.blockDim,
                  config.numAttrs > 0 && config.attrs[0].id == cudaLaunchAttributeCooperative};
  const std::size_t threads = std::size_t{grid.threads.x} * grid.threads.y * grid.threads.z;
  if (threads == 0 || threads > 1024 || grid.blocks.x == 0 || grid.blocks.y == 0 ||
      grid.blocks.z == 0 || grid.blocks.y > 65535 || grid.blocks.z > 65535 ||
      config.dynamicSmemBytes > sharedBytes ||
      (grid.cooperative && grid.blocks.x > unsigned{multiprocessors})) {
    return says(cudaErrorInvalidValue);
  }
  queueOn(config.stream, [grid, thread = std::move(thread), device = config.stream->device] {
    if (!run(grid, thread)) gpu(device).error = cudaErrorLaunchFailure;
  });
  return cudaSuccess;
}

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorLaunchFailure ? "unspecified launch failure" : "an error";
}
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    default:
      return "another error";
  }
}
cudaError_t cudaGetLastError() {
  const cudaError_t error = std::exchange(lastError, cudaSuccess);
  return error != cudaSuccess ? error : gpu(current).error.load();
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  return cudaDriverGetVersion(version);
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = countOfGpus();
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= countOfGpus()) return says(cudaErrorInvalidValue);
  current = device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = {"emulated GPU", {{static_cast<char>(device)}}, 8, 0};
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = multiprocessorsTold();
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(emulated_gpus::sharedBytes);
      break;
    case cudaDevAttrCooperativeLaunch:
      *value = 1;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = 8;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = 0;
      break;
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = device != peer && std::getenv("EMULATED_GPUS_APART") == nullptr ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  static std::mutex mutex;
  static std::set<std::pair<int, int>> enabled;
  if (std::getenv("EMULATED_GPUS_PEERS") != nullptr) return says(cudaErrorTooManyPeers);
  const std::lock_guard lock(mutex);
  return enabled.insert({current, peer}).second ? cudaSuccess
                                                : says(cudaErrorPeerAccessAlreadyEnabled);
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = memoryBytes;
  *free = memoryBytes - gpu(current).used;
  return stateOf(current);
}
cudaError_t cudaMalloc(void** address, std::size_t bytes) {
  if (const auto error = stateOf(current); error != cudaSuccess) return error;
  if (gpu(current).used + bytes > memoryBytes) return says(cudaErrorMemoryAllocation);
  *address = take(bytes, current);
  if (*address == nullptr) return says(cudaErrorMemoryAllocation);
  gpu(current).used += bytes;
  return cudaSuccess;
}
cudaError_t cudaFree(void* address) {
  if (address == nullptr) return cudaSuccess;
  int owner = 0;
  {
    const std::lock_guard lock(memory().mutex);
    owner = memory().pieces.at(static_cast<const char*>(address)).gpu;
  }
  std::vector<CUstream_st*> streams;
  {
    const std::lock_guard lock(gpu(owner).mutex);
    streams.assign(gpu(owner).streams.begin(), gpu(owner).streams.end());
  }
  for (CUstream_st* stream : streams) stream->wait();
  gpu(owner).used -= giveBack(address).bytes;
  return stateOf(owner);
}
cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned) {
  *address = take(bytes, -1);
  return *address != nullptr ? cudaSuccess : says(cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void* address) {
  if (address != nullptr) (void)giveBack(address);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (const auto error = stateOf(stream->device); error != cudaSuccess) return error;
  if (kind == cudaMemcpyHostToDevice && !memory().isPinned(from)) {
    // Copied, since the caller may free or overwrite the memory at once.
    const auto* const begin = static_cast<const char*>(from);
    queueOn(stream, [to, copied = std::vector<char>(begin, begin + bytes)] {
      std::memcpy(to, copied.data(), copied.size());
    });
    return cudaSuccess;
  }
  queueOn(stream, [=] { std::memcpy(to, from, bytes); });
  if (kind == cudaMemcpyDeviceToHost && !memory().isPinned(to)) stream->wait();
  return cudaSuccess;
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemsetAsync(void* at, int value, std::size_t bytes, cudaStream_t stream) {
  if (const auto error = stateOf(stream->device); error != cudaSuccess) return error;
  queueOn(stream, [=] { std::memset(at, value, bytes); });
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  if (const auto error = stateOf(current); error != cudaSuccess) return error;
  *stream = new CUstream_st(current);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  stream->wait();
  return stateOf(stream->device);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (const auto error = stateOf(stream->device); error != cudaSuccess) return error;
  return stream->isIdle() ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (const auto moment = event->last()) stream->add([moment] { moment->wait(); });
  return stateOf(stream->device);
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  stream->captured = std::make_unique<std::vector<Work>>();
  return stateOf(stream->device);
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = new CUgraph_st{std::move(*stream->captured)};
  stream->captured.reset();
  return stateOf(stream->device);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  *executable = new CUgraphExec_st{graph->works};
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  for (const Work& work : executable->works) stream->add(work);
  return stateOf(stream->device);
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return stateOf(current);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  auto moment = std::make_shared<Moment>();
  {
    const std::lock_guard lock(event->mutex);
    event->moment = moment;
  }
  stream->add([moment] { moment->come(); });
  return stateOf(stream->device);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const auto moment = event->last()) moment->wait();
  return stateOf(current);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (const auto error = stateOf(current); error != cudaSuccess) return error;
  const auto moment = event->last();
  return !moment || moment->hasCome() ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  const auto from = start->last(), to = stop->last();
  if (!from || !to) return says(cudaErrorInvalidValue);
  *milliseconds = std::chrono::duration<float, std::milli>(to->time - from->time).count();
  return cudaSuccess;
}
