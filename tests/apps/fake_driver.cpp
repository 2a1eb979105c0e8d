// Substitute for libcuda.so.1: reproduces failures of drivers that this machine does not have. The
// environment gives its results, as numbers of CUDA.
#include <cstdlib>

namespace {

int number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

extern "C" int cuDriverGetVersion(int* version) {
  *version = number("FAKE_DRIVER_VERSION");
  return 0;
}

extern "C" int cuInit(unsigned int /*flags*/) {
  return number("FAKE_DRIVER_INIT");
}
