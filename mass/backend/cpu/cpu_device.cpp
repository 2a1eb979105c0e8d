#include <mass/backend/cpu/cpu_device.hpp>

#include <mass/support/byte_rows.hpp>
#include <mass/support/cache_line.hpp>
#include <mass/support/error.hpp>
#include <mass/support/hash.hpp>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

namespace mass::detail {
namespace {

constexpr std::size_t hugePage = std::size_t{2} << 20;

/// Returns the number at the beginning of a file; `otherwise` if there is none ("max") or no file.
std::size_t readNumber(const char* path, std::size_t otherwise) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? number : otherwise;
}

/// Returns the bytes that the operating system can allocate without swapping.
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

/// Returns the bytes that the control group (cgroup v2) still permits.
std::size_t controlGroupFree() {
  constexpr auto unlimited = std::numeric_limits<std::size_t>::max();
  const std::size_t limit = readNumber("/sys/fs/cgroup/memory.max", unlimited);
  const std::size_t used = readNumber("/sys/fs/cgroup/memory.current", 0);
  return limit == unlimited ? unlimited : limit - std::min(limit, used);
}

/// Returns the bytes of address space that `ulimit -v` still permits.
std::size_t addressSpaceFree() {
  constexpr auto unlimited = std::numeric_limits<std::size_t>::max();
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const std::size_t pages = readNumber("/proc/self/statm", 0);
  const std::size_t used = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, used);
}

/// Returns the alignment of an allocation: that of huge pages if it spans several, else a cache
/// line.
std::size_t alignmentFor(std::size_t bytes) {
  return bytes >= 2 * hugePage ? hugePage : cacheLineBytes;
}

std::size_t roundUp(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

char* elementOf(void* data, std::int64_t at, std::size_t elementSize) {
  return static_cast<char*>(data) + static_cast<std::size_t>(at) * elementSize;
}
const char* elementOf(const void* data, std::int64_t at, std::size_t elementSize) {
  return static_cast<const char*>(data) + static_cast<std::size_t>(at) * elementSize;
}

/// Calls body(element, packed element) with the indices of the first element of each line of a box,
/// in the buffer and in packed memory.
template <class Body>
void forEachLine(const Box& box, Body&& body) {
  for (std::int64_t line = 0; line < box.lines(); ++line)
    body(box.line(line), line * box.counts[2]);
}

/// Sets `count` elements of `size` bytes to a value; the constant size lets the compiler vectorise
/// the loop.
template <std::size_t size>
void fillLine(char* data, std::int64_t count, const void* value) {
  using Element = std::array<char, size>;
  Element element;
  std::memcpy(&element, value, size);
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(data + static_cast<std::size_t>(i) * size, &element, size);
  }
}

/// Sets `count` elements to a value, of any size.
void fillLine(char* data, std::size_t elementSize, std::int64_t count, const void* value) {
  switch (elementSize) {
    case 1:
      return fillLine<1>(data, count, value);
    case 2:
      return fillLine<2>(data, count, value);
    case 4:
      return fillLine<4>(data, count, value);
    case 8:
      return fillLine<8>(data, count, value);
    default:
      for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(data + static_cast<std::size_t>(i) * elementSize, value, elementSize);
      }
  }
}

}  // namespace

std::string CpuDevice::name() const {
  return fmt::format("cpu{}", number_);
}

std::size_t CpuDevice::freeBytes() const {
  return std::min({systemFree(), controlGroupFree(), addressSpaceFree()});
}

void* CpuDevice::allocate(std::size_t bytes) {
  const std::size_t alignment = alignmentFor(bytes);
  // std::aligned_alloc requires a multiple of the alignment.
  void* const address =
      std::aligned_alloc(alignment, roundUp(std::max(bytes, alignment), alignment));
  if (address == nullptr) {
    throw DeviceError("device {} cannot allocate {} bytes; {} bytes are free", name(), bytes,
                      freeBytes());
  }
  // Huge pages reduce TLB misses in worlds much larger than the caches; the kernel may ignore the
  // hint.
  if (alignment == hugePage) (void)madvise(address, bytes, MADV_HUGEPAGE);
  return address;
}

void CpuDevice::deallocate(void* address, std::size_t) noexcept {
  std::free(address);
}

void CpuDevice::fill(void* data, std::size_t elementSize, const Box& box, const void* value) {
  forEachLine(box, [&](std::int64_t at, std::int64_t) {
    fillLine(elementOf(data, at, elementSize), elementSize, box.counts[2], value);
  });
}

void CpuDevice::copy(void* data, std::size_t elementSize, const Box& from, std::int64_t to) {
  const std::size_t bytes = static_cast<std::size_t>(from.counts[2]) * elementSize;
  forEachLine(from, [&](std::int64_t at, std::int64_t) {
    std::memcpy(elementOf(data, to + at - from.first, elementSize),
                elementOf(data, at, elementSize), bytes);
  });
}

void CpuDevice::duplicate(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

void CpuDevice::read(const void* data, std::size_t elementSize, const Box& box, void* packed) {
  const std::size_t bytes = static_cast<std::size_t>(box.counts[2]) * elementSize;
  forEachLine(box, [&](std::int64_t at, std::int64_t out) {
    std::memcpy(elementOf(packed, out, elementSize), elementOf(data, at, elementSize), bytes);
  });
}

void CpuDevice::write(void* data, std::size_t elementSize, const Box& box, const void* packed) {
  const std::size_t bytes = static_cast<std::size_t>(box.counts[2]) * elementSize;
  forEachLine(box, [&](std::int64_t at, std::int64_t in) {
    std::memcpy(elementOf(data, at, elementSize), elementOf(packed, in, elementSize), bytes);
  });
}

std::uint64_t CpuDevice::hash(const void* data, std::size_t elementSize, const Box& box,
                              std::uint64_t seed, std::int64_t firstNumber) {
  const std::size_t bytes = static_cast<std::size_t>(box.counts[2]) * elementSize;
  std::uint64_t total = 0;
  for (std::int64_t line = 0; line < box.lines(); ++line) {
    total += hashBytes(elementOf(data, box.line(line), elementSize), bytes,
                       mix(seed) ^ static_cast<std::uint64_t>(firstNumber + line));
  }
  return total;
}

void CpuDevice::packBits(const void* bytes, const BoolRows& shape, void* words) {
  for (std::int64_t row = 0; row < shape.rows; ++row)
    packBytes(static_cast<const unsigned char*>(bytes) + row * shape.byteStride, shape.columns,
              static_cast<std::uint64_t*>(words) + row * shape.wordStride);
}

void CpuDevice::unpackBits(const void* words, const BoolRows& shape, void* bytes) {
  for (std::int64_t row = 0; row < shape.rows; ++row)
    unpackBytes(static_cast<const std::uint64_t*>(words) + row * shape.wordStride, shape.columns,
                static_cast<unsigned char*>(bytes) + row * shape.byteStride);
}

}  // namespace mass::detail
