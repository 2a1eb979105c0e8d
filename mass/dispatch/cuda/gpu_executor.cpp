#include <mass/dispatch/gpu_executor.hpp>

#include <mass/dispatch/candidate_timer.hpp>
#include <mass/dispatch/cuda/device_batch.hpp>
#include <mass/dispatch/cuda/launch_tuner.hpp>
#include <mass/dispatch/cuda/overlapped_steps.hpp>
#include <mass/dispatch/cuda/shared_flag.hpp>
#include <mass/dispatch/cuda/transport_selector.hpp>
#include <mass/dispatch/first_failure.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

namespace mass::detail {
namespace {

/// Results of reading rules are brought to the host in pieces of so many bytes.
constexpr std::size_t resultPieceBytes = std::size_t{256} << 20;
/// Steps by which an exchange is tried: even, so that the buffers are the right way round again.
constexpr std::int64_t stepsPerCandidate = 16;
/// Steps of rules that send that are timed: even, too.
constexpr std::int64_t stepsTimed = 8;
/// A host is up to twice so many steps ahead of its GPU. With more, the driver would keep it
/// waiting where it does not hear that another GPU has failed.
constexpr std::int64_t stepsAhead = 16;
/// When the first part of a round fails, as a FirstFailure counts; what follows is at the steps.
constexpr std::int64_t beforeSteps = -1;

using DeviceBatches = std::vector<DeviceBatch>;

class GpuExecutor : public Executor {
 public:
  GpuExecutor(const DeviceConfig& devices, const GpuOptions& options);

  BatchResult run(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch) override;
  void refresh(const PlaceFields& fields, const std::vector<int>& components) override;
  void restoreLayout(const PlaceFields& fields) override;

 private:
  /// A rule in a world, for which exchanges are tried.
  using TimerKey = std::tuple<const GpuKernel*, std::array<std::int64_t, 3>>;

  void requireReach(std::string_view what, std::string_view orElse = "") const;
  BatchResult runBy(HaloMode exchange, const PlaceFields& fields, const Kernel& kernel,
                    const StepBatch& batch);
  GpuHaloExchange& prepared(HaloMode exchange, const PlaceFields& fields, const Kernel& kernel);
  void runOverlapped(const OverlappedSteps& steps, const GpuHaloExchange& exchange,
                     const StepBatch& batch, const LaunchShape& shape, const Worker& worker,
                     FirstFailure& failure) const;
  void measureReplay(const Kernel& kernel, const DeviceBatch& mine, const StepBatch& batch,
                     const LaunchShape& shape, const Worker& worker) const;
  std::int64_t measureInPlace(const Kernel& kernel, const DeviceBatch& mine, const StepBatch& batch,
                              const LaunchShape& shape, const Worker& worker,
                              FirstFailure& failure) const;
  void readResults(const Kernel& kernel, const DeviceBatch& batch, std::int64_t firstRow) const;
  void attempt(FirstFailure& failure, const Worker& worker, std::int64_t moment,
               const std::function<void()>& work) const;
  template <class Query>
  void await(const Query& query, const GpuHaloExchange& exchange, int device) const;
  void finish(cudaStream_t stream, const GpuHaloExchange& exchange, int device) const;
  std::exception_ptr failureOf(const FirstFailure& failure) const;

