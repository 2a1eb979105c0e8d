#pragma once

#include <mass/backend/launcher.hpp>
#include <mass/mass.hpp>

#include <nanobind/nanobind.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>

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

  /// True if this process is a fork of that which made the session.
  bool isForked() const { return forks() != forks_; }
  /// Number that changes with each use that may change the state.
  std::uint64_t version() const { return version_; }
  /// Lease of memory of the state. The state does not change as long as it exists.
  using Lease = std::shared_ptr<const void>;
  Lease lease() const { return leases_; }

  /// Right of a thread to use the session.
  /// @throws UsageError if another thread uses it, or the process is a copy of that which made it
  class Use {
   public:
    explicit Use(Session& session) : session_(session), isNested_(session.isInCallback()) {
      if (session.isForked())
        throw UsageError(
            "this process is a fork of the one that opened the run, without its threads: open the "
            "run after the fork");
      if (isNested_) return;
      for (User user = User::none; !session.begin(user, User::caller); user = User::none) {
        if (user == User::caller)
          throw UsageError("another thread uses this run: open one for each thread");
        session.user_.wait(User::watcher);  // makes a picture without Python
      }
    }
    ~Use() {
      if (!isNested_) session_.user_ = User::none;
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Session& session_;
    bool isNested_;  ///< a call of this thread that has the right calls Python
  };

  /// Lets this thread use the session in functions of Python that a call with the right calls.
  class Callback {
   public:
    explicit Callback(Session& session) : session_(session) {
      session.callback_ = std::this_thread::get_id();
    }
    ~Callback() { session_.callback_ = std::thread::id(); }
    Callback(const Callback&) = delete;
    Callback& operator=(const Callback&) = delete;

   private:
    Session& session_;
  };
  /// True if a call of this thread that has the right to use the session calls Python.
  bool isInCallback() const { return callback_ == std::this_thread::get_id(); }

  /// Right of a thread of the package to read the state while no thread of Python uses it. Threads
  /// of Python wait for its end.
  class Look {
   public:
    explicit Look(Session& session) : session_(session) {
      User user = User::none;
      isGranted_ = session.begin(user, User::watcher);
    }
    ~Look() {
      if (!isGranted_) return;
      session_.user_ = User::none;
      session_.user_.notify_all();
    }
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;

    bool isGranted() const { return isGranted_; }

   private:
    Session& session_;
    bool isGranted_ = false;
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
  /// Owner of the right to use the session.
  enum class User { none, caller, watcher };

  /// Takes the right if the user is `expected`. @param expected receives the user otherwise
  bool begin(User& expected, User user) { return user_.compare_exchange_strong(expected, user); }

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
  std::atomic<User> user_ = User::none;
  std::atomic<std::thread::id> callback_{};
  int forks_ = forks();
};

}  // namespace mass::python
