#pragma once

#include <python/src/recorder.hpp>
#include <python/src/session.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace mass::python {

/// Thread that keeps the live view up to date between two calls of step(): it shows the state that
/// no thread of Python uses, and answers the pages.
class Watcher {
 public:
  /// The references must outlive this.
  Watcher(Session& session, Recorder& recorder)
      : session_(session), recorder_(recorder), thread_([this] { watch(); }) {}
  ~Watcher() {
    {
      const std::scoped_lock lock(mutex_);
      isEnding_ = true;
    }
    ending_.notify_all();
    thread_.join();
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  /// Time between two looks. A run that has changed between them is not idle.
  static constexpr std::chrono::milliseconds interval{30};

  void watch() {
    std::unique_lock lock(mutex_);
    while (!ending_.wait_for(lock, interval, [this] { return isEnding_; })) look();
  }

  void look() {
    if (recorder_.view()->viewers() == 0) return;
    const Session::Look look(session_);
    if (!look.isGranted()) return;
    const std::uint64_t version = session_.version();
    if (version == seen_) {
      recorder_.rest(version != shown_);
      shown_ = version;
    }
    seen_ = version;
  }

  Session& session_;
  Recorder& recorder_;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool isEnding_ = false;
  std::uint64_t seen_ = 0;   ///< version at the last look
  std::uint64_t shown_ = 0;  ///< version that the pages have
  std::thread thread_;
};

}  // namespace mass::python
