#pragma once

#include <mass/backend/gpus.hpp>
#include <mass/mass.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace mass::testing {

/// Returns the backend of model tests: the environment variable MASS_TEST_BACKEND, or cpu.
inline std::string testBackend() {
  const char* const backend = std::getenv("MASS_TEST_BACKEND");
  return backend == nullptr ? "cpu" : backend;
}

/// True if `devices` devices are available: always for CPUs; for GPUs if the machine has that many.
inline bool haveDevices(int devices) {
  return testBackend() != "cuda" || detail::usableGpus() >= devices;
}

/// Sets backend, devices (at most the GPUs of the machine), threads (0: one for each device) and
/// weights. Weights are left out if the machine has fewer GPUs.
inline void setDevices(Settings& settings, int devices, int threads = 0,
                       const std::vector<double>& weights = {}) {
  const int most = testBackend() == "cuda" ? std::max(detail::usableGpus(), 1) : devices;
  settings.set("backend=" + testBackend());
  settings.set(fmt::format("devices={}", std::min(devices, most)));
  settings.set(fmt::format("threads={}", threads == 0 ? std::min(devices, most) : threads));
  if (!weights.empty() && devices <= most) {
    settings.set(fmt::format("weights=[{}]", fmt::join(weights, ", ")));
  }
}

/// Returns a Mass on the devices that setDevices() selects, with MAX_PLACE_EXCHANGE and
/// MAX_AGENT_TRAVEL large enough for all tests.
/// @param more further settings, as "seed=3"
inline Mass makeMass(int devices, int threads = 0, const std::vector<double>& weights = {},
                     const std::vector<std::string>& more = {}) {
  Settings settings;
  setDevices(settings, devices, threads, weights);
  settings.set("MAX_PLACE_EXCHANGE=8");
  settings.set("MAX_AGENT_TRAVEL=3");
  for (const std::string& assignment : more) settings.set(assignment);
  return Mass(settings);
}

}  // namespace mass::testing
