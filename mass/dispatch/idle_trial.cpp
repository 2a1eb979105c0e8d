#include <mass/dispatch/idle_trial.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail {

IdleTrial::Next IdleTrial::decide(bool isAlone) {
  isAlone_ = isAlone;
  return isAlone ? Next::keep : Next::balance;
}

IdleTrial::Next IdleTrial::look(double stepSeconds, const RowPartition& partition,
                                const std::function<bool()>& canBeIdle) {
  const bool isAlone = partition.hasIdle();
  const bool shouldBeAlone = isAlone_.value_or(before_.has_value());
  if (shouldBeAlone && !isAlone) return decide(false);  // the cuts have been moved since
  if (isAlone_) return *isAlone_ ? Next::keep : Next::balance;
  ++looks_;
  if (!isAlone) {
    // The rows are not yet balanced before the first look.
    if (looks_ > 1) mixed_ = std::min(mixed_, stepSeconds);
    if (looks_ < balancedLooks) return Next::balance;
    if (!canBeIdle()) return decide(false);
    before_ = partition;
    return Next::idle;
  }
  alone_ = std::min(alone_, stepSeconds);
  if (looks_ < balancedLooks + aloneLooks) return Next::keep;
  return decide(alone_ <= mixed_) == Next::keep ? Next::keep : Next::restore;
}

RowPartition onGpus(const RowPartition& partition, const DeviceConfig& devices) {
  std::vector<double> weights;
  for (int device = 0; device < partition.devices(); ++device)
    if (devices.isGpu(device))
      weights.push_back(static_cast<double>(partition.range(device).size()));
  const std::vector<std::int64_t> ofGpus = RowPartition(partition.rows(), weights).bands();
  std::vector<std::int64_t> bands(static_cast<std::size_t>(partition.devices()));
  std::size_t gpu = 0;
  for (int device = 0; device < partition.devices(); ++device)
    if (devices.isGpu(device)) bands[static_cast<std::size_t>(device)] = ofGpus[gpu++];
  return RowPartition::withIdle(bands);
}

}  // namespace mass::detail
