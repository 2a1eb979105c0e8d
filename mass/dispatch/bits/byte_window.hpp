#pragma once

#include <mass/dispatch/kernel.hpp>
#include <mass/memory/place_fields.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail {

/// Runs kernels of places that are stored as bits. A CPU worker unpacks a block of rows, with the
/// rows beside it that the rule reads, into a window of bytes that stays in the cache, runs the
/// kernel on it and packs the results. The window has the layout of buffers of bytes, and kernels
/// get an address at which a row has its own number.
class ByteWindow {
 public:
  /// @param memory memory of the windows, which grows as needed; a worker keeps it
  /// @pre `fields.areBits()`
  ByteWindow(const PlaceFields& fields, std::vector<char>& memory)
      : fields_(&fields), memory_(&memory) {}

  /// Runs a rule for rows [begin, end) of a band. @param launch its buffers are bits
  void run(const Kernel& rule, const Launch& launch, std::int64_t begin, std::int64_t end) const;

 private:
  void unpack(const Launch& launch, RowRange rows, unsigned char* to) const;
  void pack(const Launch& launch, RowRange rows, const unsigned char* from) const;

  const PlaceFields* fields_;
  std::vector<char>* memory_;
};

}  // namespace mass::detail
