#include <mass/dispatch/agent_executor.hpp>

#include <mass/dispatch/first_failure.hpp>
#include <mass/dispatch/migration/agent_launches.hpp>
#include <mass/dispatch/migration/agent_migration.hpp>
#include <mass/dispatch/migration/ghost_agent_refresh.hpp>
#include <mass/dispatch/migration/identity_refresh.hpp>
#include <mass/dispatch/thread_tuner.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

namespace mass::detail {
namespace {

/// Minimum number of agents for several threads: with fewer, the work is done before other threads
/// would start.
constexpr std::int64_t minAgentsForThreads = 4096;

/// Sums of the threads of a device during a scan, by index.
using PartialSums = std::vector<std::int32_t>;

/// Barrier of all workers that fails if a worker has failed: all workers leave at the first barrier
/// after the failure. Adds the time between barriers to `times` unless it is null.
class FailureBarrier {
 public:
  /// Thrown by next() if a worker has failed.
  struct PeerFailed {};

  FailureBarrier(const Worker& worker, FirstFailure& failure, DeviceTimes* times)
      : worker_(&worker), failure_(&failure), timer_(times, worker) {
    timer_.start();
  }

  /// Returns the worker of this thread.
  const Worker& worker() const { return *worker_; }
  /// Waits for all workers.
  /// @throws PeerFailed if one has failed before this barrier.
  void next() {
    timer_.stop();
    worker_->barrier();
    // Barriers are numbered, so that a failure after this one is ignored.
    if (failure_->hasFailedBy(number_++)) throw PeerFailed{};
    timer_.start();
  }
  /// Records the exception being handled, and waits at the next barrier of the other workers. Call
  /// it from a catch block.
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

/// DeviceWorker of AgentMigration for a CPU: one thread that does all work of a device, or one of
/// the threads that share it.
class CpuDeviceWorker {
 public:
  /// Does all work of `device` on the calling thread.
  explicit CpuDeviceWorker(int device) : device_(device) {}
  /// Shares the work of a device with its other threads.
  CpuDeviceWorker(FailureBarrier& barrier, PartialSums& sums)
      : device_(barrier.worker().device()),
        worker_(&barrier.worker()),
        barrier_(&barrier),
        sums_(&sums) {}

  int device() const { return device_; }

  /// Calls `work()` on one thread of the device.
  template <class F>
  void once(F&& work) const {
    if (worker_ == nullptr || worker_->leads()) work();
    wait();
  }
  /// Calls body(i, counters) for 0 <= i < count.
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
  /// Sets out[i] = sum of input(j) for all j < i, 0 <= i <= count.
  template <class Input>
  void scan(std::int64_t count, const Input& input, std::int32_t* out) const {
    const auto [begin, end] = partOf(count);
    std::int32_t sum = 0;
    if (worker_ != nullptr) {
      (*sums_)[static_cast<std::size_t>(worker_->index())] = sumOf(input, begin, end);
      wait();
      for (int r = 0; r < worker_->index(); ++r) sum += (*sums_)[static_cast<std::size_t>(r)];
    }
    if constexpr (requires { input.before(count); }) {
      sum -= input.before(begin);
      for (std::int64_t i = begin; i < end; ++i) {
        out[i] = sum + input.before(i);
        sum += input.added(i);
      }
      sum += input.before(end);
    } else {
      for (std::int64_t i = begin; i < end; ++i) {
        out[i] = sum;
        sum += input(i);
      }
    }
    if (isLast()) out[count] = sum;
    wait();
  }
  /// Copies to this device, from all others of this rank.
  /// @param fetchesTo returns the fetches to a device
  template <class FetchesTo>
  void fetch(const AgentFields& agents, const FetchesTo& fetchesTo) const {
    once([&] {
      for (const Fetch& fetch : fetchesTo(device_)) {
        if (!agents.places().devices().isLocal(fetch.fromDevice)) continue;  // see beginPhase()
        const FetchAddresses copy = addressesOf(fetch, agents);
        std::memmove(copy.to, copy.from, copy.bytes);
      }
    });
  }
  // Host and device share their memory, so that counters need no copies.
  migration::CounterAddresses upload(migration::MigrationCounters& counters,
                                     const std::vector<migration::Column>& columns) const {
    return migration::addressesOf(counters, columns);
  }
  void download(migration::MigrationCounters&) const {}
  void report(migration::MigrationCounters&) const {}

