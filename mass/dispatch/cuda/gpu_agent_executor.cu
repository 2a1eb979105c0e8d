#include <mass/dispatch/cuda/gpu_agent_executor.hpp>

#include <mass/dispatch/cuda/gpu_device_worker.cuh>
#include <mass/dispatch/cuda/shared_flag.hpp>
#include <mass/dispatch/first_failure.hpp>
#include <mass/dispatch/migration/agent_launches.hpp>
#include <mass/dispatch/migration/ghost_agent_refresh.hpp>
#include <mass/dispatch/migration/identity_refresh.hpp>
#include <mass/support/error.hpp>

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// AgentExecutor for GPUs, with one host thread per GPU. Rules and migration are queued; the host
/// waits only for numbers that it needs.
class GpuAgentExecutor : public AgentExecutor {
 public:
  GpuAgentExecutor(const DeviceConfig& devices, const std::shared_ptr<NcclLink>& nccl);

  void run(const AgentRun& run, const AgentKernel& kernel) override;
  void refreshGhosts(AgentFields& agents) override;
  void refreshIdentities(AgentFields& agents, bool withAttributes) override;
  void manage(const AgentRun& run) override;
  void synchronize(AgentFields& agents) override;
  void release(const AgentFields& agents) noexcept override {
    if (isPending(agents)) pending_.reset();
    farthest_.erase(&agents);
  }

 private:
  migration::GpuAgentResources& resources(int device) {
    return *resources_[static_cast<std::size_t>(device)];
  }
  /// Calls `work(device)` on a thread of each device, with its GPU current.
  /// @throws std::exception if `work` throws one: that of the first device.
  template <class F>
  void onEachDevice(F&& work);
  /// Queues all phases of `work`, then calls `last(device)` on a thread of each device. GPUs wait
  /// for each other by events before every phase and after the last; the host does not wait for
  /// them, unless they exchange data with other ranks.
  template <class Work, class F>
  void runPhases(Work& work, F&& last);
  /// Exchanges what a phase fetches from other ranks. @param stage, hasFailed see runPhases()
  template <class Work, class Phase, class Stage>
  bool fetchFromRanks(const Work& work, const Phase& phase, const Worker& worker,
                      const Stage& stage, const std::function<bool()>& hasFailed);
  /// Records the event at the end of the phase before `phase`.
  void recordPhaseEnd(int device, std::int64_t phase);
  /// Makes the stream of `device` wait for recordPhaseEnd(other, phase) of all other devices.
  void waitForPhaseEnds(int device, std::int64_t phase);
  /// True if the host has not waited for the last migration of `agents`.
  bool isPending(const AgentFields& agents) const {
    return pending_ && &pending_->agents() == &agents;
  }
  /// Waits for the pending migration and publishes its result if `condition` is true.
  void synchronizeIf(bool condition);
  /// @throws UsageError if a completed rule has read agents farther away than their reach.
  void checkReach() const;
  /// Queues a rule for `count` agents of a device; a reading rule copies its results to the host.
  void launch(const AgentKernel& kernel, AgentLaunch launch, std::int64_t count);

  const DeviceConfig* devices_;
  std::vector<std::unique_ptr<migration::GpuAgentResources>> resources_;  ///< null on other ranks
  std::unique_ptr<migration::GpuRankFetches> rankFetches_;
  /// Queued migration that the host has not waited for; at most one, since there is one buffer of
  /// counters per GPU.
  std::unique_ptr<migration::AgentMigration<migration::GpuDeviceWorker>> pending_;
  /// By agents: the distance at which a rule has read them beyond their reach, or 0.
  std::map<const AgentFields*, SharedFlag> farthest_;
  bool hasPendingReads_ = false;  ///< a rule that reads agents may still run
};

GpuAgentExecutor::GpuAgentExecutor(const DeviceConfig& devices,
                                   const std::shared_ptr<NcclLink>& nccl)
    : devices_(&devices),
      resources_(static_cast<std::size_t>(devices.size())),
      rankFetches_(nccl ? migration::ncclRankFetches(devices, nccl)
                        : migration::hostRankFetches(devices)) {
  for (const int device : devices.local()) {
    resources_[static_cast<std::size_t>(device)] = std::make_unique<migration::GpuAgentResources>(
        static_cast<CudaDevice&>(devices.device(device)));
    std::vector<bool>& hasAccess = resources(device).hasPeerAccess;
    hasAccess.resize(resources_.size());
    for (const int other : devices.local()) {
      hasAccess[static_cast<std::size_t>(other)] =
          devices.device(device).canAccess(devices.device(other));
    }
  }
}

