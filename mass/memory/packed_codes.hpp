#pragma once

#include <mass/support/export.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail {

/// Values of a component of one byte in the rows of a band, own and ghost, in 2 bits each. Rules
/// that read nodes through links read all over such an array: this one fits into a faster cache.
class PackedCodes {
 public:
  /// Packs the values of the rows [-before, count - before), if all are below 4.
  /// @param values values from the first of these rows on
  /// @return true if they are packed
  MASS_EXPORT bool pack(const unsigned char* values, std::int64_t before, std::int64_t count);

  /// Returns the word with row 0 in its lowest bits. @pre pack() has returned true
  const std::uint32_t* words() const { return words_.data() + wordsBefore_; }
  /// Returns the value of a row, which may be negative. @param words words()
  MASS_FN static unsigned char of(const std::uint32_t* words, std::int64_t row) {
    return static_cast<unsigned char>(words[row >> 4] >> ((row & 15) * 2) & 3);
  }

 private:
  std::vector<std::uint32_t> words_;
  std::int64_t wordsBefore_ = 0;
};

}  // namespace mass::detail
