#pragma once

#include <mass/memory/place_fields.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace mass::detail {

/// Bytes that a device owns and that another (or the same) keeps as ghosts: lines, all of the same
/// length and as far apart there as here.
struct HaloMessage {
  int fromDevice = 0, toDevice = 0;
  const char* from = nullptr;
  char* to = nullptr;
  std::size_t lines = 1;
  std::size_t lineBytes = 0;
  std::size_t stride = 0;  ///< bytes from one line to the next

  std::size_t bytes() const { return lines * lineBytes; }
  bool isContiguous() const { return lines == 1; }
};

/// All messages that refresh the ghosts of some components, sorted by receiving device.
std::vector<HaloMessage> haloMessages(const PlaceFields& fields,
                                      std::span<const GhostField> ghosts);

}  // namespace mass::detail
