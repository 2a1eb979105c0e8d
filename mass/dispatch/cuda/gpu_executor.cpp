#include <mass/dispatch/gpu_executor.hpp>

#include <mass/dispatch/cuda/device_round.hpp>
#include <mass/dispatch/cuda/exchanges.hpp>
#include <mass/dispatch/cuda/shared_flag.hpp>
#include <mass/dispatch/cuda/steps.hpp>
#include <mass/dispatch/cuda/tile_tuner.hpp>
#include <mass/dispatch/failure.hpp>
#include <mass/dispatch/trial.hpp>
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

namespace mass {
namespace {

/// Results of reading rules are brought to the host in pieces of so many bytes.
constexpr std::size_t resultPieceBytes = std::size_t{256} << 20;
/// Steps by which an exchange is tried: even, so that the buffers are the right way round again.
constexpr std::int64_t stepsOfTrial = 16;
/// Steps of rules that send that are timed: even, too.
constexpr std::int64_t stepsTimed = 8;
/// A host is up to twice so many steps ahead of its GPU. With more, the driver would keep it
/// waiting where it does not hear that another GPU has failed.
constexpr std::int64_t stepsAhead = 16;
/// When the first part of a round fails, as a Failure counts; what follows is at the steps.
constexpr std::int64_t beforeSteps = -1;

using Rounds = std::vector<DeviceRound>;

class GpuExecutor : public Executor {
 public:
  GpuExecutor(const DeviceConfig& devices, const GpuOptions& options);

  Outcome run(const PlaceFields& fields, const Kernel& kernel, const Round& round) override;
  void refresh(const PlaceFields& fields, const std::vector<int>& components) override;
  void settle(const PlaceFields& fields) override;

 private:
  /// A rule in a world, for which exchanges are tried.
  using TrialKey = std::tuple<const GpuKernel*, std::array<std::int64_t, 3>>;

  void requireReach(std::string_view what, std::string_view orElse = "") const;
  Outcome runBy(Exchange exchange, const PlaceFields& fields, const Kernel& kernel,
                const Round& round);
  GpuExchange& prepared(Exchange exchange, const PlaceFields& fields, const Kernel& kernel);
  void runCarried(const CarriedSteps& steps, const GpuExchange& exchange, const Round& round,
                  const TileShape& shape, const Worker& worker, Failure& failure) const;
  void addTime(const Kernel& kernel, const DeviceRound& mine, const Round& round,
               const TileShape& shape, const Worker& worker) const;
  std::int64_t takeTimed(const Kernel& kernel, const DeviceRound& mine, const Round& round,
                         const TileShape& shape, const Worker& worker, Failure& failure) const;
  void readResults(const Kernel& kernel, const DeviceRound& round, std::int64_t firstRow) const;
  void attempt(Failure& failure, const Worker& worker, std::int64_t moment,
               const std::function<void()>& work) const;
  template <class Query>
  void await(const Query& query, const GpuExchange& exchange, int device) const;
  void finish(cudaStream_t stream, const GpuExchange& exchange, int device) const;
  std::exception_ptr failureOf(const Failure& failure) const;

