#include <mass/backend/thread_team.hpp>

#include <mass/support/error.hpp>

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <system_error>

namespace mass::detail {
namespace {

/// Looks at a barrier's phase before sleeping. With more threads than processors the thread waited
/// for may need this very processor, so nothing is gained by spinning.
int spinsFor(int threads) {
  return threads <= usableProcessors() ? 1000 : 0;
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

int usableProcessors() {
  // std::thread::hardware_concurrency also counts those that taskset or a batch system keep from
  // us.
  cpu_set_t usable;
  const bool known = sched_getaffinity(0, sizeof(usable), &usable) == 0;
  return known ? CPU_COUNT(&usable)
               : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Barrier::Barrier(int threads) : threads_(threads), spins_(spinsFor(threads)) {}

void Barrier::wait() {
  const unsigned phase = phase_.load(std::memory_order_acquire);
  if (come_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
    come_.store(0, std::memory_order_relaxed);  // published by the new phase
    // In one order with notify_all's look at whether anybody sleeps: after a mere release, that
    // look may come first, and who falls asleep in between is never woken.
    phase_.store(phase + 1, std::memory_order_seq_cst);
    phase_.notify_all();
    return;
  }
  for (int spin = 0; spin < spins_; ++spin) {
    if (phase_.load(std::memory_order_acquire) != phase) return;
    pause();
  }
  phase_.wait(phase, std::memory_order_acquire);
}

void Barrier::excuse(int threads) {
  come_.fetch_add(threads, std::memory_order_acq_rel);
}

ThreadTeam::ThreadTeam(int threads) : barrier_(threads) {
  helpers_.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int rank = 1; rank < threads; ++rank) helpers_.emplace_back([this, rank] { help(rank); });
  } catch (const std::system_error& error) {
    const int got = size();
    barrier_.excuse(threads - got);
    dismiss();
    throw DeviceError(
        "asked for {} host threads, the system gave {} ({}): lower 'threads' or 'devices'", threads,
        got, error.what());
  }
}

ThreadTeam::~ThreadTeam() {
  dismiss();
}

void ThreadTeam::run(const std::function<void(int)>& task) {
  task_ = &task;
  barrier_.wait();  // the helpers wait here for their next task
  task(0);
  barrier_.wait();
}

void ThreadTeam::help(int rank) {
  while (true) {
    barrier_.wait();
    if (task_ == nullptr) return;
    (*task_)(rank);
    barrier_.wait();
  }
}

void ThreadTeam::dismiss() {
  task_ = nullptr;
  barrier_.wait();
  for (std::thread& helper : helpers_) helper.join();
}

}  // namespace mass::detail
