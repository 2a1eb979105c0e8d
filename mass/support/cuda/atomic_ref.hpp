#pragma once

// Atomic accesses of kernels. Only for sources that nvcc compiles. The headers of libcu++ with
// cuda::atomic_ref take nvcc 1.6 s for each source.

namespace mass::detail {

/// Threads between which an atomic access is ordered.
enum class AtomicScope : int {
  device = __NV_THREAD_SCOPE_DEVICE,
  system = __NV_THREAD_SCOPE_SYSTEM
};

/// Atomic accesses to a number in global memory, with the memory order of their names.
template <class T, AtomicScope scope>
class AtomicRef {
 public:
  __device__ explicit AtomicRef(T& at) : at_(&at) {}

  __device__ T loadRelaxed() const {
    return __nv_atomic_load_n(at_, __NV_ATOMIC_RELAXED, static_cast<int>(scope));
  }
  __device__ T loadAcquire() const {
    return __nv_atomic_load_n(at_, __NV_ATOMIC_ACQUIRE, static_cast<int>(scope));
  }
  __device__ void storeRelaxed(T value) const {
    __nv_atomic_store_n(at_, value, __NV_ATOMIC_RELAXED, static_cast<int>(scope));
  }
  __device__ void storeRelease(T value) const {
    __nv_atomic_store_n(at_, value, __NV_ATOMIC_RELEASE, static_cast<int>(scope));
  }
  /// Adds a number, acquire and release. @return the sum before
  __device__ T fetchAdd(T value) const {
    return __nv_atomic_fetch_add(at_, value, __NV_ATOMIC_ACQ_REL, static_cast<int>(scope));
  }

 private:
  T* at_;
};

}  // namespace mass::detail
