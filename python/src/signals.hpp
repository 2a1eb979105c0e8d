#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

namespace mass::python {

/// Look for signals of Python, such as Ctrl-C, some times per second. One thread uses it, without
/// the GIL.
class Signals {
 public:
  /// Lets Python handle its signals. @return true if Python has an error then
  bool haveFailed() {
    constexpr std::chrono::milliseconds interval{20};
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + interval;
    const nanobind::gil_scoped_acquire acquired;
    return PyErr_CheckSignals() != 0;
  }

 private:
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace mass::python
