#pragma once

// GPUs that are threads of the host, for tests: what the CUDA backend uses of CUDA's language and
// of its runtime, with the same meaning but for time. Each stream has a thread, which takes what
// was queued in order; a block's threads take turns on it until they meet. Every source of a build
// with MASS_EMULATED_GPUS includes this file first.
//
//   EMULATED_GPUS           how many there are; 4 if it is not set
//   EMULATED_GPUS_APART=1   they do not reach each other's memory

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#define __CUDACC__ 1
#define __CUDA_ARCH__ 800
#define CUDART_VERSION 13000
#define __host__
#define __device__
#define __global__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ thread_local
#define __builtin_assume(what) static_cast<void>(0)

// -- Types of the language

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned width = 1, unsigned height = 1, unsigned depth = 1)
      : x(width), y(height), z(depth) {}
};
struct int2 {
  int x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
inline int2 make_int2(int x, int y) {
  return {x, y};
}
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}

inline thread_local constinit dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulated_gpus {

/// Lets others have this thread of the host: other threads of the block, then of the host.
void relax();
void meetBlock();
/// Waits for all threads of a warp in `mask` that have not ended; returns what they brought, and
/// who came.
struct Met {
  const std::uint64_t* values;
  unsigned who;
};
Met meetWarp(unsigned mask, std::uint64_t value);
unsigned laneOfThread();
[[noreturn]] void trap();

template <class T>
T shuffle(unsigned mask, T value, unsigned from) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  const Met met = meetWarp(mask, bits);
  T result = value;
  if (from < 32 && (met.who >> from & 1) != 0) std::memcpy(&result, &met.values[from], sizeof(T));
  return result;
}

}  // namespace emulated_gpus

// -- Functions of the language

inline void __syncthreads() {
  emulated_gpus::meetBlock();
}
inline void __syncwarp(unsigned mask = ~0U) {
  (void)emulated_gpus::meetWarp(mask, 0);
}
inline unsigned __ballot_sync(unsigned mask, bool is) {
  const auto met = emulated_gpus::meetWarp(mask, is ? 1 : 0);
  unsigned bits = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((met.who >> lane & 1) != 0 && met.values[lane] != 0) bits |= 1U << lane;
  return bits;
}
inline bool __any_sync(unsigned mask, bool is) {
  return __ballot_sync(mask, is) != 0;
}
inline bool __all_sync(unsigned mask, bool is) {
  return __ballot_sync(mask, !is) == 0;
}
/// Each thread goes by itself, as far as anyone can know.
inline unsigned __activemask() {
  return 1U << emulated_gpus::laneOfThread();
}
template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  const auto own = static_cast<int>(emulated_gpus::laneOfThread());
  return emulated_gpus::shuffle(mask, value,
                                static_cast<unsigned>(own / width * width + lane % width));
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, int distance, int width = 32) {
  const auto own = static_cast<int>(emulated_gpus::laneOfThread());
  const bool is = own % width + distance < width;
  return emulated_gpus::shuffle(mask, value, static_cast<unsigned>(is ? own + distance : own));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, int distance, int width = 32) {
  const auto own = static_cast<int>(emulated_gpus::laneOfThread());
  const bool is = own % width >= distance;
  return emulated_gpus::shuffle(mask, value, static_cast<unsigned>(is ? own - distance : own));
}
[[noreturn]] inline void __trap() {
  emulated_gpus::trap();
}
inline void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_system() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
template <class T>
T __ldcg(const T* at) {
  return *const_cast<const volatile T*>(at);
}
inline uint4 __ldcg(const uint4* at) {
  return *at;
}
inline bool __isGlobal(const void*) {
  return true;
}
template <class T>
T __ldg(const T* at) {
  return *at;
}

