#pragma once

#include <mass/exchange/halo_transport.hpp>

namespace mass::detail {

/// Transport within one address space: the workers of each device copy its ghost rows from the
/// owners.
class LocalHaloTransport : public HaloTransport {
 public:
  std::unique_ptr<HaloExchange> prepare(const PlaceFields& fields,
                                        std::span<const GhostField> ghosts) override;
};

}  // namespace mass::detail
