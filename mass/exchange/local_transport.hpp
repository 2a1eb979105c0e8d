#pragma once

#include <mass/exchange/transport.hpp>

namespace mass {

/// Copies within one address space: each device's workers fetch what their device needs.
class LocalTransport : public Transport {
 public:
  std::unique_ptr<GhostExchange> prepare(const PlaceFields& fields,
                                         std::span<const GhostField> ghosts) override;
};

}  // namespace mass
