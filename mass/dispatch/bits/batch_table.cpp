#include <mass/dispatch/bits/batch_table.hpp>

namespace mass::detail {

std::optional<BoolTable> tableOfBatch(const PlaceFields& fields, const Kernel& kernel,
                                      const StepBatch& batch, double leastUpdates) {
  const BoolRule* const rule = kernel.boolRule;
  const DeviceConfig& devices = fields.devices();
  if (rule == nullptr || (rule->readsArrays && devices.areGpus())) return std::nullopt;
  double updates = static_cast<double>(batch.steps);
  for (const std::int64_t places : fields.domain().shape) updates *= static_cast<double>(places);
  if (updates < leastUpdates) return std::nullopt;
  return rule->table(kernel.arguments, devices.firstLocal());
}

}  // namespace mass::detail
