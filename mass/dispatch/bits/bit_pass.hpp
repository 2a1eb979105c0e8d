#pragma once

#include <mass/dispatch/bits/bit_rule.hpp>
#include <mass/dispatch/executor.hpp>
#include <mass/partition/border.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mass::detail {

/// One or several steps of a rule of bools in one pass over the rows of a CPU worker, on words with
/// a bit for each place. Rows of bytes are packed when they are read and unpacked when the last
/// step stores them, unless the places are stored as bits. Step t computes a row as soon as step t
/// - 1 has computed the row after it; it keeps the two latest rows of step t - 1, so that all steps
/// together stay in the cache. Rows beside those of the worker are computed too, in all steps but
/// the last, as by RowPass.
class BitPass {
 public:
  /// Returns the implementation of a rule that may run by passes on bits; null if it may not, or
  /// if the batch is shorter than the search for the table.
  /// @param always true if the length of the batch does not count
  /// @pre RowPass::supports() the rule
  static std::unique_ptr<const BitRule> ruleOf(const PlaceFields& fields, Turn turn,
                                               const StepBatch& batch, bool always);

  /// @param memory memory of the rows between steps, which grows as needed; a worker keeps it
  /// @pre `rule` is the result of ruleOf() for these fields
  BitPass(const PlaceFields& fields, const BitRule& rule, std::vector<char>& memory);

  /// Runs a pass.
  /// @param rows rows of the world whose last step this worker writes. With several ranks they may
  /// go on beyond those of this rank, as RowPass::run() says
  /// @param launches by local device: the launches of the first step, from the front buffers to the
  /// back buffers
  /// @param steps at least 1
  void run(RowRange rows, std::span<const Launch> launches, int steps);

 private:
  /// Step of a pass, with the rows that it reads.
  struct Step {
    BitRows memory;
    RowRange in;             ///< rows that it reads, one beyond each border of the world included
    RowRange out;            ///< rows that it computes
    std::uint64_t* next[2];  ///< receive these rows, by number modulo 2
    std::uint64_t* computed = nullptr;  ///< row whose ends are not yet filled
  };
  /// Place in a row.
  struct Bit {
    std::int64_t word;
    int bit;
  };
  /// Rows of bytes to fetch into the cache, in a part for each step.
  struct Prefetch {
    const char *from, *to;
    std::int64_t bytes, bytesOfPart;

    void part(std::int64_t number) const;
  };
  /// Row of a device.
  struct DeviceRow {
    const Launch* launch;
    std::int64_t row;
  };

  void prepare(RowRange rows, int steps);
  void shareMemory(int steps);
  /// Rows of one device, by their numbers in this pass, which go on beyond periodic borders.
  struct DeviceRows {
    RowRange rows{0, 0};
    const Launch* launch = nullptr;
    std::int64_t first = 0;  ///< number of the first row on its device
  };

  std::int64_t steps() const { return std::ssize(steps_); }
  static Bit placeOf(std::int64_t column);
  RowRange within(RowRange rows, std::int64_t beyond) const;
  Prefetch prefetchOf(std::int64_t row, int steps);
  DeviceRows deviceRowsAt(std::int64_t row) const;
  DeviceRow deviceRow(std::int64_t row, DeviceRows& last) const;
  const char* addressOf(const void* buffer, const DeviceRow& row) const;
  void load(std::int64_t row);
  void store(std::int64_t row);
  void receive(Step& step, std::int64_t row);
  const std::uint64_t* rowOf(const Step& step, std::int64_t row) const;
  void fillEnds(std::uint64_t* row) const;

  const PlaceFields* fields_;
  const BitRule* rule_;
  RowRange rows_{0, 0};
  RowRange rankRows_;  // rows of this rank; those of the world if it is the only one
  std::int64_t worldRows_, columns_;
  Bit last_, end_;      // the last place of a row, and the place after it
  std::int64_t words_;  // words of a row
  bool areBits_;        // the buffers hold bits
  Layout bits_;         // their layout on any device, but for the number of rows
  Border ofRows_, ofColumns_;
  bool outside_;  // state beyond fixed borders
  std::span<const Launch> launches_;
  DeviceRows loaded_, stored_;  // devices of the latest rows
  std::vector<char>* memory_;
  std::vector<Step> steps_;
  std::uint64_t* result_ = nullptr;      // row of the last step
  std::uint64_t* outsideRow_ = nullptr;  // row beyond a fixed border
};

}  // namespace mass::detail
