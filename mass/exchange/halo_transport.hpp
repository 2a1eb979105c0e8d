#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/memory/place_fields.hpp>

#include <cstddef>
#include <memory>
#include <span>

// Terms of mass/exchange
// - Band: consecutive rows of a world that one device owns (RowPartition).
// - Ghost rows: copies of rows beside a band, which rules on its device read; the halo of the band.
// - Refresh: update of ghost rows from the rows of their owners.
// - GhostCopy: consecutive rows of one owner that are ghost rows of one device.
// - GhostField: component and buffer to refresh.
// - HaloMessage: bytes of one GhostCopy and one GhostField, with their addresses on both devices.
// - PackedHalo: all messages from one GPU to another in a step, packed into contiguous memory.
// - HaloTransport: method that moves halos between CPU devices; GpuTransport between GPUs.
// - HaloExchange: prepared refresh of some components; GpuHaloExchange on GPUs.

namespace mass::detail {

/// Refresh of the ghost rows of some components: prepared once, executed in many steps.
class HaloExchange {
 public:
  virtual ~HaloExchange() = default;
  /// Refreshes the ghost rows of the worker's device. All workers of all devices call it.
  /// @pre a barrier separates it from earlier writes to the rows and from later accesses to the
  /// ghost rows
  virtual void refresh(const Worker& worker) = 0;
  /// Returns the bytes that a refresh moves, summed over all devices.
  virtual std::size_t bytes() const = 0;
};

/// Method that moves halos from their owners to the devices that read them.
class HaloTransport {
 public:
  virtual ~HaloTransport() = default;
  /// Prepares a refresh, valid until `fields` is partitioned anew or destroyed.
  /// @param fields the places
  /// @param ghosts components to refresh and their buffers
  virtual std::unique_ptr<HaloExchange> prepare(const PlaceFields& fields,
                                                std::span<const GhostField> ghosts) = 0;
};

}  // namespace mass::detail
