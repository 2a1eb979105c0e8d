#include <mass/dispatch/agent_executor.hpp>

#include <mass/dispatch/cuda/gpu_device_worker.cuh>
#include <mass/dispatch/cuda/shared_flag.hpp>
#include <mass/dispatch/first_failure.hpp>
#include <mass/dispatch/migration/agent_launches.hpp>
#include <mass/dispatch/migration/ghost_agent_refresh.hpp>
#include <mass/support/error.hpp>

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

class GpuAgentExecutor : public AgentExecutor {
 public:
  explicit GpuAgentExecutor(const DeviceConfig& devices);

  void run(const AgentRun& run, const AgentKernel& kernel) override;
  void refreshGhosts(AgentFields& agents) override;
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
  /// Runs `work(device)` on a thread of each device, whose GPU is the current one; rethrows what
  /// the first has thrown.
  template <class F>
  void onEachDevice(F&& work);
  /// Goes through the phases of some work, then calls `last(device)` on a thread of each device.
  /// GPUs wait for each other before every phase and after the last; hosts do not wait for them.
  template <class Work, class F>
  void runPhases(Work& work, F&& last);
  void reach(int device, std::int64_t phase);
  void awaitOthers(int device, std::int64_t phase);
  bool isPending(const AgentFields& agents) const {
    return pending_ && &pending_->agents() == &agents;
  }
  void synchronizeIf(bool condition);
  /// @throws UsageError when a rule that has ended looked for agents beyond their reach.
  void checkReach() const;
  void launch(const AgentKernel& kernel, AgentLaunch launch, std::int64_t count,
              std::int64_t before);

  const DeviceConfig* devices_;
  std::vector<std::unique_ptr<migration::GpuAgentResources>> resources_;
  /// The management of which the host does not know yet what it does. One at a time: it is what the
  /// ledgers of all stations are about.
  std::unique_ptr<migration::AgentMigration<migration::GpuDeviceWorker>> pending_;
  std::map<const AgentFields*, SharedFlag> farthest_;  ///< of the agents that rules have read
  bool isRead_ = false;  ///< agents, by a rule that the host may not have waited for
};

GpuAgentExecutor::GpuAgentExecutor(const DeviceConfig& devices) : devices_(&devices) {
  for (int device = 0; device < devices.size(); ++device) {
    resources_.push_back(std::make_unique<migration::GpuAgentResources>(
        static_cast<CudaDevice&>(devices.device(device))));
  }
  for (int device = 0; device < devices.size(); ++device) {
    for (int other = 0; other < devices.size(); ++other) {
      resources(device).reaches.push_back(devices.device(device).reaches(devices.device(other)));
    }
  }
}

/// Whether several threads share what a rule adds up for an agent: where there are too few agents
/// to keep a GPU busy. Sums depend on it, so it may not on what there is on a device, nor on what
/// hosts do not know at once.
bool areFew(std::uint64_t agentsEver) {
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

void GpuAgentExecutor::reach(int device, std::int64_t phase) {
  if (devices_->size() == 1) return;
  const migration::GpuAgentResources& mine = resources(device);
  MASS_CUDA_CALL(cudaEventRecord(mine.reached[phase % 2].get(), mine.device->stream()));
}

void GpuAgentExecutor::awaitOthers(int device, std::int64_t phase) {
  for (int other = 0; other < devices_->size(); ++other) {
    if (other == device) continue;
    MASS_CUDA_CALL(cudaStreamWaitEvent(resources(device).device->stream(),
                                       resources(other).reached[phase % 2].get()));
  }
}

template <class Work, class F>
void GpuAgentExecutor::runPhases(Work& work, F&& last) {
  const auto phases = work.phases();
  constexpr std::int64_t before = -1;  // each attempt has a number of its own
  const auto end = static_cast<std::int64_t>(phases.size());
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    const int device = worker.device();
    const auto attempt = [&](std::int64_t phase, const auto& doIt) {
      try {
        const cuda::Current current(resources(device).device->ordinal());
        doIt();
      } catch (...) {
        failure.record(phase, worker);
      }
      worker.barrier();  // then all have said where they are, and told the host what it has to know
      return !failure.hasFailedBy(phase);
    };
    bool goesWell = attempt(before, [&] { reach(device, 0); });
    for (std::int64_t phase = 0; phase < end && goesWell; ++phase) {
      goesWell = attempt(phase, [&] {
        awaitOthers(device, phase);
        migration::GpuDeviceWorker share(device, resources(device));
        (work.*phases[static_cast<std::size_t>(phase)])(share);
        reach(device, phase + 1);
      });
    }
    attempt(end, [&] {
      if (!goesWell) return resources(device).device->synchronize();
      awaitOthers(device, end);
      last(device);
    });
  });
  if (failure.exception()) std::rethrow_exception(failure.exception());
}

