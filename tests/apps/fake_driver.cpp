// Stands in for libcuda.so.1, to bring the programs to the failures of a driver that this machine
// does not have. What it says comes from the environment, as the numbers that CUDA uses.
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
