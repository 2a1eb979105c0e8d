#pragma once

#include <mass/backend/launcher.hpp>
#include <mass/mass.hpp>

#include <nanobind/nanobind.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace mass::python {

namespace nb = nanobind;

/// @throws UsageError if a launcher has started several processes
inline void requireOneProcess() {
  const auto launch = detail::launchOf([](const char* name) { return std::getenv(name); });
  if (launch.count == 1) return;
  throw UsageError(
      "{} has started several processes: Python runs a simulation in one; start the program "
      "itself on several ranks",
      launch.launcher);
}

/// Returns the number of forks between the process that loaded the module and this one.
inline int forks() {
  static std::atomic<int> count = 0;
  [[maybe_unused]] static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { ++count; });
  return count;
}

/// Devices, places and agents that Python uses, one thread at a time.
class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  virtual Mass& mass() = 0;

  /// Number that changes with each use that may change the state.
  std::uint64_t version() const { return version_; }
  /// Lease of memory of the state. The state does not change as long as it exists.
  using Lease = std::shared_ptr<const void>;
  Lease lease() const { return leases_; }

  /// Right of a thread to use the session.
  /// @throws UsageError if another thread uses it, or the process is a copy of that which made it
  class Use {
   public:
    explicit Use(Session& session) : session_(session) {
      if (forks() != session.forks_)
        throw UsageError(
            "this process is a fork of the one that opened the run, without its threads: open the "
            "run after the fork");
      if (session.isUsed_.exchange(true))
        throw UsageError("another thread uses this run: open one for each thread");
    }
    ~Use() { session_.isUsed_ = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Session& session_;
  };

  /// Calls `function`, which does not change the state, while other threads of Python go on.
  template <class Function>
  auto use(const Function& function) {
    const Use use(*this);
    const nb::gil_scoped_release released;
    return function();
  }

  /// Right of a thread to change the state.
  class Change : public Use {
   public:
    /// @throws UsageError if arrays of views exist; otherwise as Use
    explicit Change(Session& session) : Use(session) { session.beginChange(); }
  };

  /// Calls `function`, which may change the state, while other threads of Python go on.
  template <class Function>
  auto change(const Function& function) {
    const Change change(*this);
    const nb::gil_scoped_release released;
    return function();
  }

 private:
  void beginChange() {
    if (leases_.use_count() > 1)
      throw UsageError(
          "{} arrays of views are in use, whose memory this would change: delete them or take "
          "copies before",
          leases_.use_count() - 1);
    ++version_;
  }

  Lease leases_ = std::make_shared<char>();  ///< shared by all arrays of views
  std::uint64_t version_ = 0;
  std::atomic<bool> isUsed_ = false;
  int forks_ = forks();
};

}  // namespace mass::python
