#include <mass/dispatch/dispatcher.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>

namespace mass {
namespace {

/// The launches of one device for even and odd steps, which differ only in which buffer is read.
struct DeviceLaunches {
  std::vector<const void*> in[2];
  std::vector<void*> out[2];
  Launch launch[2];
};

DeviceLaunches makeLaunches(const PlaceFields& fields, const Kernel& kernel, int device) {
  DeviceLaunches launches;
  for (int parity = 0; parity < 2; ++parity) {
    for (int component = 0; component < fields.components(); ++component) {
      const bool written = std::find(kernel.written.begin(), kernel.written.end(), component) !=
                           kernel.written.end();
      const bool swaps = written && !kernel.inPlace;
      const int front = fields.front(component) ^ (swaps ? parity : 0);
      launches.in[parity].push_back(fields.buffer(component, device, front));
      launches.out[parity].push_back(fields.buffer(component, device, swaps ? 1 - front : front));
    }
    Launch& launch = launches.launch[parity];
    launch.layout = fields.layout(device);
    launch.domain = fields.domain();
    launch.firstRow = fields.partition().range(device).begin;
    launch.arguments = kernel.arguments;
    launch.results = kernel.results;
    if (!kernel.neighborSteps.empty()) {
      const auto& steps = kernel.neighborSteps[static_cast<std::size_t>(device)];
      launch.neighborSteps = steps.data();
      launch.neighborCount = static_cast<int>(steps.size());
    }
  }
  return launches;
}

/// The first failure of a run, by step, then device, then thread: the same one however threads
/// interleave.
class Failure {
 public:
  void record(std::int64_t step, const Worker& worker) {
    const std::scoped_lock lock(mutex_);
    const auto order = std::pair(worker.device(), worker.rank());
    if (step < step_ || (step == step_ && order < order_)) {
      step_ = step;
      order_ = order;
      exception_ = std::current_exception();
    }
  }
  /// Whether a worker failed at this step or before; the same answer for all workers after a
  /// barrier.
  bool by(std::int64_t step) const { return step_ <= step; }
  std::int64_t step() const { return step_; }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::mutex mutex_;
  std::atomic<std::int64_t> step_ = std::numeric_limits<std::int64_t>::max();
  std::pair<int, int> order_;
  std::exception_ptr exception_;
};

std::vector<GhostField> ghostFields(const PlaceFields& fields, const std::vector<int>& components,
                                    int parity) {
  std::vector<GhostField> ghosts;
  for (const int component : components)
    ghosts.push_back({component, fields.front(component) ^ parity});
  return ghosts;
}

std::vector<int> staleComponents(const PlaceFields& fields) {
  std::vector<int> stale;
  for (int component = 0; component < fields.components(); ++component) {
    if (fields.stale(component)) stale.push_back(component);
  }
  return stale;
}

}  // namespace

void Dispatcher::run(PlaceFields& fields, const Kernel& kernel, std::int64_t steps,
                     std::uint64_t seed, std::uint32_t population) const {
  if (kernel.written.empty()) steps = std::min<std::int64_t>(steps, 1);
  if (steps <= 0) return;
  if (!kernel.inPlace) {
    for (const int component : kernel.written) fields.needBack(component);
  }
  std::vector<DeviceLaunches> launches;
  for (int device = 0; device < fields.devices().size(); ++device) {
    launches.push_back(makeLaunches(fields, kernel, device));
  }

  // Ghosts are refreshed only for a rule that reads them: what is stale before the first step, what
  // the rule itself wrote before the others.
  const bool exchanges = kernel.readsNeighbors && !fields.ghostPlan().empty();
  const std::vector<int> stale = exchanges ? staleComponents(fields) : std::vector<int>{};
  const auto first = transport_->prepare(fields, ghostFields(fields, stale, 0));
  std::unique_ptr<GhostExchange> later[2];
  for (int parity = 0; parity < 2 && exchanges; ++parity) {
    later[parity] = transport_->prepare(fields, ghostFields(fields, kernel.written, parity));
  }

  Failure failure;
  const std::uint64_t firstStep = fields.step;
  fields.devices().run([&](const Worker& worker) {
    DeviceLaunches& device = launches[static_cast<std::size_t>(worker.device())];
    const std::int64_t total = units(device.launch[0].layout);
    const std::int64_t begin = total * worker.rank() / worker.size();
    const std::int64_t end = total * (worker.rank() + 1) / worker.size();
    for (std::int64_t step = 0; step < steps; ++step) {
      const auto parity = static_cast<std::size_t>(step % 2);
      if (exchanges) {
        (step == 0 ? first : later[parity])->refresh(worker);
        worker.barrier();
      }
      Launch launch = device.launch[parity];
      launch.in = device.in[parity].data();
      launch.out = device.out[parity].data();
      launch.seed = seed;
      launch.population = population;
      launch.call = kernel.written.empty() ? 1 : 0;
      launch.step = firstStep + static_cast<std::uint64_t>(step);
      try {
        kernel.function(launch, begin, end);
      } catch (...) {
        failure.record(step, worker);
      }
      worker.barrier();
      if (failure.by(step)) break;
    }
  });

  const std::int64_t done = std::min(steps, failure.step());
  for (const int component : stale) fields.setStale(component, false);
  for (const int component : kernel.written) {
    if (!kernel.inPlace && done % 2 == 1) fields.setFront(component, 1 - fields.front(component));
    fields.setStale(component, true);
  }
  if (!kernel.written.empty()) fields.step += static_cast<std::uint64_t>(done);
  failure.rethrow();
}

}  // namespace mass