 private:
  std::pair<std::int64_t, std::int64_t> partOf(std::int64_t count) const {
    return worker_ == nullptr ? std::pair(std::int64_t{0}, count) : worker_->share(count);
  }
  /// Returns the sum of input(i) for begin <= i < end.
  template <class Input>
  static std::int32_t sumOf(const Input& input, std::int64_t begin, std::int64_t end) {
    std::int32_t sum = 0;
    if constexpr (requires { input.before(begin); }) {
      for (std::int64_t i = begin; i < end; ++i) sum += input.added(i);
      sum += input.before(end) - input.before(begin);
    } else {
      for (std::int64_t i = begin; i < end; ++i) sum += input(i);
    }
    return sum;
  }
  bool isLast() const { return worker_ == nullptr || worker_->index() == worker_->size() - 1; }
  void wait() const {
    if (barrier_ != nullptr) barrier_->next();
  }

  int device_;
  const Worker* worker_ = nullptr;
  FailureBarrier* barrier_ = nullptr;
  PartialSums* sums_ = nullptr;
};

/// Copy of the intents of all agents, to restore them if a rule fails.
class IntentSnapshot {
 public:
  /// Copies the intents of `agents`.
  explicit IntentSnapshot(const AgentFields& agents) {
    if (!agents.hasIntents) return;  // all intents are empty
    for (const int device : agents.localDevices()) {
      const AgentBand& band = agents.band(device);
      targets_.emplace_back(band.targets.data(), band.targets.data() + band.own);
      births_.emplace_back(band.births.data(), band.births.data() + band.own);
    }
  }
  /// Sets the intents of `agents` to the copy.
  void restore(AgentFields& agents) const {
    for (const int device : agents.localDevices()) {
      AgentBand& band = agents.band(device);
      if (targets_.empty()) {
        band.targets.fill(0, band.own, targetStay);
        band.births.fill(0, band.own, 0);
        continue;
      }
      const auto at = static_cast<std::size_t>(device - agents.localDevices().front());
      std::copy(targets_[at].begin(), targets_[at].end(), band.targets.data());
      std::copy(births_[at].begin(), births_[at].end(), band.births.data());
    }
  }

 private:
  std::vector<std::vector<std::int64_t>> targets_;  // by local device
  std::vector<std::vector<std::uint8_t>> births_;   // by local device
};

/// Makes the copies from other ranks with which a phase begins.
template <class Work, class Phase>
void beginPhase(const Work& work, const Phase& phase) {
  const AgentFields& agents = work.agents();
  const DeviceConfig& devices = agents.places().devices();
  if (devices.ranks().count() == 1) return;
  RankFetches fetches(devices, agents.traits());
  for (int device = 0; device < agents.devices(); ++device) {
    for (const Fetch& fetch : work.fetches(phase, device))
      fetches.add(fetch, agents.band(fetch.fromDevice), agents.band(fetch.toDevice));
  }
  fetches.run();
}

/// AgentExecutor for CPUs.
class CpuAgentExecutor : public AgentExecutor {
 public:
  explicit CpuAgentExecutor(const DeviceConfig& devices);

  void run(const AgentRun& run, const AgentKernel& kernel) override;
  void refreshGhosts(AgentFields& agents) override;
  void refreshIdentities(AgentFields& agents, bool withAttributes) override;
  void manage(const AgentRun& run) override;
  void synchronize(AgentFields&) override {}  // results are complete when manage() returns
  void release(const AgentFields&) noexcept override {}

 private:
  /// Returns the tuner of the threads for some work on these agents. @param rule null for manage()
  ThreadTuner& tunerFor(const AgentFields& agents, const void* rule) {
    return tuners_.of(&agents, rule, devices_->threadCounts(), agents.bytes());
  }
  /// Runs the phases of `work`.
  /// @param threads number of threads; 1: all devices on the calling thread
  /// @param oneThreadPerDevice true if the phases do not share the work of a device
  /// @param times receives compute times unless the work is serial; may be null
  template <class Work>
  void runPhases(Work& work, int threads, bool oneThreadPerDevice, DeviceTimes* times);

