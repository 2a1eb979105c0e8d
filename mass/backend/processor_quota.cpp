#include <mass/backend/processor_quota.hpp>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace mass::detail {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Returns the quota of one group, in processors.
double quotaIn(const std::filesystem::path& group) {
  double quota = 0, period = 0;
  // Version 2: "50000 100000", or "max 100000", which is no number.
  if (std::ifstream(group / "cpu.max") >> quota >> period && period > 0) return quota / period;
  // Version 1: -1 without a limit.
  if (std::ifstream(group / "cpu.cfs_quota_us") >> quota &&
      std::ifstream(group / "cpu.cfs_period_us") >> period && quota > 0 && period > 0)
    return quota / period;
  return unlimited;
}

/// Returns the smallest quota of a group and its parents up to `root`. A container may not see its
/// own group below the root, only the root.
double smallestQuota(const std::filesystem::path& root, const std::filesystem::path& group) {
  double smallest = quotaIn(root);
  std::filesystem::path here = root;
  for (const std::filesystem::path& part : group.relative_path()) {
    here /= part;
    smallest = std::min(smallest, quotaIn(here));
  }
  return smallest;
}

/// True if `name` is one of the names in a list with commas.
bool isListed(const std::string& name, const std::string& list) {
  std::istringstream names(list);
  for (std::string one; std::getline(names, one, ',');) {
    if (one == name) return true;
  }
  return false;
}

}  // namespace

double processorQuota(const std::filesystem::path& membership, const std::filesystem::path& root) {
  double quota = unlimited;
  std::ifstream groups(membership);
  for (std::string line; std::getline(groups, line);) {
    std::istringstream fields(line);
    std::string number, controllers, group;
    if (!std::getline(fields, number, ':') || !std::getline(fields, controllers, ':') ||
        !std::getline(fields, group))
      continue;
    if (controllers.empty()) quota = std::min(quota, smallestQuota(root, group));
    if (isListed("cpu", controllers)) quota = std::min(quota, smallestQuota(root / "cpu", group));
  }
  return quota;
}

}  // namespace mass::detail
