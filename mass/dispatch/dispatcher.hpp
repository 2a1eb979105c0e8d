#pragma once

#include <mass/exchange/transport.hpp>
#include <mass/memory/launch.hpp>
#include <mass/memory/place_fields.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace mass {

/// A rule made ready to run: what the Dispatcher needs to know of it.
struct Kernel {
  KernelFunction function = nullptr;
  const void* arguments = nullptr;
  bool readsNeighbors = false;  ///< then the ghosts must be up to date
  bool inPlace = false;         ///< then there is no next state beside the old one
  std::vector<int> written;     ///< components it changes; empty for a reading rule
  void* results = nullptr;
  /// Distances of run-time neighbours, by device (layouts may differ); empty when there are none.
  std::vector<std::vector<std::int64_t>> neighborSteps;
};

/// The order of things: refreshes ghosts that a rule will read, runs the rule on all devices, makes
/// the next state the current one, and so on for any number of steps without coming back to the
/// caller.
class Dispatcher {
 public:
  explicit Dispatcher(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}

  /// Runs a rule `steps` times. A rule that writes nothing runs once, whatever `steps` says.
  /// @throws what the rule threw (checked builds); double-buffered state is then that before the
  /// failing step.
  void run(PlaceFields& fields, const Kernel& kernel, std::int64_t steps, std::uint64_t seed,
           std::uint32_t population) const;

 private:
  std::unique_ptr<Transport> transport_;
};

}  // namespace mass
