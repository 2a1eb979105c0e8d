#include <mass/backend/cpu/cpu_device.hpp>

#include <mass/support/error.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

namespace mass {
namespace {

constexpr std::size_t cacheLine = 64;
constexpr std::size_t hugePage = std::size_t{2} << 20;

/// The number in the first line of a file; nothing when there is none ("max", or no such file).
std::size_t readNumber(const char* path, std::size_t otherwise) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? number : otherwise;
}

std::size_t systemFree() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    std::size_t kibibytes = 0;
    if (words >> key >> kibibytes && key == "MemAvailable:") return kibibytes * 1024;
  }
  return std::numeric_limits<std::size_t>::max();
}

std::size_t controlGroupFree() {
  constexpr auto unlimited = std::numeric_limits<std::size_t>::max();
  const std::size_t limit = readNumber("/sys/fs/cgroup/memory.max", unlimited);
  const std::size_t used = readNumber("/sys/fs/cgroup/memory.current", 0);
  return limit == unlimited ? unlimited : limit - std::min(limit, used);
}

std::size_t alignmentFor(std::size_t bytes) {
  return bytes >= 2 * hugePage ? hugePage : cacheLine;
}

std::size_t roundUp(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

}  // namespace

std::string CpuDevice::name() const {
  return fmt::format("cpu{}", number_);
}

std::size_t CpuDevice::freeBytes() const {
  return std::min(systemFree(), controlGroupFree());
}

void* CpuDevice::allocate(std::size_t bytes) {
  const std::size_t alignment = alignmentFor(bytes);
  // aligned_alloc takes multiples of the alignment; what is beyond `bytes` is never touched.
  void* const address =
      std::aligned_alloc(alignment, roundUp(std::max(bytes, alignment), alignment));
  if (address == nullptr) {
    throw DeviceError("device {} cannot allocate {} bytes; {} bytes are free", name(), bytes,
                      freeBytes());
  }
  // Fewer address translations for worlds far larger than the caches; a hint that may be refused.
  if (alignment == hugePage) (void)madvise(address, bytes, MADV_HUGEPAGE);
  return address;
}

void CpuDevice::deallocate(void* address, std::size_t) noexcept {
  std::free(address);
}

}  // namespace mass
