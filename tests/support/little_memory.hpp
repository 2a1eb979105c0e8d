#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>

namespace mass::testing {

/// Limits the address space of the process, during the lifetime of the object, to its present size
/// and `more` bytes.
class LittleMemory {
 public:
  explicit LittleMemory(std::size_t more) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    ::getrlimit(RLIMIT_AS, &before_);
    const rlimit limit{pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + more,
                       before_.rlim_max};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  ~LittleMemory() { ::setrlimit(RLIMIT_AS, &before_); }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  rlimit before_{};
};

}  // namespace mass::testing
