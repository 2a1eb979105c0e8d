#pragma once

#include <mass/io/file_descriptor.hpp>

namespace mass::detail {

/// Discards the text on standard output and standard error of this process, until destroyed. Rank 0
/// prints for all ranks.
class SilentOutput {
 public:
  SilentOutput();
  ~SilentOutput();
  SilentOutput(const SilentOutput&) = delete;
  SilentOutput& operator=(const SilentOutput&) = delete;

 private:
  FileDescriptor output_, error_;  // copies of the streams
};

}  // namespace mass::detail