  const DeviceConfig* devices_;
  SharedFlag failed_;
  TransportSelector transports_;
  GpuResourcesByDevice resources_;
  LaunchTuner tuner_;
  std::map<TimerKey, CandidateTimer> timers_;
};

GpuExecutor::GpuExecutor(const DeviceConfig& devices, const GpuOptions& options)
    : devices_(&devices), transports_(devices, options.mode), tuner_(options.tile) {
  for (int device = 0; device < devices.size(); ++device) {
    resources_.push_back(std::make_unique<GpuResources>(
        static_cast<CudaDevice&>(devices.device(device)), devices.size()));
  }
}

/// Runs a round by the exchange that is fastest for it, which is found by taking each for some
/// steps.
BatchResult GpuExecutor::run(const PlaceFields& fields, const Kernel& kernel,
                             const StepBatch& batch) {
  if (kernel.gpu == nullptr) {
    throw UsageError(
        "this model was compiled for CPUs only: compile its sources with nvcc (in CMake: "
        "mass_gpu_sources(<target>)), or set 'backend' to cpu");
  }
  if (kernel.sends) {
    requireReach("places that send codes need");
    constexpr std::int64_t mostLines = std::int64_t{1} << 22;  // that kernels divide by exactly
    if (fields.layout(0).lines >= mostLines) {
      throw UsageError("on GPUs, places that send codes have fewer than {} lines in a row",
                       mostLines);
    }
    return runBy(HaloMode::store, fields, kernel, batch);
  }
  if (batch.streamsInPlace) {
    requireReach("what is streamed moves in place only on", ", or set 'streaming' to two_buffers");
    if (fields.layout(0).lines > maxAaLines) {
      throw UsageError(
          "on GPUs, what is streamed moves in place in rows of up to {} lines: set 'streaming' to "
          "two_buffers",
          maxAaLines);
    }
    Kernel moving = kernel;
    moving.gpu = kernel.moving->gpu;
    return runBy(HaloMode::store, fields, moving, batch);
  }
  if (kernel.written.empty() && kernel.results == nullptr) {  // a rule that changes nothing
    if (!batch.stale.empty()) refresh(fields, batch.stale);
    return {.steps = batch.steps};
  }
  if (!batch.exchanges || devices_->size() == 1 || kernel.written.empty()) {
    return runBy(HaloMode::store, fields, kernel, batch);
  }
  const std::vector<HaloMode>& choices = transports_.choices();
  CandidateTimer& timer =
      timers_.try_emplace({kernel.gpu, fields.domain().shape}, choices.size()).first->second;
  BatchResult result;
  StepBatch part = batch;
  while (result.steps < batch.steps && !result.failure) {
    part.firstStep = result.steps;
    part.steps = batch.steps - result.steps;
    if (!timer.decided()) part.steps = std::min(part.steps, stepsPerCandidate);
    const auto start = std::chrono::steady_clock::now();
    const HaloMode exchange = choices[static_cast<std::size_t>(timer.candidate())];
    BatchResult partly = runBy(exchange, fields, kernel, part);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    timer.record(time.count() / static_cast<double>(part.steps));
    partly.steps += result.steps;
    result = partly;
    part.stale.clear();
  }
  return result;
}

/// Throws where devices have to store into each other's memory and cannot.
void GpuExecutor::requireReach(std::string_view what, std::string_view orElse) const {
  if (devices_->size() == 1 || transports_.choices().front() == HaloMode::store) return;
  throw DeviceError(
      "{} GPUs that reach each other's memory, with 'exchange' set to store or auto: use one GPU{}",
      what, orElse);
}

/// Does a part of a round; what it throws fails the round, and other devices stop waiting. Every
/// barrier is followed by a later moment: a thread that is still to ask what failed up to the
/// barrier must not hear of what fails after it, or it would miss the next barrier.
void GpuExecutor::attempt(FirstFailure& failure, const Worker& worker, std::int64_t moment,
                          const std::function<void()>& work) const {
  try {
    const cuda::Current current(
        static_cast<CudaDevice&>(devices_->device(worker.device())).ordinal());
    work();
  } catch (...) {
    failure.record(moment, worker);
    failed_.raise();
  }
}

/// Waits until what is asked for is done; ends what it waits for when another device has failed.
template <class Query>
void GpuExecutor::await(const Query& query, const GpuHaloExchange& exchange, int device) const {
  cudaError_t status = cudaErrorNotReady;
  while ((status = query()) == cudaErrorNotReady) {
    if (failed_.raised()) exchange.abort(device);
    std::this_thread::yield();
  }
  cuda::check(status, "a step");
}

void GpuExecutor::finish(cudaStream_t stream, const GpuHaloExchange& exchange, int device) const {
  await([=] { return cudaStreamQuery(stream); }, exchange, device);
}

std::exception_ptr GpuExecutor::failureOf(const FirstFailure& failure) const {
  if (failure.exception()) return failure.exception();
  if (!failed_.raised()) return nullptr;
  return std::make_exception_ptr(
      DeviceError("a GPU did not finish its part of a step within a minute: the others have "
                  "stopped waiting"));
}

BatchResult GpuExecutor::runBy(HaloMode way, const PlaceFields& fields, const Kernel& kernel,
                               const StepBatch& batch) {
  const bool stores = way == HaloMode::store;
  DeviceBatches batches;
  for (int device = 0; device < devices_->size(); ++device) {
    batches.emplace_back(fields, kernel, batch, device, resources_, stores, failed_.address());
  }
  failed_.clear();
  if (!batch.stale.empty()) refresh(fields, batch.stale);
  FirstFailure failure;
  GpuHaloExchange* const exchange = stores ? nullptr : &prepared(way, fields, kernel);
  LaunchShape shape;
  // Kernels of GPUs that exchange ghosts may wait for each other inside.
  const bool waits = batch.exchanges && !kernel.written.empty() && devices_->size() > 1;
  std::vector<std::uint64_t> overflowedWords(batches.size()), lost(batches.size());
  devices_->run([&](const Worker& worker) {
    const int device = worker.device();
    DeviceBatch& mine = batches[static_cast<std::size_t>(device)];
    attempt(failure, worker, beforeSteps, [&] {
      mine.prepare();
      mine.resources().device().synchronize();
      if (device == 0) shape = tuner_.shapeFor(kernel, batches, batch.streamsInPlace);
    });
    worker.barrier();
    if (failure.hasFailedBy(beforeSteps)) return;
    std::int64_t taken = 0;
    if (waits && batch.times != nullptr) {
      if (kernel.sends || batch.streamsInPlace) {
        taken = measureInPlace(kernel, mine, batch, shape, worker, failure);
        if (failure.hasFailedBy(taken - 1)) return;
      } else {
        attempt(failure, worker, 0, [&] { measureReplay(kernel, mine, batch, shape, worker); });
      }
    }
    if (exchange != nullptr) {
      runOverlapped({batches, *exchange}, *exchange, batch, shape, worker, failure);
      return;
    }
    WorkTimer timer(waits ? nullptr : batch.times, worker);
    timer.start();
    attempt(failure, worker, taken, [&] {
      if (kernel.written.empty()) {
        readResults(kernel, mine, fields.partition().range(device).begin);
      } else {
        queueDirectStoreSteps(mine, batch.steps - taken, shape);
        mine.resources().device().synchronize();
      }
      if (kernel.sends) {
        const GpuResources& resources = mine.resources();
        overflowedWords[static_cast<std::size_t>(device)] =
            resources.read(resources.overflowedWords());
        lost[static_cast<std::size_t>(device)] = resources.read(resources.lost());
      }
    });
    timer.stop();
  });
  const std::exception_ptr exception = failureOf(failure);
  return {exception ? 0 : batch.steps, batch.exchanges && !kernel.sends,
          std::reduce(overflowedWords.begin(), overflowedWords.end()),
          std::reduce(lost.begin(), lost.end()), exception};
}

void GpuExecutor::refresh(const PlaceFields& fields, const std::vector<int>& components) {
  GpuHaloExchange& exchange = transports_.refreshTransport();
  exchange.prepare({haloMessages(fields, ghostFields(fields, components, 0)), {}});
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    const int device = worker.device();
    cudaStream_t stream = resources_[static_cast<std::size_t>(device)]->stream();
    attempt(failure, worker, beforeSteps, [&] {
      exchange.send(device, 0, stream);
      finish(stream, exchange, device);
    });
    worker.barrier();
    if (failure.hasFailedBy(beforeSteps)) return;
    attempt(failure, worker, 0, [&] {
      exchange.receive(device, 0, stream);
      finish(stream, exchange, device);
    });
  });
  if (failure.exception()) std::rethrow_exception(failure.exception());
}

