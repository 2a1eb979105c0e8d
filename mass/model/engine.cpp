#include <mass/model/engine.hpp>

#include <mass/support/error.hpp>

namespace mass::detail {

void requireAllPlaces(const PlacesState& places, std::string_view use) {
  if (!places.mask) return;
  throw UsageError("'{}' has some places of a box only, and {} need all: create the whole box",
                   places.name, use);
}

}  // namespace mass::detail
