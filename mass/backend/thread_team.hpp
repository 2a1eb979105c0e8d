#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace mass::detail {

/// Processors that this process may use, at least 1.
int usableProcessors();

/// Where a fixed number of threads wait for each other. A waiting thread spins for some tens of
/// microseconds, about as long as a step of a small world lasts, and then sleeps, so that a machine
/// with other work to do loses little.
class Barrier {
 public:
  explicit Barrier(int threads);

  /// Returns when all threads have come.
  void wait();
  /// Counts threads as come that never will.
  void excuse(int threads);

 private:
  const int threads_;
  const int spins_;
  std::atomic<int> come_{0};
  std::atomic<unsigned> phase_{0};
};

/// Threads that live as long as this and sleep between their tasks; the caller is one of them.
class ThreadTeam {
 public:
  /// @throws DeviceError when the system gives fewer threads.
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return static_cast<int>(helpers_.size()) + 1; }

  /// Calls task(rank) on every thread at once, rank 0 being the caller's, and waits for all. `task`
  /// must not throw; every thread must come to the same barriers in it. One call at a time.
  void run(const std::function<void(int)>& task);

  /// For use within a task.
  Barrier& barrier() { return barrier_; }

 private:
  void help(int rank);
  void dismiss();

  Barrier barrier_;
  const std::function<void(int)>* task_ = nullptr;  ///< null tells the helpers to end
  std::vector<std::thread> helpers_;
};

}  // namespace mass::detail