void GpuExecutor::restoreLayout(const PlaceFields& fields) {
  Kernel kernel;
  kernel.gpu = fields.aaKernel->gpuRestoreLayout;
  const StepBatch batch{.streamsInPlace = true};
  DeviceBatches batches;
  for (int device = 0; device < devices_->size(); ++device)
    batches.emplace_back(fields, kernel, batch, device, resources_, true, failed_.address());
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    DeviceBatch& mine = batches[static_cast<std::size_t>(worker.device())];
    attempt(failure, worker, beforeSteps, [&] {
      mine.prepare();
      const GpuResources& resources = mine.resources();
      mine.queue(0, {0, mine.layout().rows}, {}, resources.stream());
      resources.device().synchronize();
    });
  });
  if (failure.exception()) std::rethrow_exception(failure.exception());
}

/// Adds what a device works in a round whose kernels wait for other devices: all of its steps take
/// as long as one that is run by itself, between two looks at the times.
void GpuExecutor::measureReplay(const Kernel& kernel, const DeviceBatch& mine,
                                const StepBatch& batch, const LaunchShape& shape,
                                const Worker& worker) const {
  const double seconds = batch.times->ofStep(worker.device(), kernel.gpu, [&] {
    constexpr int runs = 2;
    mine.millisecondsAlone(shape, 1);  // loads the code
    return mine.millisecondsAlone(shape, runs) / 1000;
  });
  batch.times->add(worker, seconds * static_cast<double>(batch.steps));
}

