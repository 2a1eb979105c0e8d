#pragma once

#include <mass/exchange/halo_transport.hpp>

#include <cstddef>
#include <vector>

namespace mass::detail {

/// Transport within one address space: the workers of each device copy its ghost rows from the
/// owners in receive().
class LocalHaloTransport : public HaloTransport {
 public:
  void prepare(std::vector<std::vector<HaloMessage>> rounds) override;
  void send(const Worker& /*worker*/, std::size_t /*round*/, Queue /*queue*/) override {}
  void receive(const Worker& worker, std::size_t round, Queue queue) override;

 private:
  std::vector<std::vector<std::vector<HaloMessage>>> messages_;  // by round and receiving device
};

}  // namespace mass::detail
