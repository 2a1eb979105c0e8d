#include <mass/backend/share_gpus.hpp>

#include <mass/backend/gpus.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace mass::detail {
namespace {

/// @throws DeviceError always: the GPUs of a rank do not suffice
[[noreturn]] void throwTooFew(const std::vector<RankGpus>& ranks, std::size_t rank, int most) {
  const RankGpus& here = ranks[rank];
  const std::size_t count = here.gpus.size() * static_cast<std::size_t>(most);
  const char* const verb = count == 1 ? "is" : "are";
  if (ranks.size() == 1 || static_cast<std::size_t>(here.devices) > count) {
    throw DeviceError("{} GPUs were requested, there {} {}: set 'devices' to {} or less",
                      here.devices, verb, count, count);
  }
  int needed = 0;
  for (const RankGpus& other : ranks) needed += other.host == here.host ? other.devices : 0;
  throw DeviceError(
      "the ranks on host {} need {} GPUs, there {} {}: start fewer ranks there, lower 'devices', "
      "or set 'backend' to cpu; MASS_DEVICES_PER_GPU=N in the environment allows N devices on a "
      "GPU",
      here.host, needed, verb, count);
}

}  // namespace

std::vector<std::vector<int>> shareGpus(const std::vector<RankGpus>& ranks, int devicesPerGpu) {
  std::map<std::pair<std::string, std::string>, int> devicesOf;  // by host and GPU
  std::vector<std::vector<int>> shares(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankGpus& here = ranks[rank];
    const auto devices = [&](const std::string& gpu) -> int& {
      return devicesOf[{here.host, gpu}];
    };
    for (int device = 0; device < here.devices; ++device) {
      const auto least = std::ranges::min_element(here.gpus, {}, devices);
      if (least == here.gpus.end() || devices(*least) == devicesPerGpu)
        throwTooFew(ranks, rank, devicesPerGpu);
      ++devices(*least);
      shares[rank].push_back(static_cast<int>(least - here.gpus.begin()));
    }
  }
  return shares;
}

int partOfGpus(const std::vector<RankGpus>& ranks, int rank, int devicesPerGpu) {
  const std::string& host = ranks[static_cast<std::size_t>(rank)].host;
  std::set<std::string> gpus;
  int ranksOfHost = 0;
  for (const RankGpus& other : ranks) {
    if (other.host != host || other.devices == 0) continue;
    gpus.insert(other.gpus.begin(), other.gpus.end());
    ++ranksOfHost;
  }
  return std::max(static_cast<int>(gpus.size()) * devicesPerGpu / std::max(ranksOfHost, 1), 1);
}

std::vector<RankGpus> gpusOfRanks(Ranks& ranks, int devices) {
  const std::vector<std::string> names = gpuNames();
  std::vector<RankGpus> all;
  for (const std::string& text :
       ranks.allGather(fmt::format("{} {}", devices, fmt::join(names, " ")))) {
    RankGpus& rank = all.emplace_back();
    rank.host = ranks.host(static_cast<int>(all.size()) - 1);
    std::istringstream stream(text);
    stream >> rank.devices;
    for (std::string gpu; stream >> gpu;) rank.gpus.push_back(gpu);
  }
  return all;
}

}  // namespace mass::detail
