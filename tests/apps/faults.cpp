// Preloaded library that makes malloc fail. Environment:
// FAULT_COUNT=1     prints the number of allocations of HDF5 at the end
// FAULT_FROM=n      the allocations of HDF5 fail from its n-th one on
// FAULT_AT=n        the n-th allocation of HDF5 fails
// FAULT_ALL_FROM=n  all allocations of the program fail from the n-th one on

#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* __libc_calloc(std::size_t count, std::size_t bytes);
extern "C" void* __libc_realloc(void* old, std::size_t bytes);

namespace {

long countOf(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::atol(text) : 0;
}

long ofHdf5 = 0;
long ofAll = 0;

bool isHdf5(const void* caller) {
  static bool busy = false;  // dladdr may allocate
  if (busy) return false;
  busy = true;
  Dl_info library{};
  const bool found = ::dladdr(caller, &library) != 0 && library.dli_fname != nullptr &&
                     std::strstr(library.dli_fname, "libhdf5") != nullptr;
  busy = false;
  return found;
}

/// True if an allocation from that address fails.
bool fails(const void* caller) {
  static const long fromAll = countOf("FAULT_ALL_FROM");
  static const long fromHdf5 = countOf("FAULT_FROM");
  static const long atHdf5 = countOf("FAULT_AT");
  if (fromAll > 0) return ++ofAll >= fromAll;
  if (!isHdf5(caller)) return false;
  ++ofHdf5;
  return ofHdf5 == atHdf5 || (fromHdf5 > 0 && ofHdf5 >= fromHdf5);
}

[[gnu::destructor]] void report() {
  if (countOf("FAULT_COUNT") > 0) std::fprintf(stderr, "FAULTS: %ld\n", ofHdf5);
}

}  // namespace

extern "C" void* malloc(std::size_t bytes) {
  return fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(bytes);
}

extern "C" void* calloc(std::size_t count, std::size_t bytes) {
  return fails(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, bytes);
}

extern "C" void* realloc(void* old, std::size_t bytes) {
  return fails(__builtin_return_address(0)) ? nullptr : __libc_realloc(old, bytes);
}
