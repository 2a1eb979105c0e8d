#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/memory/place_fields.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace mass::detail {

/// A ghost refresh made ready once and carried out at many steps.
class HaloExchange {
 public:
  virtual ~HaloExchange() = default;
  /// Fills the ghost rows of this worker's device; called by every worker, with a barrier before
  /// (all owners have finished their rows) and one after.
  virtual void refresh(const Worker& worker) = 0;
  /// Bytes that one refresh moves, over all devices.
  virtual std::size_t bytes() const = 0;
};

/// How ghost rows get from the device that owns them to the devices that read them.
class HaloTransport {
 public:
  virtual ~HaloTransport() = default;
  virtual std::unique_ptr<HaloExchange> prepare(const PlaceFields& fields,
                                                std::span<const GhostField> ghosts) = 0;
};

}  // namespace mass::detail
