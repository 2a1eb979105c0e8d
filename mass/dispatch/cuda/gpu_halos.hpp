#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/dispatch/cuda/gpu_guard.hpp>
#include <mass/dispatch/cuda/gpu_resources.hpp>
#include <mass/dispatch/cuda/transport_selector.hpp>
#include <mass/dispatch/exchange_report.hpp>
#include <mass/memory/place_fields.hpp>

#include <cstdint>
#include <map>
#include <vector>

namespace mass::detail {

/// Ghost rows that the GPUs of a batch exchange.
struct BatchHalos {
  std::vector<GhostCopy> copies;  ///< between devices, or from a device to itself
  std::int64_t depth = 0;         ///< ghost rows before and after each band; all rows of a block
  bool areStored = false;         ///< kernels store them into GPUs of this rank

  /// Returns the ghost rows that a step reads.
  static BatchHalos ofStep(const PlaceFields& fields, bool areStored) {
    // All rows of a block lie at its ends along axis 1.
    const std::int64_t depth =
        fields.areBlocks() ? fields.partition().rows() : fields.layout(0).depth;
    return {fields.ghostPlan(), depth, areStored};
  }
  /// Returns the ghost rows that a pass of some steps reads from other devices. It does not read
  /// those that are copies of rows of the same device.
  static BatchHalos ofPass(const PlaceFields& fields, int steps, bool areStored);
};

/// Returns the copies that fill `depth` ghost rows before and after each band, of blocks also lines
/// and columns.
std::vector<GhostCopy> ghostCopies(const PlaceFields& fields, std::int64_t depth);

/// Exchange of ghost rows between GPUs outside of kernels.
class GpuHalos {
 public:
  /// Parameters must outlive this. @param requested halo mode of the settings
  GpuHalos(const DeviceConfig& devices, HaloMode requested, const GpuGuard& guard,
           const GpuResourcesByDevice& resources)
      : devices_(&devices), guard_(&guard), resources_(&resources), selector_(devices, requested) {}

  /// Returns the available halo modes, and their transports.
  TransportSelector& transports() { return selector_; }
  const TransportSelector& transports() const { return selector_; }
  /// Returns the available halo modes for some places. Kernels store rows at the ends of a band
  /// only, so those of a network and of blocks are copied instead.
  std::vector<HaloMode> modesFor(const PlaceFields& fields) const;
  /// Refreshes the ghost rows that `copies` fill.
  void refresh(const PlaceFields& fields, const std::vector<GhostCopy>& copies,
               const std::vector<int>& components);
  /// Returns the transport of `mode`, prepared for components that a batch writes: round 0 for
  /// even steps or passes, round 1 for odd ones.
  HaloTransport& prepared(HaloMode mode, const PlaceFields& fields,
                          const std::vector<GhostCopy>& copies, const std::vector<int>& components);

  /// Adds steps of a rule to reports(). @param turnsPerExchange turns from one exchange to the next
  void count(const GpuKernel* rule, std::int64_t turnsPerExchange, std::int64_t steps,
             double seconds);
  /// Returns reports on the exchanges, by rule, with the number of turns per exchange of most
  /// steps.
  std::vector<ExchangeReport> reports() const;

 private:
  struct Steps {
    std::int64_t count = 0;
    double seconds = 0;
  };

  const DeviceConfig* devices_;
  const GpuGuard* guard_;
  const GpuResourcesByDevice* resources_;
  TransportSelector selector_;
  std::map<const GpuKernel*, std::map<std::int64_t, Steps>> steps_;  // by turns per exchange
};

}  // namespace mass::detail