template <class T>
T atomicAdd(T* at, std::type_identity_t<T> value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
template <class T>
T atomicExch(T* at, std::type_identity_t<T> value) {
  return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
template <class T>
T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <class T>
T atomicCAS_system(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return atomicCAS(at, expected, value);
}

inline int __popc(unsigned number) {
  return std::popcount(number);
}
inline int __ffs(int number) {
  return __builtin_ffs(number);
}
inline int __clz(int number) {
  return std::countl_zero(static_cast<unsigned>(number));
}
inline int __clzll(long long number) {
  return std::countl_zero(static_cast<unsigned long long>(number));
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, int shift) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) << shift >> 32);
}
inline unsigned __float_as_uint(float value) {
  return std::bit_cast<unsigned>(value);
}
inline int max(int a, int b) {
  return a < b ? b : a;
}
inline int min(int a, int b) {
  return b < a ? b : a;
}

// -- The runtime

enum cudaError_t {
  cudaSuccess,
  cudaErrorInvalidValue,
  cudaErrorMemoryAllocation,
  cudaErrorInsufficientDriver,
  cudaErrorNoDevice,
  cudaErrorNotReady,
  cudaErrorPeerAccessAlreadyEnabled,
  cudaErrorLaunchFailure,
  cudaErrorAssert,
  cudaErrorContextIsDestroyed,
  cudaErrorDevicesUnavailable,
  cudaErrorECCUncorrectable,
  cudaErrorHardwareStackError,
  cudaErrorIllegalAddress,
  cudaErrorIllegalInstruction,
  cudaErrorInvalidAddressSpace,
  cudaErrorInvalidPc,
  cudaErrorLaunchTimeout,
  cudaErrorMisalignedAddress,
  cudaErrorNvlinkUncorrectable,
};
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);
cudaError_t cudaGetLastError();

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
using cudaGraph_t = struct CUgraph_st*;
using cudaGraphExec_t = struct CUgraphExec_st*;

struct cudaDeviceProp {
  char name[256];
  int major, minor;
};
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrMaxSharedMemoryPerBlockOptin,
  cudaDevAttrCooperativeLaunch,
  cudaDevAttrComputeCapabilityMajor,
  cudaDevAttrComputeCapabilityMinor,
};
struct cudaFuncAttributes {
  std::size_t sharedSizeBytes, localSizeBytes;
  int numRegs, ptxVersion, binaryVersion;
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaMemcpyKind {
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal };
inline constexpr unsigned cudaStreamNonBlocking = 1, cudaEventDefault = 0,
                          cudaEventDisableTiming = 2, cudaHostAllocPortable = 1,
                          cudaHostAllocMapped = 2;

cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaMalloc(void** address, std::size_t bytes);
template <class T>
cudaError_t cudaMalloc(T** address, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(address), bytes);
}
cudaError_t cudaFree(void* address);
cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned flags);
template <class T>
cudaError_t cudaMallocHost(T** address, std::size_t bytes) {
  return cudaHostAlloc(reinterpret_cast<void**>(address), bytes, 0);
}
cudaError_t cudaFreeHost(void* address);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemcpyPeerAsync(void* to, int toDevice, const void* from, int fromDevice,
                                std::size_t bytes, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* at, int value, std::size_t bytes, cudaStream_t stream);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop);

template <class F>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, F*) {
  *attributes = {0, 0, 32, 80, 80};
  return cudaSuccess;
}
template <class F>
cudaError_t cudaFuncSetAttribute(F*, cudaFuncAttribute, int) {
  return cudaSuccess;
}
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F*, int, std::size_t) {
  *blocks = 2;
  return cudaSuccess;
}

enum cudaLaunchAttributeID {
  cudaLaunchAttributeProgrammaticStreamSerialization,
  cudaLaunchAttributeCooperative
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    int programmaticStreamSerializationAllowed, cooperative;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

namespace emulated_gpus {

/// Queues a kernel: `thread` is what each thread of the grid does.
cudaError_t launch(const cudaLaunchConfig_t& config, std::function<void()> thread);

}  // namespace emulated_gpus

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  std::tuple<std::decay_t<Parameters>...> values(std::forward<Arguments>(arguments)...);
  return emulated_gpus::launch(*config, [kernel, values] { std::apply(kernel, values); });
}
