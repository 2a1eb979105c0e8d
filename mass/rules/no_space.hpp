#pragma once

#include <mass/rules/attributes.hpp>
#include <mass/rules/place.hpp>

#include <cstdint>

namespace mass {

/// Places of agents without space, such as banks: `class Bank : public mass::Agent<mass::NoSpace>`.
/// Mass::createAgents<Bank>(count) makes them, with one agent on each.
class NoSpace : public Place<1> {
 public:
  std::uint8_t unused = 0;                                ///< A class of places has an attribute.
  using Attributes = mass::Attributes<&NoSpace::unused>;  ///< Attributes of the places.
};

}  // namespace mass
