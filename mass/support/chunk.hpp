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
  /// Largest factor between two chunks. Few short chunks suit passes of several steps, which end
  /// with a chunk.
  std::int64_t mostGrowth = 2;

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
      steps *= growth(wanted / seconds);
    else if (seconds > wanted * 2 && steps > 1)
      steps /= 2;
  }

 private:
  /// Returns the factor by which the next chunk is longer. @param wanted factor for the wanted time
  std::int64_t growth(double wanted) const {
    return wanted < static_cast<double>(mostGrowth) ? static_cast<std::int64_t>(wanted)
                                                    : mostGrowth;
  }
};

}  // namespace mass::detail
