#pragma once

#include <mass/support/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace mass::detail {

/// Thrown if a child process ended without a result: it crashed, or exceeded a limit.
class ChildError : public Error {
 public:
  using Error::Error;
};

/// Limits of a child process.
struct ChildLimits {
  std::size_t resultBytes = 0;  ///< most bytes of its result
  std::size_t memoryBytes = 0;  ///< most bytes that it may allocate
  unsigned seconds = 0;         ///< most processor time
};

/// Reads untrusted data in a child process, since the library that parses them may crash, or may
/// never end. Nothing that the child prints is shown. A signal that asks the run to end
/// (isInterrupted()) ends the child too.
/// @param read runs in the child, with a copy of this process's memory; must not use GPUs or other
///   threads
/// @return the result of `read`
/// @throws InputError with the message of an exception of `read`
/// @throws ChildError if the child ended without a result, or cannot be started
std::vector<std::uint8_t> readInChild(const ChildLimits& limits,
                                      const std::function<std::vector<std::uint8_t>()>& read);

}  // namespace mass::detail
