#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/memory/links_view.hpp>
#include <mass/partition/ghost_plan.hpp>
#include <mass/partition/network.hpp>
#include <mass/partition/row_partition.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace mass::detail {

/// Links of a network on the devices of a run, each of which has those of consecutive rows. A link
/// to a row of another device ends at a ghost row. Of n ghost rows, the first half lies before the
/// band and the others after it.
class DeviceLinks {
 public:
  /// Copies the links of this rank's devices to their memory.
  /// @param devices must outlive this
  /// @throws DeviceError if memory is exhausted
  DeviceLinks(const DeviceConfig& devices, std::shared_ptr<const Network> network,
              const RowPartition& partition);

  /// Returns the network.
  const Network& network() const { return *network_; }
  /// Returns shared ownership of the network.
  const std::shared_ptr<const Network>& sharedNetwork() const { return network_; }
  /// Returns the number of ghost rows before and after the band of a device of any rank.
  std::int64_t ghostRows(int device) const { return ghostRows_[static_cast<std::size_t>(device)]; }
  /// Returns the copies that fill all ghost rows.
  const std::vector<GhostCopy>& ghostPlan() const { return ghostPlan_; }
  /// Returns the links of a device of this rank.
  LinksView view(int device) const;
  /// Returns the rows [first, second) of a worker's share of its band, by numbers of links.
  std::pair<std::int64_t, std::int64_t> share(const Worker& worker) const;
  /// Returns the bytes allocated on the devices of this rank.
  std::size_t bytes() const;

 private:
  /// Arrays of LinksView in the memory of a device.
  struct Arrays {
    Buffer offsets, ends, weights, rows, numbers;
  };

  std::shared_ptr<const Network> network_;
  std::vector<RowRange> bands_;
  std::vector<std::int64_t> ghostRows_;
  std::vector<GhostCopy> ghostPlan_;
  std::vector<Arrays> arrays_;  // by device; empty for those of other ranks
};

/// Returns a network as rows for the devices of a run. On several devices, the nodes are in an
/// order in which few links lead to other devices. All ranks call it together.
std::shared_ptr<const Network> networkOn(const DeviceConfig& devices, Graph graph);

}  // namespace mass::detail