/// True if several threads share the sum over an agent's neighbours, because there are too few
/// agents to fill a GPU. The order of summation depends on it, so it is a function of a number that
/// does not depend on the devices and that the host always has: the identities used so far.
bool sharesAgents(std::uint64_t agentsEver) {
  return agentsEver < 250'000;
}

template <class F>
void GpuAgentExecutor::onEachDevice(F&& work) {
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    try {
      const cuda::Current current(resources(worker.device()).device->ordinal());
      work(worker.device());
    } catch (...) {
      failure.record(0, worker);
    }
  });
  if (failure.exception()) std::rethrow_exception(failure.exception());
}

void GpuAgentExecutor::recordPhaseEnd(int device, std::int64_t phase) {
  if (devices_->size() == 1) return;
  const migration::GpuAgentResources& own = resources(device);
  MASS_CUDA_CALL(cudaEventRecord(own.phaseEnds[phase % 2].get(), own.device->stream()));
}

void GpuAgentExecutor::waitForPhaseEnds(int device, std::int64_t phase) {
  for (const int other : devices_->local()) {
    if (other == device) continue;
    MASS_CUDA_CALL(cudaStreamWaitEvent(resources(device).device->stream(),
                                       resources(other).phaseEnds[phase % 2].get()));
  }
}

template <class Work, class Phase, class Stage>
bool GpuAgentExecutor::fetchFromRanks(const Work& work, const Phase& phase, const Worker& worker,
                                      const Stage& stage, const std::function<bool()>& hasFailed) {
  const auto plan = [&] {
    if (!worker.isCaller()) return;
    std::vector<Fetch> all;
    for (int device = 0; device < devices_->size(); ++device) {
      const std::vector<Fetch> fetches = work.fetches(phase, device);
      all.insert(all.end(), fetches.begin(), fetches.end());
    }
    rankFetches_->plan(work.agents(), all);
  };
  const int device = worker.device();
  cudaStream_t stream = resources(device).device->stream();
  const auto send = [&] {
    migration::GpuDeviceWorker(device, resources(device)).send(*rankFetches_);
    rankFetches_->finishSends(stream);
  };
  const auto exchange = [&] { rankFetches_->exchange(worker, stream, hasFailed); };
  if (!stage(plan)) return false;
  return rankFetches_->isEmpty() || (stage(send) && stage(exchange));
}

template <class Work, class F>
void GpuAgentExecutor::runPhases(Work& work, F&& last) {
  const auto phases = work.phases();
  const auto end = static_cast<std::int64_t>(phases.size());
  const bool hasRanks = devices_->ranks().count() > 1;
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    const int device = worker.device();
    std::int64_t number = 0;
    // All devices have recorded their events and downloaded their counters when it returns.
    const auto stage = [&](const auto& function) {
      try {
        const cuda::Current current(resources(device).device->ordinal());
        function();
      } catch (...) {
        failure.record(number, worker);
      }
      worker.barrier();
      return !failure.hasFailedBy(number++);
    };
    // Does not wait for the others.
    const auto hasFailed = [&] { return failure.hasFailedBy(number); };
    const auto shareCounters = [&] {
      return stage([&] {
        if (worker.isCaller()) work.shareCounters();
      });
    };
    bool succeeded = stage([&] { recordPhaseEnd(device, 0); });
    for (std::int64_t phase = 0; phase < end && succeeded; ++phase) {
      const auto& current = phases[static_cast<std::size_t>(phase)];
      succeeded = !hasRanks || fetchFromRanks(work, current, worker, stage, hasFailed);
      if (!succeeded) break;
      succeeded = stage([&] {
        waitForPhaseEnds(device, phase);
        migration::GpuDeviceWorker deviceWorker(device, resources(device), rankFetches_.get());
        (work.*current.run)(deviceWorker);
        recordPhaseEnd(device, phase + 1);
      });
      // The counters of the last phase arrive with last().
      if (succeeded && hasRanks && current.counts && phase + 1 < end) succeeded = shareCounters();
    }
    const bool ended = stage([&] {
      if (!succeeded) return resources(device).device->synchronize();
      waitForPhaseEnds(device, end);
      last(device);
    });
    if (ended && succeeded && hasRanks && phases.back().counts) shareCounters();
  });
  if (failure.exception()) std::rethrow_exception(failure.exception());
}

