#include <mass/dispatch/cuda/gpu_guard.hpp>

#include <mass/backend/cuda/cuda_device.hpp>
#include <mass/support/error.hpp>

#include <thread>

namespace mass::detail {

void GpuGuard::run(FirstFailure& failure, const Worker& worker, std::int64_t step,
                   const std::function<void()>& work) const {
  try {
    const cuda::Current current(
        static_cast<CudaDevice&>(devices_->device(worker.device())).ordinal());
    work();
  } catch (...) {
    failure.record(step, worker);
    failed_.raise();
  }
}

void GpuGuard::waitFor(const std::function<cudaError_t()>& query, HaloTransport& transport,
                       const Worker& worker) const {
  cudaError_t status = cudaErrorNotReady;
  const auto isDone = [&] {
    if (failed_.raised()) transport.abort(worker.device());
    return (status = query()) != cudaErrorNotReady;
  };
  // After a failure, other ranks are not waited for: the abort ends the wait.
  if (devices_->ranks().count() > 1 && worker.isCaller() && !failed_.raised()) {
    devices_->ranks().waitUntil(isDone, transport.awaitedRanks());
  } else {
    while (!isDone()) std::this_thread::yield();
  }
  cuda::check(status, "a step");
}

void GpuGuard::waitFor(cudaStream_t stream, HaloTransport& transport, const Worker& worker) const {
  waitFor([=] { return cudaStreamQuery(stream); }, transport, worker);
}

bool GpuGuard::exchangeOnHost(HaloTransport& transport, std::size_t round, std::int64_t step,
                              const Worker& worker, FirstFailure& failure) const {
  worker.barrier();
  if (failure.hasFailedBy(step)) return false;
  if (!transport.exchangesOnHost()) return true;
  if (worker.isCaller()) run(failure, worker, step + 1, [&] { transport.exchange(round); });
  worker.barrier();
  return !failure.hasFailedBy(step + 1);
}

std::exception_ptr GpuGuard::exceptionOf(const FirstFailure& failure) const {
  if (failure.exception()) return failure.exception();
  if (!failed_.raised()) return nullptr;
  return std::make_exception_ptr(
      DeviceError("timeout: a GPU did not finish a step within a minute, and the other GPUs have "
                  "stopped waiting for it"));
}

}  // namespace mass::detail
