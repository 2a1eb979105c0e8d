#include <mass/dispatch/gpu_executor.hpp>

#include <mass/dispatch/cuda/device_round.hpp>
#include <mass/dispatch/cuda/graph.hpp>
#include <mass/dispatch/failure.hpp>
#include <mass/dispatch/tuning.hpp>
#include <mass/exchange/cuda/gpu_exchange.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <utility>

namespace mass {
namespace {

/// Steps in a CUDA graph: even, so that the buffers are the right way round again, and many enough
/// for its launch to cost little a step.
constexpr std::int64_t stepsInGraph = 32;
/// Rounds of fewer steps are not worth making a graph.
constexpr std::int64_t leastStepsForGraph = 4 * stepsInGraph;
/// Places on a device above which a step takes longer than its launch.
constexpr std::int64_t mostPlacesForGraph = std::int64_t{1} << 23;
/// Results of reading rules are brought to the host in pieces of so many bytes.
constexpr std::size_t resultPieceBytes = std::size_t{256} << 20;
/// How long each tile shape is tried, about.
constexpr double millisecondsPerMeasurement = 1;

/// A number in the host's memory that GPUs can read and write.
class SharedFlag {
 public:
  SharedFlag() {
    MASS_CUDA_CALL(
        cudaHostAlloc(&value_, sizeof(int), cudaHostAllocPortable | cudaHostAllocMapped));
    clear();
  }
  ~SharedFlag() { (void)cudaFreeHost(value_); }
  SharedFlag(const SharedFlag&) = delete;
  SharedFlag& operator=(const SharedFlag&) = delete;

  int* address() const { return static_cast<int*>(value_); }
  void raise() const { std::atomic_ref(*address()).store(1); }
  void clear() const { std::atomic_ref(*address()).store(0); }
  bool raised() const { return std::atomic_ref(*address()).load() != 0; }

 private:
  void* value_ = nullptr;
};

class GpuExecutor : public Executor {
 public:
  GpuExecutor(const DeviceConfig& devices, const GpuOptions& options);

  Outcome run(const PlaceFields& fields, const Kernel& kernel, const Round& round) override;

 private:
  using Rounds = std::vector<DeviceRound>;

  Exchange exchangeFor(const Round& round) const;
  void refreshStale(const PlaceFields& fields, const Round& round, const Worker& worker) const;
  TileShape tileFor(const Kernel& kernel, const DeviceRound& round);
  TileShape measureTile(const Kernel& kernel, const DeviceRound& round) const;
  void runStoring(const DeviceRound& round, std::int64_t steps, const TileShape& shape) const;
  void runOverlapped(const Rounds& rounds, GpuExchange& exchange, std::int64_t steps,
                     const TileShape& shape, const Worker& worker, Failure& failure) const;
  void queueOverlapped(const Rounds& rounds, GpuExchange& exchange, std::int64_t step,
                       const TileShape& shape, int device) const;
  void readResults(const Kernel& kernel, const DeviceRound& round, std::int64_t firstRow) const;
  void attempt(Failure& failure, const Worker& worker, const std::function<void()>& work) const;

