#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/dispatch/cuda/shared_flag.hpp>
#include <mass/dispatch/first_failure.hpp>
#include <mass/exchange/halo_transport.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>

namespace mass::detail {

/// Step number by which a FirstFailure records failures before step 0.
inline constexpr std::int64_t beforeSteps = -1;

/// Records failures of the work on the GPUs of this rank, and ends the waits of the other GPUs
/// after one.
class GpuGuard {
 public:
  /// @param devices GPUs of the run; must outlive this
  explicit GpuGuard(const DeviceConfig& devices) : devices_(&devices) {}

  /// Returns the flag in mapped host memory, nonzero if a GPU has failed.
  int* failedFlag() const { return failed_.address(); }
  /// True if a GPU has failed since clear().
  bool hasFailed() const { return failed_.raised(); }
  /// Forgets earlier failures.
  void clear() const { failed_.clear(); }
  /// Calls `work()` with the worker's GPU current. Records an exception as a failure at `step` and
  /// raises the flag by which other devices stop waiting.
  /// @pre `step` is larger than that of any call before the last barrier. A thread that has left
  ///   the barrier late and checks for earlier failures then ignores this one, and does not skip
  ///   the next barrier.
  void run(FirstFailure& failure, const Worker& worker, std::int64_t step,
           const std::function<void()>& work) const;
  /// Polls `query()` until it no longer returns cudaErrorNotReady. Aborts the transfers of the
  /// worker's device if another device has failed.
  void waitFor(const std::function<cudaError_t()>& query, HaloTransport& transport,
               const Worker& worker) const;
  /// Waits for a stream, as above.
  void waitFor(cudaStream_t stream, HaloTransport& transport, const Worker& worker) const;
  /// Exchanges the halos of a round between ranks, if the transport does so on the host.
  /// @pre the worker's device has sent its halos; a barrier follows
  /// @param step number of the failure; larger than before the last barrier
  /// @return false after a failure
  bool exchangeOnHost(HaloTransport& transport, std::size_t round, std::int64_t step,
                      const Worker& worker, FirstFailure& failure) const;
  /// Returns the recorded exception, an error for a timeout inside a kernel, or null.
  std::exception_ptr exceptionOf(const FirstFailure& failure) const;

 private:
  const DeviceConfig* devices_;
  SharedFlag failed_;
};

}  // namespace mass::detail
