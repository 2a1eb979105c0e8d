#pragma once

#include <chrono>
#include <cstdint>

namespace mass::detail {

/// Steps between two interruptions of a run, such as a look for signals. Their number adapts so
/// that they take about a wanted time.
struct Chunk {
  /// Seconds of a chunk between two looks for a wish to end a run, such as Ctrl-C.
  static constexpr double untilEnd = 0.05;

  std::int64_t steps = 1;  ///< number of steps of the next chunk

  /// Calls `function`, and adapts the next chunk.
  /// @param made number of steps that `function` makes; fewer than `steps` if an output is due
  /// @param wanted seconds of a chunk
  template <class Function>
  void make(std::int64_t made, double wanted, const Function& function) {
    const auto start = std::chrono::steady_clock::now();
    function();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    const double seconds = time.count();
    if (seconds < wanted / 2 && made == steps)
      steps *= growthTo(wanted, seconds);
    else if (seconds > wanted * 2 && steps > 1)
      steps /= 2;
  }

 private:
  /// Returns the factor by which chunks become longer: few short chunks, since passes of several
  /// steps end with a chunk.
  static std::int64_t growthTo(double wanted, double seconds) {
    constexpr double most = 16;
    return static_cast<std::int64_t>(seconds * most > wanted ? wanted / seconds : most);
  }
};

}  // namespace mass::detail
