#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/dispatch/executor.hpp>
#include <mass/launch/gpu_launch.hpp>

#include <memory>
#include <optional>

namespace mass::detail {

/// Method by which GPUs exchange halos.
enum class HaloMode {
  automatic,  ///< the fastest of the available modes, by measurement
  store,      ///< kernels store border rows into the halos of other GPUs
  copy,       ///< peer-to-peer copies, overlapped with the interior
  nccl,       ///< NCCL send and receive, overlapped with the interior
  host,       ///< copies through pinned memory, overlapped with the interior
};

/// Settings of a GPU executor.
struct GpuOptions {
  HaloMode mode = HaloMode::automatic;  ///< method of the halo exchange
  /// Launch shape of all rules; if empty, autotuned for each rule and world.
  std::optional<LaunchShape> launchShape;
  /// Largest number of steps in one pass over memory; 0: as many as are fastest by measurement.
  int stepsPerPass = 0;
  /// Number of steps between two exchanges of halos; 0: the fastest by measurement.
  int stepsPerExchange = 0;
};

/// Returns an executor for GPUs. `devices` must outlive it.
/// @throws DeviceError if the halo mode is not available on these GPUs, or this build does not
///   support GPUs.
std::unique_ptr<Executor> makeGpuExecutor(const DeviceConfig& devices, const GpuOptions& options);

}  // namespace mass::detail
