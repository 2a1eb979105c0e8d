#pragma once

#include <filesystem>

namespace mass::detail {

/// Returns the processors that the control groups of this process may use on average, as containers
/// and batch systems limit them; infinity without a limit. The kernel suspends all threads of a
/// group that has used its quota.
/// @param membership file with the groups of the process, one "number:controllers:path" a line
/// @param root folder of the groups, of version 2 or 1
double processorQuota(const std::filesystem::path& membership = "/proc/self/cgroup",
                      const std::filesystem::path& root = "/sys/fs/cgroup");

}  // namespace mass::detail
