#pragma once

#include <mass/model/any_places.hpp>

#include <string>
#include <vector>

namespace mass::detail {

/// Returns lines on the parts of the places of a run, for its summary: the share of places within
/// reach of a cut, and for each part its rank, host, device, size, offset and neighbours. Parts
/// that are bands are left out unless `listsBands`. Between blocks or ranks, a line says that
/// streamed attributes have two buffers.
std::string partitionText(const std::vector<AnyPlaces>& all, bool listsBands);

}  // namespace mass::detail
