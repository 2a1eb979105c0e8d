#pragma once

#include <mass/memory/place_fields.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace mass {

/// Bytes that a device owns and that another (or the same) keeps as ghosts.
struct GhostMessage {
  int fromDevice = 0, toDevice = 0;
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t bytes = 0;
};

/// All messages that refresh the ghosts of some components, sorted by receiving device.
std::vector<GhostMessage> ghostMessages(const PlaceFields& fields,
                                        std::span<const GhostField> ghosts);

}  // namespace mass