void GpuAgentExecutor::launch(const AgentKernel& kernel, AgentLaunch launch, std::int64_t count,
                              std::int64_t before) {
  if (count == 0) return;
  const int device = launch.places.device;
  if (!kernel.neighborSteps.empty()) {
    const auto& steps = kernel.neighborSteps[static_cast<std::size_t>(device)];
    resources(device).device->synchronize();  // a former rule's may be on their way
    launch.places.neighborSteps = static_cast<const std::int64_t*>(
        resources(device).neighborSteps.upload(steps.data(), steps.size() * sizeof(std::int64_t)));
  }
  Buffer results;
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
      static_cast<char*>(kernel.results) + static_cast<std::size_t>(before) * kernel.resultBytes);
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
  const AgentLaunches launches(run, kernel);
  onEachDevice([&](int device) {
    AgentLaunch launched = launches.on(device);
    launched.isShared = areFew(agents.nextId);
    if (isPending(agents)) launched.alive = pending_->alive(device);
    launch(kernel, launched, agents.band(device).own, launches.before(device));
  });
  commitRule(agents, kernel);
  if (kernel.reads) checkReach();  // all have waited for their values
}

void GpuAgentExecutor::refreshGhosts(AgentFields& agents) {
  agents.farthest = farthest_[&agents].address();
  isRead_ = true;
  if (!agents.ghostsStale || agents.devices() == 1) return;
  migration::GhostAgentRefresh<migration::GpuDeviceWorker> refresh(agents);
  if (refresh.needsMemory()) {  // where others may still be reading
    onEachDevice([&](int device) { resources(device).device->synchronize(); });
  }
  runPhases(refresh, [](int) {});
  agents.ghostsStale = false;
}

void GpuAgentExecutor::manage(const AgentRun& run) {
  synchronizeIf(pending_ != nullptr);  // GPUs have the rules queued since then to go on with
  auto migration = std::make_unique<migration::AgentMigration<migration::GpuDeviceWorker>>(run);
  const bool waits = devices_->size() > 1 || migration->hasChildren();
  try {
    // Threads that wait each for their GPU are awake when it has come.
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
  if (std::exchange(isRead_, false)) {
    for (const auto& each : resources_) each->device->synchronize();
  }
  checkReach();
}

void GpuAgentExecutor::checkReach() const {
  for (const auto& [agents, flag] : farthest_) migration::checkFarthest(*agents, flag.take());
}

void GpuAgentExecutor::synchronizeIf(bool condition) {
  if (!condition) return;
  const auto pending = std::move(pending_);
  for (int device = 0; device < devices_->size(); ++device) {
    migration::GpuDeviceWorker(device, resources(device)).receive(pending->counters(device));
  }
  pending->publishCensus();
  checkReach();
}

}  // namespace

std::unique_ptr<AgentExecutor> makeGpuAgentExecutor(const DeviceConfig& devices) {
  return std::make_unique<GpuAgentExecutor>(devices);
}

}  // namespace mass::detail
