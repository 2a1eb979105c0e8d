#pragma once

#include <string>
#include <thread>

namespace mass::detail {

/// Ends the process when a time is over, unless the object is destroyed before. For calls that may
/// never return and cannot be interrupted, as MPI_Init.
class ExitTimer {
 public:
  /// @param seconds time until the end @param exitCode status of the process
  /// @param message line that is printed to standard error then; empty for none
  ExitTimer(double seconds, int exitCode, std::string message = {});

 private:
  std::jthread thread_;
};

}  // namespace mass::detail
