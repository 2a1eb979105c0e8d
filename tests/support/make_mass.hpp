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

/// What the devices of model tests are: CPUs, unless the environment says MASS_TEST_BACKEND=cuda.
inline std::string testBackend() {
  const char* const backend = std::getenv("MASS_TEST_BACKEND");
  return backend == nullptr ? "cpu" : backend;
}

/// Whether a test gets as many devices as it asks for: CPUs always, GPUs if there are so many.
inline bool haveDevices(int devices) {
  return testBackend() != "cuda" || detail::usableGpus() >= devices;
}

/// Asks for some devices (as many GPUs as there are, at most) and threads, a device each if 0.
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

/// A Mass on such devices; rules may read, and agents travel, as far as any test's do. `more` are
/// further settings, such as "seed=3".
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
