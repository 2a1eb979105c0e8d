#include <mass/memory/ring_memory.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace mass::detail {
namespace {

/// Maps a file of `bytes` bytes twice into `address`, a reservation of `2 * bytes` bytes.
/// @return true if that succeeded
bool mapTwice(int file, char* address, std::size_t bytes) {
  constexpr int access = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_FIXED | MAP_POPULATE;
  for (char* const begin : {address, address + bytes})
    if (mmap(begin, bytes, access, flags, file, 0) == MAP_FAILED) return false;
  return true;
}

}  // namespace

RingMemory::RingMemory(std::size_t bytes) {
  bytes = roundUp(bytes);
  const int file = memfd_create("mass-ring", MFD_CLOEXEC);
  if (file < 0) return;
  if (bytes > 0 && fallocate(file, 0, 0, static_cast<off_t>(bytes)) == 0) {
    void* const both =
        mmap(nullptr, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (both != MAP_FAILED) {
      if (mapTwice(file, static_cast<char*>(both), bytes)) {
        data_ = static_cast<char*>(both);
        bytes_ = bytes;
      } else {
        (void)munmap(both, 2 * bytes);
      }
    }
  }
  (void)close(file);  // the mappings stay
}

RingMemory::~RingMemory() {
  if (data_ != nullptr) (void)munmap(data_, 2 * bytes_);
}

std::size_t RingMemory::roundUp(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace mass::detail