  const DeviceConfig* devices_;
  GpuOptions options_;
  bool allPeers_ = true;
  SharedFlag abandoned_;
  Stations stations_;
  TileCache tiles_;
  std::map<std::string, TileShape> measured_;
};

bool canReach(const DeviceConfig& devices) {
  for (int a = 0; a < devices.size(); ++a) {
    for (int b = 0; b < devices.size(); ++b) {
      int can = 1;
      const int from = static_cast<CudaDevice&>(devices.device(a)).ordinal();
      const int to = static_cast<CudaDevice&>(devices.device(b)).ordinal();
      if (a != b) MASS_CUDA_CALL(cudaDeviceCanAccessPeer(&can, from, to));
      if (can == 0) return false;
    }
  }
  return true;
}

GpuExecutor::GpuExecutor(const DeviceConfig& devices, const GpuOptions& options)
    : devices_(&devices), options_(options), allPeers_(canReach(devices)) {
  for (int device = 0; device < devices.size(); ++device) {
    stations_.push_back(std::make_unique<Station>(static_cast<CudaDevice&>(devices.device(device)),
                                                  devices.size()));
  }
  if (!allPeers_ && options.exchange == Exchange::store) {
    throw DeviceError(
        "exchange: store needs GPUs that can reach each other's memory, and these cannot: set "
        "'exchange' to host or auto");
  }
  if (!allPeers_ && options.exchange == Exchange::automatic) {
    fmt::print(stderr,
               "mass: the GPUs cannot reach each other's memory; ghosts go through the host\n");
  }
}

Exchange GpuExecutor::exchangeFor(const Round& round) const {
  if (!round.exchanges || devices_->size() == 1) return Exchange::store;
  if (options_.exchange != Exchange::automatic) return options_.exchange;
  return allPeers_ ? Exchange::store : Exchange::host;
}

/// Does a part of a round; what it throws fails the round, and other devices stop waiting.
void GpuExecutor::attempt(Failure& failure, const Worker& worker,
                          const std::function<void()>& work) const {
  try {
    const cuda::Current current(
        static_cast<CudaDevice&>(devices_->device(worker.device())).ordinal());
    work();
  } catch (...) {
    failure.record(0, worker);
    abandoned_.raise();
  }
}

Outcome GpuExecutor::run(const PlaceFields& fields, const Kernel& kernel, const Round& round) {
  if (kernel.gpu == nullptr) {
    throw UsageError(
        "this model was compiled for CPUs only: compile its sources with nvcc (in CMake: "
        "mass_gpu_sources(<target>)), or set 'backend' to cpu");
  }
  const Exchange exchange = exchangeFor(round);
  Rounds rounds;
  for (int device = 0; device < devices_->size(); ++device) {
    rounds.emplace_back(fields, kernel, round, device, stations_, exchange == Exchange::store,
                        abandoned_.address());
  }
  std::unique_ptr<GpuExchange> overlapped;
  if (exchange != Exchange::store) {
    GpuExchange::Messages messages;
    // What step s sends is in the buffer that step s + 1 reads.
    for (int parity = 0; parity < 2; ++parity) {
      messages[static_cast<std::size_t>(parity)] =
          ghostMessages(fields, ghostFields(fields, kernel.written, 1 - parity));
    }
    overlapped = exchange == Exchange::host ? hostExchange(fields, std::move(messages))
                                            : copyExchange(fields, std::move(messages));
  }

  abandoned_.clear();
  Failure failure;
  TileShape shape;
  devices_->run([&](const Worker& worker) {
    const auto device = static_cast<std::size_t>(worker.device());
    const DeviceRound& mine = rounds[device];
    attempt(failure, worker, [&] {
      mine.upload();
      refreshStale(fields, round, worker);
      mine.station().device().synchronize();
    });
    worker.barrier();
    if (device == 0 && !failure.by(0)) {
      attempt(failure, worker, [&] { shape = tileFor(kernel, mine); });
    }
    worker.barrier();
    if (failure.by(0)) return;
    if (kernel.written.empty()) {
      attempt(failure, worker,
              [&] { readResults(kernel, mine, fields.partition().range(worker.device()).begin); });
    } else if (overlapped) {
      runOverlapped(rounds, *overlapped, round.steps, shape, worker, failure);
    } else {
      attempt(failure, worker, [&] { runStoring(mine, round.steps, shape); });
    }
  });
  std::exception_ptr exception = failure.exception();
  if (!exception && abandoned_.raised()) {
    exception =
        std::make_exception_ptr(DeviceError("a GPU did not finish its part of a step within a "
                                            "minute: the others have stopped waiting"));
  }
  const bool fresh = round.exchanges && exchange == Exchange::store;
  return {exception ? 0 : round.steps, fresh || overlapped != nullptr, exception};
}

void GpuExecutor::refreshStale(const PlaceFields& fields, const Round& round,
                               const Worker& worker) const {
  const auto messages = ghostMessages(fields, ghostFields(fields, round.stale, 0));
  copyExchange(fields, {messages, {}})
      ->send(worker.device(), 0, stations_[static_cast<std::size_t>(worker.device())]->stream());
}

/// A name for a rule in a world on a GPU, the same as long as the best tile shape should be.
std::string tileKey(const GpuKernel& kernel, const DeviceRound& round) {
  std::string key = round.station().device().name() + '|' + kernel.name;
  const Layout& layout = round.layout();
  key += fmt::format("|{}x{}x{}", layout.rows, layout.lines, layout.columns);
  for (const int width : {1, 4}) {
    for (const int rows : {1, 2, 4, 8, 16}) {
      const void* const function = kernel.function(rows, width);
      if (function == nullptr) continue;
      cudaFuncAttributes attributes{};
      MASS_CUDA_CALL(cudaFuncGetAttributes(&attributes, function));
      key += fmt::format("|{}:{}:{}", attributes.binaryVersion, attributes.numRegs,
                         attributes.localSizeBytes);
    }
  }
  return key;
}

TileShape GpuExecutor::tileFor(const Kernel& kernel, const DeviceRound& round) {
  if (kernel.written.empty()) return {};
  const auto orSimple = [&](const TileShape& shape) {
    return fits(shape, *kernel.gpu, round.layout()) ? shape
                                                    : TileShape{1, 1, shape.columns, shape.groups};
  };
  if (options_.tile) return orSimple(*options_.tile);
  TileShape shape = orSimple({1, 4, 128, 1});
  if (kernel.inPlace) return shape;  // running it to measure would change the state
  const std::string key = tileKey(*kernel.gpu, round);
  const auto known = measured_.find(key);
  if (known != measured_.end()) return known->second;
  const auto kept = tiles_.find(key);
  shape = kept ? *kept : measureTile(kernel, round);
  if (!kept) tiles_.remember(key, shape);
  measured_[key] = shape;
  return shape;
}

/// Runs the first step again and again: it reads one buffer and writes the other, so that nothing
/// is changed by doing so.
TileShape GpuExecutor::measureTile(const Kernel& kernel, const DeviceRound& round) const {
  const Station& station = round.station();
  const auto time = [&](const TileShape& shape, int runs) {
    MASS_CUDA_CALL(cudaEventRecord(station.timer(0), station.stream()));
    for (int run = 0; run < runs; ++run) round.queueAlone(shape);
    MASS_CUDA_CALL(cudaEventRecord(station.timer(1), station.stream()));
    MASS_CUDA_CALL(cudaEventSynchronize(station.timer(1)));
    float milliseconds = 0;
    MASS_CUDA_CALL(cudaEventElapsedTime(&milliseconds, station.timer(0), station.timer(1)));
    return static_cast<double>(milliseconds) / runs;
  };
  return fastestTile(*kernel.gpu, round.layout(), [&](const TileShape& shape) {
    time(shape, 1);  // loads the code
    const int runs =
        std::clamp(static_cast<int>(millisecondsPerMeasurement / time(shape, 1)), 2, 50);
    return std::min(time(shape, runs), time(shape, runs));
  });
}

/// All steps without the host: kernels wait for other devices by themselves.
void GpuExecutor::runStoring(const DeviceRound& round, std::int64_t steps,
                             const TileShape& shape) const {
  const Layout& layout = round.layout();
  cudaStream_t stream = round.station().stream();
  const RowRange all{0, layout.rows};
  std::int64_t done = 0;
  if (steps >= leastStepsForGraph && layout.size <= mostPlacesForGraph) {
    const Graph graph(stream, [&] {
      for (std::int64_t step = 0; step < stepsInGraph; ++step) {
        round.queue(step, all, shape, stream);
      }
      queueAdd(round.station().stepsDone(), stepsInGraph, stream);
    });
    for (; done + stepsInGraph <= steps; done += stepsInGraph) graph.launch(stream);
    // The steps that are left count from here.
    steps -= done;
  }
  for (std::int64_t step = 0; step < steps; ++step) round.queue(step, all, shape, stream);
  round.station().device().synchronize();
}

void GpuExecutor::runOverlapped(const Rounds& rounds, GpuExchange& exchange, std::int64_t steps,
                                const TileShape& shape, const Worker& worker,
                                Failure& failure) const {
  for (std::int64_t step = 0; step < steps; ++step) {
    attempt(failure, worker,
            [&] { queueOverlapped(rounds, exchange, step, shape, worker.device()); });
    worker.barrier();  // events are recorded before others wait for them
    if (failure.by(0)) break;
  }
  attempt(failure, worker, [&] {
    // Ghosts are up to date when the round ends.
    const auto device = static_cast<std::size_t>(worker.device());
    const Station& station = rounds[device].station();
    for (const int peer : rounds[device].peers()) {
      MASS_CUDA_CALL(cudaStreamWaitEvent(
          station.borderStream(),
          rounds[static_cast<std::size_t>(peer)].station().ghostsSent(steps - 1)));
    }
    exchange.receive(worker.device(), static_cast<int>((steps - 1) % 2), station.borderStream());
    MASS_CUDA_CALL(cudaStreamSynchronize(station.borderStream()));
    station.device().synchronize();
  });
}

/// Queues a step: the border rows and their way to the other devices on one stream, the interior
/// on the other.
void GpuExecutor::queueOverlapped(const Rounds& rounds, GpuExchange& exchange, std::int64_t step,
                                  const TileShape& shape, int device) const {
  const DeviceRound& mine = rounds[static_cast<std::size_t>(device)];
  const Station& station = mine.station();
  cudaStream_t border = station.borderStream();
  cudaStream_t interior = station.stream();
  if (step > 0) {
    for (const int peer : mine.peers()) {
      MASS_CUDA_CALL(cudaStreamWaitEvent(
          border, rounds[static_cast<std::size_t>(peer)].station().ghostsSent(step - 1)));
    }
    exchange.receive(device, static_cast<int>((step - 1) % 2), border);
    MASS_CUDA_CALL(cudaStreamWaitEvent(border, station.interiorDone(step - 1)));
    MASS_CUDA_CALL(cudaStreamWaitEvent(interior, station.bordersDone(step - 1)));
  }
  const Layout& layout = mine.layout();
  const std::int64_t low = std::min(layout.depth, layout.rows);
  const std::int64_t high = std::max(low, layout.rows - layout.depth);
  mine.queue(step, {0, low}, shape, border);
  mine.queue(step, {high, layout.rows}, shape, border);
  MASS_CUDA_CALL(cudaEventRecord(station.bordersDone(step), border));
  exchange.send(device, static_cast<int>(step % 2), border);
  MASS_CUDA_CALL(cudaEventRecord(station.ghostsSent(step), border));
  mine.queue(step, {low, high}, shape, interior);
  MASS_CUDA_CALL(cudaEventRecord(station.interiorDone(step), interior));
}

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
