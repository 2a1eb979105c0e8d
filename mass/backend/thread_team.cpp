#include <mass/backend/thread_team.hpp>

#include <mass/backend/processor_quota.hpp>
#include <mass/support/error.hpp>

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <system_error>

namespace mass::detail {
namespace {

/// Polls of a barrier's phase before a thread sleeps.
constexpr int fewSpins = 1000, manySpins = 30 * fewSpins;
/// Phases with few polls after one in which a thread had to sleep.
constexpr int phasesOfRest = 64;

/// Returns `spins`; 0 if there are more threads than processors: a spinning thread could then
/// occupy the processor that another needs.
int spinsFor(int threads, int spins) {
  return threads <= usableProcessors() ? spins : 0;
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

int usableProcessors() {
  // std::thread::hardware_concurrency ignores the affinity mask, which taskset or a batch system
  // may have set.
  cpu_set_t usable;
  const bool known = sched_getaffinity(0, sizeof(usable), &usable) == 0;
  const int processors = known ? CPU_COUNT(&usable)
                               : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::max(1, static_cast<int>(std::min<double>(std::ceil(processorQuota()), processors)));
}

std::string affinityMask() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof(usable), &usable) != 0) return {};
  std::string mask;
  for (std::size_t processor = 0; processor < CPU_SETSIZE; ++processor)
    mask += CPU_ISSET(processor, &usable) ? '1' : '0';
  return mask.substr(0, mask.rfind('1') + 1);
}

Barrier::Barrier(int threads)
    : threads_(threads),
      spins_(spinsFor(threads, fewSpins)),
      mostSpins_(spinsFor(threads, manySpins)) {}

/// @param spins number of polls before the thread sleeps
void Barrier::waitFor(int spins) {
  const unsigned phase = phase_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
    arrived_.store(0, std::memory_order_relaxed);  // published by the new phase
    const int rest = restPhases_.load(std::memory_order_relaxed);
    if (rest > 0) restPhases_.store(rest - 1, std::memory_order_relaxed);
    // Sequentially consistent with the check for sleeping threads in notify_all. After a release
    // store that check could be reordered before it and miss a thread that is falling asleep.
    phase_.store(phase + 1, std::memory_order_seq_cst);
    phase_.notify_all();
    return;
  }
  for (int spin = 0; spin < spins; ++spin) {
    if (phase_.load(std::memory_order_acquire) != phase) return;
    pause();
  }
  if (spins == mostSpins_) restPhases_.store(phasesOfRest, std::memory_order_relaxed);
  phase_.wait(phase, std::memory_order_acquire);
}

void Barrier::arriveFor(int threads) {
  arrived_.fetch_add(threads, std::memory_order_acq_rel);
}

ThreadTeam::ThreadTeam(int threads) : barrier_(threads) {
  workers_.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int thread = 1; thread < threads; ++thread)
      workers_.emplace_back([this, thread] { runTasks(thread); });
  } catch (const std::system_error& error) {
    const int got = size();
    barrier_.arriveFor(threads - got);
    stopWorkers();
    throw DeviceError(
        "the run needs {} host threads, the system started {} ({}): lower 'threads' or 'devices'",
        threads, got, error.what());
  }
}

ThreadTeam::~ThreadTeam() {
  stopWorkers();
}

void ThreadTeam::run(const std::function<void(int)>& task) {
  task_ = &task;
  barrier_.wait();  // releases the workers, which wait for the next task
  task(0);
  barrier_.wait();
}

void ThreadTeam::runTasks(int thread) {
  while (true) {
    barrier_.waitIdle();
    if (task_ == nullptr) return;
    (*task_)(thread);
    barrier_.wait();
  }
}

void ThreadTeam::stopWorkers() {
  task_ = nullptr;
  barrier_.wait();
  for (std::thread& worker : workers_) worker.join();
}

}  // namespace mass::detail
