#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace mass::detail {

/// Returns the number of processors that this process may use, at least 1: those of its affinity
/// mask, and at most the quota of its control groups, rounded up.
int usableProcessors();

/// Returns the affinity mask of this process, a character '0' or '1' for each processor of the
/// machine; empty if the system does not tell it.
std::string affinityMask();

/// Reusable barrier of a fixed number of threads. A waiting thread spins for one or two
/// milliseconds, such as the exchange of a step with other ranks takes, and then sleeps, so that it
/// leaves the processor to other work. After a thread had to sleep, threads spin for some tens of
/// microseconds only, about the time of a step of a small world, in the next phases. They do not
/// spin if there are more threads than usable processors.
class Barrier {
 public:
  /// @param threads number of threads that arrive in each phase
  explicit Barrier(int threads);

  /// Arrives and waits until all threads have arrived.
  void wait() { waitFor(restPhases_.load(std::memory_order_relaxed) > 0 ? spins_ : mostSpins_); }
  /// Does the same for a thread without a task, which spins for some tens of microseconds.
  void waitIdle() { waitFor(spins_); }
  /// Arrives on behalf of `threads` threads that could not be started; does not wait. Valid for one
  /// phase, which another thread must complete.
  void arriveFor(int threads);

 private:
  void waitFor(int spins);

  const int threads_;
  const int spins_, mostSpins_;
  std::atomic<int> restPhases_{0};  // phases in which threads spin shortly
  std::atomic<int> arrived_{0};
  std::atomic<unsigned> phase_{0};
};

/// Team of threads: the calling thread and workers that wait between tasks until the team is
/// destroyed.
class ThreadTeam {
 public:
  /// @param threads size of the team, at least 1
  /// @throws DeviceError if the system cannot start the threads
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// Returns the number of threads, with the caller.
  int size() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls task(thread) concurrently on every thread, thread 0 on the caller, and waits for all.
  /// @param task must not throw; calls barrier().wait() equally often on all threads
  /// @pre no other call is running
  void run(const std::function<void(int)>& task);

  /// Returns the barrier of all threads, for use inside a task.
  Barrier& barrier() { return barrier_; }

 private:
  void runTasks(int thread);
  void stopWorkers();

  Barrier barrier_;
  const std::function<void(int)>* task_ = nullptr;  ///< null: the workers exit
  std::vector<std::thread> workers_;
};

}  // namespace mass::detail
