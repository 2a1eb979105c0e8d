#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/partition/row_partition.hpp>

#include <functional>
#include <limits>
#include <optional>

namespace mass::detail {

/// Trial of the GPUs of a run without the processors beside them, which have no rows meanwhile: a
/// GPU that makes several steps in a pass may be faster alone. The balance moves rows at the first
/// looks. Then the GPUs run alone up to the second look, since they select launch shapes and passes
/// up to the first, and the faster way is kept.
class IdleTrial {
 public:
  /// Use of a look at the times of the devices.
  enum class Next {
    balance,  ///< move rows between all devices
    idle,     ///< move all rows to the GPUs
    restore,  ///< return to the partition before `idle`
    keep,     ///< move nothing
  };

  /// Records a look. @param stepSeconds mean time of a step since the last one, above 0
  /// @param partition present rows
  /// @param canBeIdle asked at most once: true if the GPUs have memory for all rows
  Next look(double stepSeconds, const RowPartition& partition,
            const std::function<bool()>& canBeIdle);
  /// Returns the partition before `idle`. @pre look() has returned `restore`
  const RowPartition& partitionBefore() const { return *before_; }

 private:
  static constexpr int balancedLooks = 3, aloneLooks = 2;

  Next decide(bool isAlone);

  int looks_ = 0;
  std::optional<bool> isAlone_{};                           // once decided
  double mixed_ = std::numeric_limits<double>::infinity();  // fastest step with processors
  double alone_ = std::numeric_limits<double>::infinity();  // fastest step without
  std::optional<RowPartition> before_{};
};

/// Returns the partition in which the GPUs have all rows, in proportion to those that they have.
/// @pre there is a GPU with rows
RowPartition onGpus(const RowPartition& partition, const DeviceConfig& devices);

}  // namespace mass::detail
