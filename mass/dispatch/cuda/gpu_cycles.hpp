#pragma once

#include <mass/dispatch/cuda/carried_steps.hpp>
#include <mass/dispatch/cuda/gpu_halos.hpp>
#include <mass/dispatch/cuda/launch_tuner.hpp>
#include <mass/dispatch/executor.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail {

/// Cycles of several turns between exchanges on several GPUs: turns but the last also compute
/// places of other GPUs, which are ghosts here. Each GPU of a process is a group of its own.
class GpuCycles {
 public:
  /// Parameters must outlive this.
  GpuCycles(const DeviceConfig& devices, GpuHalos& halos, const GpuGuard& guard,
            const GpuResourcesByDevice& resources, LaunchTuner& tuner)
      : devices_(&devices),
        halos_(&halos),
        guard_(&guard),
        resources_(&resources),
        tuner_(&tuner) {}

  /// Returns the largest number of turns of a cycle; 0 if GPUs exchange after each step. The same
  /// on all ranks. @param areMeasured true if the compute times of devices are measured
  std::int64_t mostTurns(const PlaceFields& fields, Turn turn, bool areMeasured) const;
  /// Runs the first whole cycles of a batch, or one shorter cycle if it has fewer turns.
  /// @param mode a mode of GpuHalos::modesFor() but HaloMode::store
  /// @param turns turns of a cycle, at most mostTurns()
  BatchResult run(HaloMode mode, const PlaceFields& fields, Turn turn, const StepBatch& batch,
                  std::int64_t turns);

 private:
  std::vector<LaunchShape> shapesOf(const PlaceFields& fields, Turn turn, const StepBatch& batch);
  CyclePlan planOf(const PlaceFields& fields, Turn turn, const StepBatch& batch,
                   const BatchHalos& halos, const TurnBuffers& buffers, std::int64_t turns);

  const DeviceConfig* devices_;
  GpuHalos* halos_;
  const GpuGuard* guard_;
  const GpuResourcesByDevice* resources_;
  LaunchTuner* tuner_;
};

}  // namespace mass::detail
