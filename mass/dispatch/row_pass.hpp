#pragma once

#include <mass/dispatch/executor.hpp>
#include <mass/partition/border.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mass::detail {

/// Several steps of a stencil rule in one pass over the rows of a CPU worker: temporal blocking by
/// rows. The rows go through the steps in blocks. A block of step t follows that of step t - 1 at a
/// distance of the reach, so it finds all rows that it reads. Between two steps, a window holds the
/// block and the `2 reach` rows before it; it stays in the cache, so that memory is read and
/// written once a pass. Rows beside those of the worker, which other workers compute too, are
/// computed from the buffers of their owners, in all steps but the last. Rows beside those of this
/// rank are computed in the ghost rows of its first and last device.
///
/// A rule sees the rows as in a step by itself: the window has the layout of the buffers, and
/// kernels get an address at which a row has its own number. So they need no code for passes.
class RowPass {
 public:
  /// True if a rule may run several steps a pass: the devices are CPUs, and the rule reads
  /// neighbours, and no agents if there are several ranks.
  static bool supports(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch);

  /// @param memory memory of the windows, which grows as needed; a worker keeps it
  /// @pre supports(fields, kernel, batch)
  RowPass(const PlaceFields& fields, const Kernel& kernel, std::vector<char>& memory);

  /// Runs a pass.
  /// @param rows rows of the world whose last step this worker writes. With several ranks they may
  /// go on beyond those of this rank, and beyond periodic borders, as far as ghost rows are fresh
  /// that the pass reads
  /// @param launches by local device: the launches of the first step, from the front buffers to the
  /// back buffers
  /// @param steps at least 1
  void run(RowRange rows, std::span<const Launch> launches, int steps);

 private:
  /// Component that the rule writes.
  struct Written {
    std::size_t component;
    std::int64_t elementSize, rowBytes;
  };
  /// Consecutive rows of one device.
  struct Band {
    RowRange rows;  ///< numbers of the rows in this pass, which go on beyond periodic borders
    const Launch* launch;
    std::int64_t first;  ///< number of the first row on its device; below 0 before the device's band
    std::int64_t around = 0;  ///< number of a row in the world minus its number in this pass
  };

  std::int64_t blockRows(int steps) const;
  RowRange rowsOf(int step, int steps) const;
  void prepareWindows(int steps);
  void fillFixedPadding();
  char* windowRow(int step, std::size_t written, std::int64_t row) const;
  Band bandOf(RowRange rows) const;
  Band ghostBandOf(RowRange rows) const;
  void runBlock(int step, int steps, RowRange block);
  void runBand(int step, int steps, const Band& band);
  void fillBeyondBorders(int step, RowRange block);
  void fillRowBeyondBorder(int step, std::int64_t row);
  void keepLastRows(int step);

  const PlaceFields* fields_;
  const Kernel* kernel_;
  RowRange rows_;
  RowRange rankRows_;  // rows of this rank; those of the world if it is the only one
  std::int64_t reach_, worldRows_;
  Border border_;
  std::vector<Written> written_;
  std::span<const Launch> launches_;
  std::vector<char>* memory_;
  int steps_ = 0;                            // steps for which the windows are prepared
  std::int64_t block_ = 0;                   // rows of a block
  std::vector<std::vector<char*>> windows_;  // by step and written component
  std::vector<std::int64_t> firstRows_;      // by step: first row of the windows
  std::vector<const void*> in_;              // by component: addresses for a call of the kernel
  std::vector<void*> out_;
};

}  // namespace mass::detail
