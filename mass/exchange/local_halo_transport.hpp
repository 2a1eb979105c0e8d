#pragma once

#include <mass/exchange/halo_transport.hpp>

namespace mass::detail {

/// Copies within one address space: each device's workers fetch what their device needs.
class LocalHaloTransport : public HaloTransport {
 public:
  std::unique_ptr<HaloExchange> prepare(const PlaceFields& fields,
                                        std::span<const GhostField> ghosts) override;
};

}  // namespace mass::detail
