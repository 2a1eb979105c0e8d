#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/dispatch/executor.hpp>
#include <mass/launch/gpu_launch.hpp>

#include <memory>
#include <optional>

namespace mass::detail {

/// How ghosts get from one GPU to another.
enum class HaloMode {
  automatic,  ///< what a short measurement finds fastest
  store,      ///< the kernel stores its border rows into the neighbours' ghosts
  copy,       ///< copies between the GPUs, beside the work on the interior
  nccl,       ///< NCCL's send and receive, beside the work on the interior
  host,       ///< copies through the host's memory, beside the work on the interior
};

struct GpuOptions {
  HaloMode mode = HaloMode::automatic;
  /// How threads share the places; measured once for each rule and world when not given.
  std::optional<LaunchShape> tile;
};

/// An executor for devices that are GPUs. `devices` must outlive it.
std::unique_ptr<Executor> makeGpuExecutor(const DeviceConfig& devices, const GpuOptions& options);

}  // namespace mass::detail
