#pragma once

#include <mass/backend/ranks.hpp>

#include <string>
#include <vector>

namespace mass::detail {

/// GPUs that a rank can use, and the number of devices that it needs.
struct RankGpus {
  std::string host;               ///< name of the rank's host
  int devices = 0;                ///< number of GPUs of the rank; 0: it uses processors
  std::vector<std::string> gpus;  ///< names that are unique on the host, in order of preference
};

/// Assigns GPUs to the devices of all ranks, in the order of ranks: each device gets the GPU of its
/// rank that has fewest devices, the first of them in the order of preference.
/// @param devicesPerGpu largest number of devices of a GPU
/// @return for each rank the index in RankGpus::gpus of each of its devices
/// @throws DeviceError if a host has too few GPUs
std::vector<std::vector<int>> shareGpus(const std::vector<RankGpus>& ranks, int devicesPerGpu);

/// Returns this rank's part of the devices on the GPUs of its host, at least 1.
/// @param ranks the GPUs of all ranks; those with 0 `devices` need none
int partOfGpus(const std::vector<RankGpus>& ranks, int rank, int devicesPerGpu);

/// Returns the GPUs of all ranks. All ranks call it together.
/// @param devices number of GPUs of this rank
/// @throws DeviceError if CUDA fails
std::vector<RankGpus> gpusOfRanks(Ranks& ranks, int devices);

}  // namespace mass::detail
