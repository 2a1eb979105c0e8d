#include <mass/dispatch/agent_executor.hpp>

#include <mass/dispatch/first_failure.hpp>
#include <mass/dispatch/migration/agent_launches.hpp>
#include <mass/dispatch/migration/agent_migration.hpp>
#include <mass/dispatch/migration/ghost_agent_refresh.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

namespace mass::detail {
namespace {

/// Fewer agents are seen to before other threads would have come.
constexpr std::int64_t fewAgents = 4096;

/// What the threads of a device have added up so far, by rank.
using Sums = std::vector<std::int32_t>;

/// Where a worker meets all others, and hears whether one of them has failed. All leave at the same
/// time then: at the first barrier after that. What it works in between is added to times, if there
/// are.
class FailureBarrier {
 public:
  struct Abandoned {};

  FailureBarrier(const Worker& worker, FirstFailure& failure, DeviceTimes* times)
      : worker_(&worker), failure_(&failure), timer_(times, worker) {
    timer_.start();
  }

  const Worker& worker() const { return *worker_; }
  /// Waits for all. @throws Abandoned when one has failed.
  void next() {
    timer_.stop();
    worker_->barrier();
    // Each has a number, so that nobody hears of what comes after it.
    if (failure_->hasFailedBy(number_++)) throw Abandoned{};
    timer_.start();
  }
  /// For a catch block: tells the others what this worker has thrown, and leaves with them.
  void fail() {
    failure_->record(number_, *worker_);
    worker_->barrier();
  }

 private:
  const Worker* worker_;
  FirstFailure* failure_;
  WorkTimer timer_;
  std::int64_t number_ = 0;
};

/// A thread's part of the work of a device: all of it, or beside the device's other threads.
class CpuDeviceWorker {
 public:
  explicit CpuDeviceWorker(int device) : device_(device) {}
  CpuDeviceWorker(FailureBarrier& barrier, Sums& sums)
      : device_(barrier.worker().device()),
        worker_(&barrier.worker()),
        barrier_(&barrier),
        sums_(&sums) {}

  int device() const { return device_; }

  /// Does something once for the device.
  template <class F>
  void once(F&& work) const {
    if (worker_ == nullptr || worker_->leads()) work();
    wait();
  }
  template <class Body>
  void forEach(std::int64_t count, const Body& body) const {
    const auto [begin, end] = partOf(count);
    migration::Counters counters;
    for (std::int64_t i = begin; i < end; ++i) body(i, counters);
    if constexpr (Body::mask != 0) {
      for (int k = 0; k < migration::counts; ++k) {
        if (counters.of[k] != 0) fetchAdd(body.m.counts[k], counters.of[k]);
      }
    }
    wait();
  }
  /// Writes to out[i] the sum of input(j) for all j < i, 0 <= i <= count.
  template <class Input>
  void scan(std::int64_t count, const Input& input, std::int32_t* out) const {
    const auto [begin, end] = partOf(count);
    std::int32_t sum = 0;
    if (worker_ != nullptr) {
      std::int32_t mine = 0;
      for (std::int64_t i = begin; i < end; ++i) mine += input(i);
      (*sums_)[static_cast<std::size_t>(worker_->rank())] = mine;
      wait();
      for (int r = 0; r < worker_->rank(); ++r) sum += (*sums_)[static_cast<std::size_t>(r)];
    }
    for (std::int64_t i = begin; i < end; ++i) {
      out[i] = sum;
      sum += input(i);
    }
    if (isLast()) out[count] = sum;
    wait();
  }
  template <class List>
  void fetch(const List& list) const {
    once([&] {
      for (const migration::Fetch& piece : list()) std::memmove(piece.to, piece.from, piece.bytes);
    });
  }
  // The host's memory is the device's.
  std::uint64_t* upload(migration::MigrationCounters& counters) const { return counters.data(); }
  void download(migration::MigrationCounters&) const {}
  void report(migration::MigrationCounters&) const {}

 private:
  std::pair<std::int64_t, std::int64_t> partOf(std::int64_t count) const {
    return worker_ == nullptr ? std::pair(std::int64_t{0}, count) : worker_->share(count);
  }
  bool isLast() const { return worker_ == nullptr || worker_->rank() == worker_->size() - 1; }
  void wait() const {
    if (barrier_ != nullptr) barrier_->next();
  }