  const DeviceConfig* devices_;
  SharedFlag abandoned_;
  Exchanges exchanges_;
  Stations stations_;
  TileTuner tuner_;
  std::map<TrialKey, Trial> trials_;
};

GpuExecutor::GpuExecutor(const DeviceConfig& devices, const GpuOptions& options)
    : devices_(&devices), exchanges_(devices, options.exchange), tuner_(options.tile) {
  for (int device = 0; device < devices.size(); ++device) {
    stations_.push_back(std::make_unique<Station>(static_cast<CudaDevice&>(devices.device(device)),
                                                  devices.size()));
  }
}

/// Runs a round by the exchange that is fastest for it, which is found by taking each for some
/// steps.
Outcome GpuExecutor::run(const PlaceFields& fields, const Kernel& kernel, const Round& round) {
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
    return runBy(Exchange::store, fields, kernel, round);
  }
  if (round.movesInPlace) {
    requireReach("what is streamed moves in place only on", ", or set 'streaming' to two_buffers");
    if (fields.layout(0).lines > mostLinesInPlace) {
      throw UsageError(
          "on GPUs, what is streamed moves in place in rows of up to {} lines: set 'streaming' to "
          "two_buffers",
          mostLinesInPlace);
    }
    Kernel moving = kernel;
    moving.gpu = kernel.moving->gpu;
    return runBy(Exchange::store, fields, moving, round);
  }
  if (kernel.written.empty() && kernel.results == nullptr) {  // a rule that changes nothing
    if (!round.stale.empty()) refresh(fields, round.stale);
    return {.steps = round.steps};
  }
  if (!round.exchanges || devices_->size() == 1 || kernel.written.empty()) {
    return runBy(Exchange::store, fields, kernel, round);
  }
  const std::vector<Exchange>& choices = exchanges_.choices();
  Trial& trial =
      trials_.try_emplace({kernel.gpu, fields.domain().shape}, choices.size()).first->second;
  Outcome outcome;
  Round part = round;
  while (outcome.steps < round.steps && !outcome.failure) {
    part.firstStep = outcome.steps;
    part.steps = round.steps - outcome.steps;
    if (!trial.decided()) part.steps = std::min(part.steps, stepsOfTrial);
    const auto start = std::chrono::steady_clock::now();
    const Exchange exchange = choices[static_cast<std::size_t>(trial.way())];
    Outcome partly = runBy(exchange, fields, kernel, part);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    trial.record(time.count() / static_cast<double>(part.steps));
    partly.steps += outcome.steps;
    outcome = partly;
    part.stale.clear();
  }
  return outcome;
}

/// Throws where devices have to store into each other's memory and cannot.
void GpuExecutor::requireReach(std::string_view what, std::string_view orElse) const {
  if (devices_->size() == 1 || exchanges_.choices().front() == Exchange::store) return;
  throw DeviceError(
      "{} GPUs that reach each other's memory, with 'exchange' set to store or auto: use one GPU{}",
      what, orElse);
}

/// Does a part of a round; what it throws fails the round, and other devices stop waiting. Every
/// barrier is followed by a later moment: a thread that is still to ask what failed up to the
/// barrier must not hear of what fails after it, or it would miss the next barrier.
void GpuExecutor::attempt(Failure& failure, const Worker& worker, std::int64_t moment,
                          const std::function<void()>& work) const {
  try {
    const cuda::Current current(
        static_cast<CudaDevice&>(devices_->device(worker.device())).ordinal());
    work();
  } catch (...) {
    failure.record(moment, worker);
    abandoned_.raise();
  }
}

/// Waits until what is asked for is done; ends what it waits for when another device has failed.
template <class Query>
void GpuExecutor::await(const Query& query, const GpuExchange& exchange, int device) const {
  cudaError_t status = cudaErrorNotReady;
  while ((status = query()) == cudaErrorNotReady) {
    if (abandoned_.raised()) exchange.abandon(device);
    std::this_thread::yield();
  }
  cuda::check(status, "a step");
}

void GpuExecutor::finish(cudaStream_t stream, const GpuExchange& exchange, int device) const {
  await([=] { return cudaStreamQuery(stream); }, exchange, device);
}

std::exception_ptr GpuExecutor::failureOf(const Failure& failure) const {
  if (failure.exception()) return failure.exception();
  if (!abandoned_.raised()) return nullptr;
  return std::make_exception_ptr(
      DeviceError("a GPU did not finish its part of a step within a minute: the others have "
                  "stopped waiting"));
}

Outcome GpuExecutor::runBy(Exchange way, const PlaceFields& fields, const Kernel& kernel,
                           const Round& round) {
  const bool stores = way == Exchange::store;
  Rounds rounds;
  for (int device = 0; device < devices_->size(); ++device) {
    rounds.emplace_back(fields, kernel, round, device, stations_, stores, abandoned_.address());
  }
  abandoned_.clear();
  if (!round.stale.empty()) refresh(fields, round.stale);
  Failure failure;
  GpuExchange* const exchange = stores ? nullptr : &prepared(way, fields, kernel);
  TileShape shape;
  // Kernels of GPUs that exchange ghosts may wait for each other inside.
  const bool waits = round.exchanges && !kernel.written.empty() && devices_->size() > 1;
  std::vector<std::uint64_t> overflowedWords(rounds.size()), lost(rounds.size());
  devices_->run([&](const Worker& worker) {
    const int device = worker.device();
    DeviceRound& mine = rounds[static_cast<std::size_t>(device)];
    attempt(failure, worker, beforeSteps, [&] {
      mine.prepare();
      mine.station().device().synchronize();
      if (device == 0) shape = tuner_.tileFor(kernel, rounds, round.movesInPlace);
    });
    worker.barrier();
    if (failure.by(beforeSteps)) return;
    std::int64_t taken = 0;
    if (waits && round.times != nullptr) {
      if (kernel.sends || round.movesInPlace) {
        taken = takeTimed(kernel, mine, round, shape, worker, failure);
        if (failure.by(taken - 1)) return;
      } else {
        attempt(failure, worker, 0, [&] { addTime(kernel, mine, round, shape, worker); });
      }
    }
    if (exchange != nullptr) {
      runCarried({rounds, *exchange}, *exchange, round, shape, worker, failure);
      return;
    }
    WorkTimer timer(waits ? nullptr : round.times, worker);
    timer.start();
    attempt(failure, worker, taken, [&] {
      if (kernel.written.empty()) {
        readResults(kernel, mine, fields.partition().range(device).begin);
      } else {
        queueStoring(mine, round.steps - taken, shape);
        mine.station().device().synchronize();
      }
      if (kernel.sends) {
        const Station& station = mine.station();
        overflowedWords[static_cast<std::size_t>(device)] = station.read(station.overflowedWords());
        lost[static_cast<std::size_t>(device)] = station.read(station.lost());
      }
    });
    timer.stop();
  });
  const std::exception_ptr exception = failureOf(failure);
  return {exception ? 0 : round.steps, round.exchanges && !kernel.sends,
          std::reduce(overflowedWords.begin(), overflowedWords.end()),
          std::reduce(lost.begin(), lost.end()), exception};
}

void GpuExecutor::refresh(const PlaceFields& fields, const std::vector<int>& components) {
  GpuExchange& exchange = exchanges_.refreshing();
  exchange.prepare({ghostMessages(fields, ghostFields(fields, components, 0)), {}});
  Failure failure;
  devices_->run([&](const Worker& worker) {
    const int device = worker.device();
    cudaStream_t stream = stations_[static_cast<std::size_t>(device)]->stream();
    attempt(failure, worker, beforeSteps, [&] {
      exchange.send(device, 0, stream);
      finish(stream, exchange, device);
    });
    worker.barrier();
    if (failure.by(beforeSteps)) return;
    attempt(failure, worker, 0, [&] {
      exchange.receive(device, 0, stream);
      finish(stream, exchange, device);
    });
  });
  if (failure.exception()) std::rethrow_exception(failure.exception());
}

void GpuExecutor::settle(const PlaceFields& fields) {
  Kernel kernel;
  kernel.gpu = fields.unsettled->gpuSettle;
  const Round round{.movesInPlace = true};
  Rounds rounds;
  for (int device = 0; device < devices_->size(); ++device)
    rounds.emplace_back(fields, kernel, round, device, stations_, true, abandoned_.address());
  Failure failure;
  devices_->run([&](const Worker& worker) {
    DeviceRound& mine = rounds[static_cast<std::size_t>(worker.device())];
    attempt(failure, worker, beforeSteps, [&] {
      mine.prepare();
      const Station& station = mine.station();
      mine.queue(0, {0, mine.layout().rows}, {}, station.stream());
      station.device().synchronize();
    });
  });
  if (failure.exception()) std::rethrow_exception(failure.exception());
}

/// Adds what a device works in a round whose kernels wait for other devices: all of its steps take
/// as long as one that is run by itself, between two looks at the times.
void GpuExecutor::addTime(const Kernel& kernel, const DeviceRound& mine, const Round& round,
                          const TileShape& shape, const Worker& worker) const {
  const double seconds = round.times->ofStep(worker.device(), kernel.gpu, [&] {
    constexpr int runs = 2;
    mine.millisecondsAlone(shape, 1);  // loads the code
    return mine.millisecondsAlone(shape, runs) / 1000;
  });
  round.times->add(worker, seconds * static_cast<double>(round.steps));
}

/// The same for a rule whose steps cannot be run twice, as it sends codes or moves in place: the
/// first ones of the round are taken by all devices together, so that none waits inside, and not
/// once more until the next look. Returns how many were.
std::int64_t GpuExecutor::takeTimed(const Kernel& kernel, const DeviceRound& mine,
                                    const Round& round, const TileShape& shape,
                                    const Worker& worker, Failure& failure) const {
  const int device = worker.device();
  const std::int64_t steps =
      round.times->knows(device, kernel.gpu) ? 0 : std::min(round.steps, stepsTimed);
  double seconds = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    attempt(failure, worker, step, [&] {
      const double now = mine.millisecondsOf(step, shape) / 1000;
      seconds = step == 0 ? now : std::min(seconds, now);
    });
    worker.barrier();
    if (failure.by(step)) return step + 1;
  }
  if (steps > 0) attempt(failure, worker, steps, [&] { mine.countSteps(steps); });
  seconds = round.times->ofStep(device, kernel.gpu, [&] { return seconds; });
  round.times->add(worker, seconds * static_cast<double>(round.steps));
  return steps;
}