void GpuAgentExecutor::launch(const AgentKernel& kernel, AgentLaunch launch, std::int64_t count) {
  if (count == 0) return;
  const int device = launch.places.device;
  if (!kernel.neighborSteps.empty()) {
    const auto& steps = kernel.neighborSteps[static_cast<std::size_t>(device)];
    resources(device).device->synchronize();  // the upload for a previous rule may be in progress
    launch.places.neighborSteps = static_cast<const std::int64_t*>(
        resources(device).neighborSteps.upload(steps.data(), steps.size() * sizeof(std::int64_t)));
  }
  Buffer results;
  void* const hostResults = launch.results;
  if (kernel.reads) {
    results =
        Buffer(*resources(device).device, static_cast<std::size_t>(count) * kernel.resultBytes);
    launch.results = results.data();
  }
  cuda::check(static_cast<cudaError_t>(
                  kernel.gpu->launch(launch, count, resources(device).device->stream())),
              "the launch of a rule of agents");
  if (!kernel.reads) return;
  resources(device).device->read(
      results.data(), 1, contiguous(0, count * static_cast<std::int64_t>(kernel.resultBytes)),
      hostResults);
}

void GpuAgentExecutor::run(const AgentRun& run, const AgentKernel& kernel) {
  if (kernel.gpu == nullptr) {
    throw UsageError(
        "this model was compiled for CPUs only: compile its sources with nvcc (in CMake: "
        "mass_gpu_sources(<target>)), or set 'backend' to cpu");
  }
  AgentFields& agents = *run.agents;
  if (kernel.reads) synchronize(agents);
  if (kernel.readsPlaces) run.dispatcher->refreshGhosts(*run.places);
  prepareTaken(*run.places, kernel);
  const AgentLaunches launches(run, kernel);
  onEachDevice([&](int device) {
    AgentLaunch launched = launches.on(device);
    launched.isShared = sharesAgents(agents.nextId);
    if (isPending(agents)) launched.alive = pending_->alive(device);
    launch(kernel, launched, agents.band(device).own);
  });
  commitRule(run, kernel);
  if (kernel.reads) checkReach();  // all devices have waited for their results
}

void GpuAgentExecutor::refreshGhosts(AgentFields& agents) {
  agents.farthest = farthest_[&agents].address();
  hasPendingReads_ = true;
  if (!agents.ghostsStale || agents.devices() == 1) return;
  migration::GhostAgentRefresh<migration::GpuDeviceWorker> refresh(agents);
  if (refresh.needsMemory()) {  // kernels may still read the arrays that grow
    onEachDevice([&](int device) { resources(device).device->synchronize(); });
  }
  runPhases(refresh, [](int) {});
  agents.ghostsStale = false;
}

void GpuAgentExecutor::refreshIdentities(AgentFields& agents, bool withAttributes) {
  synchronizeIf(isPending(agents));
  migration::IdentityRefresh<migration::GpuDeviceWorker> refresh(agents, withAttributes);
  if (!refresh.isNeeded()) return;
  if (refresh.needsMemory()) {  // kernels may still read the arrays that grow
    onEachDevice([&](int device) { resources(device).device->synchronize(); });
  }
  runPhases(refresh, [](int) {});
  refresh.commit();
}

void GpuAgentExecutor::manage(const AgentRun& run) {
  synchronizeIf(pending_ != nullptr);  // rules queued since then keep the GPUs busy
  auto migration = std::make_unique<migration::AgentMigration<migration::GpuDeviceWorker>>(run);
  const bool waits = devices_->size() > 1 || migration->hasBirths();
  try {
    // The thread of each GPU waits for it, since it is awake anyway.
    runPhases(*migration, [&](int device) {
      if (waits)
        migration::GpuDeviceWorker(device, resources(device)).receive(migration->counters(device));
    });
  } catch (...) {
    migration::rollBack(*run.agents);
  }
  migration->commit();
  if (waits) {
    migration->publishCensus();
    return checkReach();
  }
  pending_ = std::move(migration);
}

void GpuAgentExecutor::synchronize(AgentFields& agents) {
  synchronizeIf(isPending(agents));
  if (std::exchange(hasPendingReads_, false)) {
    for (const int device : devices_->local()) resources(device).device->synchronize();
  }
  checkReach();
}

void GpuAgentExecutor::checkReach() const {
  for (const auto& [agents, flag] : farthest_) migration::checkFarthest(*agents, flag.take());
}

void GpuAgentExecutor::synchronizeIf(bool condition) {
  if (!condition) return;
  const auto pending = std::move(pending_);
  for (const int device : devices_->local()) {
    migration::GpuDeviceWorker(device, resources(device)).receive(pending->counters(device));
  }
  pending->publishCensus();
  checkReach();
}

}  // namespace

std::unique_ptr<AgentExecutor> makeGpuAgentExecutor(const DeviceConfig& devices,
                                                    const std::shared_ptr<NcclLink>& nccl) {
  return std::make_unique<GpuAgentExecutor>(devices, nccl);
}

}  // namespace mass::detail