/// The same for a rule whose steps cannot be run twice, as it sends codes or moves in place: the
/// first ones of the round are taken by all devices together, so that none waits inside, and not
/// once more until the next look. Returns how many were.
std::int64_t GpuExecutor::measureInPlace(const Kernel& kernel, const DeviceBatch& mine,
                                         const StepBatch& batch, const LaunchShape& shape,
                                         const Worker& worker, FirstFailure& failure) const {
  const int device = worker.device();
  const std::int64_t steps =
      batch.times->knows(device, kernel.gpu) ? 0 : std::min(batch.steps, stepsTimed);
  double seconds = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    attempt(failure, worker, step, [&] {
      const double now = mine.millisecondsOf(step, shape) / 1000;
      seconds = step == 0 ? now : std::min(seconds, now);
    });
    worker.barrier();
    if (failure.hasFailedBy(step)) return step + 1;
  }
  if (steps > 0) attempt(failure, worker, steps, [&] { mine.countSteps(steps); });
  seconds = batch.times->ofStep(device, kernel.gpu, [&] { return seconds; });
  batch.times->add(worker, seconds * static_cast<double>(batch.steps));
  return steps;
}

/// An exchange that is ready for the ghosts of what a rule writes.
GpuHaloExchange& GpuExecutor::prepared(HaloMode exchange, const PlaceFields& fields,
                                       const Kernel& kernel) {
  GpuHaloExchange& transport = transports_.transport(exchange);
  // What step s sends is in the buffer that step s + 1 reads.
  transport.prepare({haloMessages(fields, ghostFields(fields, kernel.written, 1)),
                     haloMessages(fields, ghostFields(fields, kernel.written, 0))});
  return transport;
}

void GpuExecutor::runOverlapped(const OverlappedSteps& steps, const GpuHaloExchange& exchange,
                                const StepBatch& batch, const LaunchShape& shape,
                                const Worker& worker, FirstFailure& failure) const {
  const int device = worker.device();
  const GpuResources& resources = *resources_[static_cast<std::size_t>(device)];
  for (std::int64_t step = 0; step < batch.steps; ++step) {
    attempt(failure, worker, step, [&] {
      if (step % stepsAhead == 0) {
        if (step > 0) await([&] { return cudaEventQuery(resources.mark()); }, exchange, device);
        MASS_CUDA_CALL(cudaEventRecord(resources.mark(), resources.borderStream()));
      }
      steps.queue(step, shape, device);
    });
    worker.barrier();  // events are recorded before others wait for them
    if (failure.hasFailedBy(step)) break;
  }
  attempt(failure, worker, batch.steps, [&] {
    if (!failure.hasFailedBy(batch.steps)) steps.queueEnd(batch.steps, device);
    finish(resources.borderStream(), exchange, device);
  });
  if (failed_.raised()) exchange.abort(device);
}

/// Brings the values of a reading rule to the host.
void GpuExecutor::readResults(const Kernel& kernel, const DeviceBatch& batch,
                              std::int64_t firstRow) const {
  CudaDevice& device = batch.resources().device();
  const std::int64_t rows = batch.layout().rows;
  const auto most = static_cast<std::int64_t>(
      std::max<std::size_t>(resultPieceBytes / kernel.resultBytesPerRow, 1));
  const Buffer results(device,
                       static_cast<std::size_t>(std::min(most, rows)) * kernel.resultBytesPerRow);
  for (std::int64_t row = 0; row < rows; row += most) {
    const RowRange piece{row, std::min(rows, row + most)};
    batch.queueReading(piece, results.data());
    const auto bytes = static_cast<std::size_t>(piece.size()) * kernel.resultBytesPerRow;
    device.read(results.data(), 1, contiguous(0, static_cast<std::int64_t>(bytes)),
                static_cast<char*>(kernel.results) +
                    static_cast<std::size_t>(firstRow + row) * kernel.resultBytesPerRow);
  }
}

}  // namespace

std::unique_ptr<Executor> makeGpuExecutor(const DeviceConfig& devices, const GpuOptions& options) {
  return std::make_unique<GpuExecutor>(devices, options);
}

}  // namespace mass::detail