/// An exchange that is ready for the ghosts of what a rule writes.
GpuExchange& GpuExecutor::prepared(Exchange exchange, const PlaceFields& fields,
                                   const Kernel& kernel) {
  GpuExchange& carried = exchanges_.carried(exchange);
  // What step s sends is in the buffer that step s + 1 reads.
  carried.prepare({ghostMessages(fields, ghostFields(fields, kernel.written, 1)),
                   ghostMessages(fields, ghostFields(fields, kernel.written, 0))});
  return carried;
}

void GpuExecutor::runCarried(const CarriedSteps& steps, const GpuExchange& exchange,
                             const Round& round, const TileShape& shape, const Worker& worker,
                             Failure& failure) const {
  const int device = worker.device();
  const Station& station = *stations_[static_cast<std::size_t>(device)];
  for (std::int64_t step = 0; step < round.steps; ++step) {
    attempt(failure, worker, step, [&] {
      if (step % stepsAhead == 0) {
        if (step > 0) await([&] { return cudaEventQuery(station.mark()); }, exchange, device);
        MASS_CUDA_CALL(cudaEventRecord(station.mark(), station.borderStream()));
      }
      steps.queue(step, shape, device);
    });
    worker.barrier();  // events are recorded before others wait for them
    if (failure.by(step)) break;
  }
  attempt(failure, worker, round.steps, [&] {
    if (!failure.by(round.steps)) steps.queueEnd(round.steps, device);
    finish(station.borderStream(), exchange, device);
  });
  if (abandoned_.raised()) exchange.abandon(device);
}

/// Brings the values of a reading rule to the host.
void GpuExecutor::readResults(const Kernel& kernel, const DeviceRound& round,
                              std::int64_t firstRow) const {
  CudaDevice& device = round.station().device();
  const std::int64_t rows = round.layout().rows;
  const auto most = static_cast<std::int64_t>(
      std::max<std::size_t>(resultPieceBytes / kernel.resultBytesPerRow, 1));
  const Buffer results(device,
                       static_cast<std::size_t>(std::min(most, rows)) * kernel.resultBytesPerRow);
  for (std::int64_t row = 0; row < rows; row += most) {
    const RowRange piece{row, std::min(rows, row + most)};
    round.queueReading(piece, results.data());
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

}  // namespace mass