  const DeviceConfig* devices_;
  std::vector<PartialSums> sums_;  // by device
  ThreadTuners tuners_;
};

CpuAgentExecutor::CpuAgentExecutor(const DeviceConfig& devices) : devices_(&devices) {
  sums_.resize(static_cast<std::size_t>(devices.size()),
               PartialSums(static_cast<std::size_t>(devices.threads())));
}

template <class Work>
void CpuAgentExecutor::runPhases(Work& work, int threads, bool oneThreadPerDevice,
                                 DeviceTimes* times) {
  const auto phases = work.phases();
  if (threads == 1) {
    for (const auto& phase : phases) {
      beginPhase(work, phase);
      for (const int device : devices_->local()) {
        CpuDeviceWorker deviceWorker(device);
        (work.*phase.run)(deviceWorker);
      }
      if (phase.counts) work.shareCounters();
    }
    return;
  }
  const bool hasRanks = devices_->ranks().count() > 1;
  FirstFailure failure;
  devices_->run(threads, [&](const Worker& worker) {
    FailureBarrier barrier(worker, failure, times);
    CpuDeviceWorker deviceWorker =
        oneThreadPerDevice
            ? CpuDeviceWorker(worker.device())
            : CpuDeviceWorker(barrier, sums_[static_cast<std::size_t>(worker.device())]);
    try {
      for (const auto& phase : phases) {
        if (hasRanks) {
          if (worker.isCaller()) beginPhase(work, phase);
          barrier.next();
        }
        if (!oneThreadPerDevice || worker.leads()) (work.*phase.run)(deviceWorker);
        barrier.next();
        if (hasRanks && phase.counts) {
          if (worker.isCaller()) work.shareCounters();
          barrier.next();
        }
      }
    } catch (const FailureBarrier::PeerFailed&) {  // recorded by the worker that failed
    } catch (...) {
      barrier.fail();
    }
  });
  if (failure.exception()) std::rethrow_exception(failure.exception());
}

void CpuAgentExecutor::run(const AgentRun& run, const AgentKernel& kernel) {
  AgentFields& agents = *run.agents;
  if (kernel.readsPlaces) run.dispatcher->refreshGhosts(*run.places);
  prepareTaken(*run.places, kernel);
  const AgentLaunches launches(run, kernel);
  std::optional<IntentSnapshot> snapshot;
  if (kernel.hasIntents) snapshot.emplace(agents);
  FirstFailure failure;
  const auto runOn = [&](const Worker& worker) {
    const int device = worker.device();
    const auto [begin, end] = worker.share(agents.band(device).own);
    const AgentLaunch launch = launches.on(device);
    WorkTimer timer(run.times, worker);
    timer.start();
    try {
      kernel.function(launch, begin, end);
    } catch (...) {
      failure.record(0, worker);
    }
    timer.stop();
  };
  if (run.times != nullptr) {  // times of devices are compared, so all use the same threads
    devices_->run(runOn);
  } else {
    ThreadTuner& tuner = tunerFor(agents, reinterpret_cast<const void*>(kernel.function));
    runTuned(tuner, 1, [&](const ThreadPlan& plan, std::int64_t) {
      devices_->run(plan.threads, runOn);
      return std::int64_t{1};
    });
  }
  if (failure.exception()) {
    if (snapshot) snapshot->restore(agents);
    std::rethrow_exception(failure.exception());
  }
  commitRule(run, kernel);
}

void CpuAgentExecutor::refreshGhosts(AgentFields& agents) {
  if (!agents.ghostsStale || agents.devices() == 1) return;
  migration::GhostAgentRefresh<CpuDeviceWorker> refresh(agents);
  runPhases(refresh, agents.alive() < minAgentsForThreads ? 1 : devices_->threads(), true, nullptr);
  agents.ghostsStale = false;
}

void CpuAgentExecutor::refreshIdentities(AgentFields& agents, bool withAttributes) {
  migration::IdentityRefresh<CpuDeviceWorker> refresh(agents, withAttributes);
  if (!refresh.isNeeded()) return;
  runPhases(refresh, agents.alive() < minAgentsForThreads ? 1 : devices_->threads(), false,
            nullptr);
  refresh.commit();
}

void CpuAgentExecutor::manage(const AgentRun& run) {
  migration::AgentMigration<CpuDeviceWorker> migration(run);
  try {
    if (run.agents->alive() < minAgentsForThreads) {
      runPhases(migration, 1, false, nullptr);
    } else if (run.times != nullptr) {
      runPhases(migration, devices_->threads(), false, run.times);
    } else {
      runTuned(tunerFor(*run.agents, nullptr), 1, [&](const ThreadPlan& plan, std::int64_t) {
        runPhases(migration, plan.threads, false, nullptr);
        return std::int64_t{1};
      });
    }
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
