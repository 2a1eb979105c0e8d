#pragma once

// Replaces mass/support/cuda/atomic_ref.hpp: the same functions of one scope.

namespace mass::detail {

enum class AtomicScope { device, system };

template <class T, AtomicScope>
class AtomicRef {
 public:
  explicit AtomicRef(T& at) : at_(&at) {}

  /// A loop of loads must let other threads run.
  T loadRelaxed() const {
    emulated_gpus::relax();
    return __atomic_load_n(at_, __ATOMIC_RELAXED);
  }
  T loadAcquire() const {
    emulated_gpus::relax();
    return __atomic_load_n(at_, __ATOMIC_ACQUIRE);
  }
  void storeRelaxed(T value) const { __atomic_store_n(at_, value, __ATOMIC_RELAXED); }
  void storeRelease(T value) const { __atomic_store_n(at_, value, __ATOMIC_RELEASE); }
  T fetchAdd(T value) const { return __atomic_fetch_add(at_, value, __ATOMIC_ACQ_REL); }

 private:
  T* at_;
};

}  // namespace mass::detail
