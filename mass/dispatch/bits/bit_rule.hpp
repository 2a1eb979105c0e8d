#pragma once

#include <mass/launch/bool_table.hpp>

#include <cstdint>
#include <memory>

namespace mass::detail {

/// Rows of the state that a step reads, and intermediate results of a BitRule. Rows are words with
/// a bit for each place, with the places before and after them in the bits beside.
struct BitRows {
  static constexpr int mostPlanes = 9;

  std::uint64_t* rows[2] = {};             ///< by row number modulo 2
  std::uint64_t* planes[mostPlanes] = {};  ///< rows of intermediate results
};

/// Rule of bools, computed for all places of a row at a time. Rows arrive in ascending order.
class BitRule {
 public:
  virtual ~BitRule() = default;
  /// Returns the number of BitRows::planes in use.
  virtual int planes() const = 0;
  /// Receives a row that is not the last of three.
  /// @param number number of the row, negative before the first one of the world
  /// @param row its bits @param words number of words, a multiple of bitRowUnit()
  virtual void begin(const BitRows& memory, std::int64_t number, const std::uint64_t* row,
                     std::int64_t words) const = 0;
  /// Receives row `number` and computes the next state of the row before it.
  /// @param own bits of the row before @param out receives the result; no other row
  /// @pre the two rows before have been received
  virtual void step(const BitRows& memory, std::int64_t number, const std::uint64_t* row,
                    const std::uint64_t* own, std::uint64_t* out, std::int64_t words) const = 0;
};

/// Returns the fastest implementation of a table.
std::unique_ptr<const BitRule> makeBitRule(const BoolTable& table);

/// Returns the number of words that a BitRule processes together. Rows begin at multiples of so
/// many words and have as many words before them.
std::int64_t bitRowUnit();

}  // namespace mass::detail
