#pragma once

#include <mass/mass.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace mass::testing {

/// A Mass on some devices and threads; rules may read as far as any test's does.
inline Mass makeMass(int devices, int threads = 0, const std::vector<double>& weights = {}) {
  Settings settings;
  settings.set(fmt::format("devices={}", devices));
  settings.set(fmt::format("threads={}", threads == 0 ? devices : threads));
  settings.set("MAX_PLACE_EXCHANGE=8");
  if (!weights.empty()) settings.set(fmt::format("weights=[{}]", fmt::join(weights, ", ")));
  return Mass(settings);
}

}  // namespace mass::testing
