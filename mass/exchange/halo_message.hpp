#pragma once

#include <mass/memory/place_fields.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace mass::detail {

/// Places of one component that are ghosts of a device, which may be their owner: lines of equal
/// length on both sides, in rows of equally many.
struct HaloMessage {
  int fromDevice = 0, toDevice = 0;  ///< owner and receiver
  const char* from = nullptr;        ///< address of the first line on the owner
  char* to = nullptr;                ///< address of the first line on the receiver
  std::size_t lineBytes = 0;         ///< bytes of a line
  std::size_t lines = 1;             ///< number of lines of a row
  /// Bytes from one line to the next on the owner and on the receiver; unused for one line.
  std::size_t fromStride = 0, toStride = 0;
  std::size_t rows = 1;  ///< number of rows
  /// Bytes from one row to the next on the owner and on the receiver; unused for one row.
  std::size_t fromRowStride = 0, toRowStride = 0;
  /// The ghosts may be in use when the message arrives: GPUs keep it until receive() is called.
  bool isKept = false;

  /// Returns the bytes of all lines.
  std::size_t bytes() const { return rows * lines * lineBytes; }
  /// True if the message is a single run of bytes.
  bool isContiguous() const { return rows * lines == 1; }
  /// Calls body(from, to) with the offsets of each line on both sides.
  template <class Body>
  void forEachLine(const Body& body) const {
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t line = 0; line < lines; ++line)
        body(row * fromRowStride + line * fromStride, row * toRowStride + line * toStride);
  }
};

/// Returns the messages that refresh ghost rows of some components, in the order of the copies.
/// Rows and lines beyond Component::haloDepthBelow, lineDepthBelow and so on are left out.
std::vector<HaloMessage> haloMessages(const PlaceFields& fields, std::span<const GhostCopy> copies,
                                      std::span<const GhostField> ghosts);
/// Returns the messages that refresh the ghost rows that a step reads, in order of the receiving
/// device; otherwise as the overload above.
inline std::vector<HaloMessage> haloMessages(const PlaceFields& fields,
                                             std::span<const GhostField> ghosts) {
  return haloMessages(fields, fields.ghostPlan(), ghosts);
}

}  // namespace mass::detail
