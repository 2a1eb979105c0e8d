#pragma once

#include <mass/rules/attributes.hpp>
#include <mass/rules/place.hpp>

#include <cstdint>

namespace mass {

/// Places of agents without space, such as banks: `class Bank : public mass::Agent<mass::NoSpace>`.
/// Mass::createAgents<Bank>(count) makes as many, but no fewer than `least`, with one agent on each
/// of the first `count`.
class NoSpace : public Place<1> {
 public:
  /// Smallest number of places: that many devices have a place each, and the hash and checkpoints
  /// of few agents are the same on any number of devices.
  static constexpr std::int64_t least = 1024;
  std::uint8_t unused = 0;                                ///< A class of places has an attribute.
  using Attributes = mass::Attributes<&NoSpace::unused>;  ///< Attributes of the places.
};

}  // namespace mass