  int device_;
  const Worker* worker_ = nullptr;
  FailureBarrier* barrier_ = nullptr;
  Sums* sums_ = nullptr;
};

/// The intents of all agents, to be given back if a rule that changes them fails.
class IntentSnapshot {
 public:
  explicit IntentSnapshot(const AgentFields& agents) {
    if (!agents.hasIntents) return;  // then there are none
    for (int device = 0; device < agents.devices(); ++device) {
      const AgentBand& band = agents.band(device);
      targets_.emplace_back(band.targets.data(), band.targets.data() + band.own);
      births_.emplace_back(band.births.data(), band.births.data() + band.own);
    }
  }
  void restore(AgentFields& agents) const {
    for (int device = 0; device < agents.devices(); ++device) {
      AgentBand& band = agents.band(device);
      if (targets_.empty()) {
        band.targets.fill(0, band.own, targetStay);
        band.births.fill(0, band.own, 0);
        continue;
      }
      const auto at = static_cast<std::size_t>(device);
      std::copy(targets_[at].begin(), targets_[at].end(), band.targets.data());
      std::copy(births_[at].begin(), births_[at].end(), band.births.data());
    }
  }

 private:
  std::vector<std::vector<std::int64_t>> targets_;
  std::vector<std::vector<std::uint8_t>> births_;
};

class CpuAgentExecutor : public AgentExecutor {
 public:
  explicit CpuAgentExecutor(const DeviceConfig& devices);

  void run(const AgentRun& run, const AgentKernel& kernel) override;
  void refreshGhosts(AgentFields& agents) override;
  void manage(const AgentRun& run) override;
  void synchronize(AgentFields&) override {}  // known at once
  void release(const AgentFields&) noexcept override {}

 private:
  /// Goes through the phases of some work; `alone`: one thread a device. Adds to `times`, if there
  /// are, but for few agents.
  template <class Work>
  void runPhases(Work& work, bool few, bool alone, DeviceTimes* times);

  const DeviceConfig* devices_;
  std::vector<Sums> sums_;  // by device
};

CpuAgentExecutor::CpuAgentExecutor(const DeviceConfig& devices) : devices_(&devices) {
  sums_.resize(static_cast<std::size_t>(devices.size()),
               Sums(static_cast<std::size_t>(devices.threads())));
}

template <class Work>
void CpuAgentExecutor::runPhases(Work& work, bool few, bool alone, DeviceTimes* times) {
  const auto phases = work.phases();
  if (few || devices_->threads() == 1) {
    for (const auto phase : phases) {
      for (int device = 0; device < devices_->size(); ++device) {
        CpuDeviceWorker share(device);
        (work.*phase)(share);
      }
    }
    return;
  }
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    FailureBarrier barrier(worker, failure, times);
    CpuDeviceWorker share =
        alone ? CpuDeviceWorker(worker.device())
              : CpuDeviceWorker(barrier, sums_[static_cast<std::size_t>(worker.device())]);
    try {
      for (const auto phase : phases) {
        if (!alone || worker.leads()) (work.*phase)(share);
        barrier.next();
      }
    } catch (const FailureBarrier::Abandoned&) {  // by another, who says why
    } catch (...) {
      barrier.fail();
    }
  });
  if (failure.exception()) std::rethrow_exception(failure.exception());
}

void CpuAgentExecutor::run(const AgentRun& run, const AgentKernel& kernel) {
  AgentFields& agents = *run.agents;
  if (kernel.readsPlaces) run.dispatcher->refreshGhosts(*run.places);
  const AgentLaunches launches(run, kernel);
  std::optional<IntentSnapshot> snapshot;
  if (kernel.hasIntents) snapshot.emplace(agents);
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    const int device = worker.device();
    const auto [begin, end] = worker.share(agents.band(device).own);
    AgentLaunch launch = launches.on(device);
    if (kernel.reads) {
      launch.results = static_cast<char*>(kernel.results) +
                       static_cast<std::size_t>(launches.before(device)) * kernel.resultBytes;
    }
    WorkTimer timer(run.times, worker);
    timer.start();
    try {
      kernel.function(launch, begin, end);
    } catch (...) {
      failure.record(0, worker);
    }
    timer.stop();
  });
  if (failure.exception()) {
    if (snapshot) snapshot->restore(agents);
    std::rethrow_exception(failure.exception());
  }
  commitRule(agents, kernel);
}

void CpuAgentExecutor::refreshGhosts(AgentFields& agents) {
  if (!agents.ghostsStale || agents.devices() == 1) return;
  migration::GhostAgentRefresh<CpuDeviceWorker> refresh(agents);
  runPhases(refresh, agents.alive() < fewAgents, true, nullptr);
  agents.ghostsStale = false;
}

void CpuAgentExecutor::manage(const AgentRun& run) {
  migration::AgentMigration<CpuDeviceWorker> migration(run);
  try {
    runPhases(migration, run.agents->alive() < fewAgents, false, run.times);
  } catch (...) {
    migration::rollBack(*run.agents);
  }
  migration.commit();
  migration.publishCensus();
}

}  // namespace

std::unique_ptr<AgentExecutor> makeCpuAgentExecutor(const DeviceConfig& devices) {
  return std::make_unique<CpuAgentExecutor>(devices);
}

}  // namespace mass::detail
