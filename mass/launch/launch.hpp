#pragma once

#include <mass/memory/layout.hpp>
#include <mass/memory/links_view.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Row beyond the end of a band, in the buffers of the device that owns it.
struct RemoteRow {
  void* const* out = nullptr;  ///< by component: buffers of the device that owns the row
  /// Index of a place in these buffers minus its index in the band's layout.
  std::int64_t shift = 0;
};

/// Destinations of a scatter rule besides the multisets of its own band.
struct ScatterTargets {
  /// `depth` rows before the band, then `depth` rows after it.
  const RemoteRow* remoteRows = nullptr;
  bool isShared = false;  ///< other devices send elements to this band, too
  /// Counts elements that did not fit into a first word.
  std::uint64_t* overflowedWords = nullptr;
  std::uint64_t* lost = nullptr;  ///< counts elements that did not fit into any word
};

/// Rectangle of rows and lines whose places have the first word of their multiset in shared memory.
struct SharedTile {
  int firstRow = 0, rows = 0;
  int firstLine = 0, lines = 0;
  int columns = 0;  ///< words from one line to the next
  std::uint32_t* words = nullptr;

  /// True if the first words of this line lie here.
  MASS_FN bool holds(std::int64_t row, std::int64_t line) const {
    return static_cast<unsigned>(static_cast<int>(row) - firstRow) < static_cast<unsigned>(rows) &&
           static_cast<unsigned>(static_cast<int>(line) - firstLine) < static_cast<unsigned>(lines);
  }
  /// Returns the address of a place's first word. @pre holds(row, line)
  MASS_FN std::uint32_t* at(std::int64_t row, std::int64_t line, std::int64_t column) const {
    const int number =
        (static_cast<int>(row) - firstRow) * lines + static_cast<int>(line) - firstLine;
    const int place = number * columns + static_cast<int>(column);
    return words + place;
  }
};

/// Local index of the first and last place of each axis that has a fixed boundary.
struct FixedEnds {
  static constexpr std::int64_t none = -(std::int64_t{1} << 30);  ///< no ghost has this number

  /// By axis: first ([0]) and last ([1]) place; `none` if the boundary is not fixed or farther
  /// away than the ghosts of the device. In a piece of a GPU launch, such a row is the one after
  /// the piece instead.
  std::int64_t of[3][2] = {{none, none}, {none, none}, {none, none}};
};

/// Parameters of a rule's kernel on one device for one step. Plain data, valid during that step.
struct Launch {
  Layout layout;
  /// The world. Borders of axes 1 and 2 are `fixed` here if exchanges fill the padding there.
  Domain domain;
  int device = 0;                ///< number of the device
  std::int64_t firstRow = 0;     ///< global number of the band's row 0
  std::int64_t firstLine = 0;    ///< global number of the band's line 0
  std::int64_t firstColumn = 0;  ///< global number of the band's column 0
  /// Columns before those that a changing rule computes on CPUs, Layout::columns many; below 0 for
  /// ghost columns.
  std::int64_t columnsBefore = 0;
  FixedEnds ends;
  const void* const* in = nullptr;  ///< by component: the state before this rule
  void* const* out = nullptr;  ///< by component: buffers of the result; may be `in` for local rules
  const void* arguments = nullptr;  ///< tuple Traits<Rule>::Arguments of the rule
  /// Results of a reading rule: one value for each place or line of the band.
  void* results = nullptr;
  /// Reading rule that reduces lines of which several devices have parts: running values of all
  /// lines, for each its lanes, which the parts before have left. Null for whole lines.
  void* lanes = nullptr;
  const std::int64_t* neighborSteps = nullptr;  ///< run-time neighbours: distances in this layout
  int neighborCount = 0;                        ///< number of run-time neighbours
  LinksView links;                              ///< links of the nodes of a network
  std::uint64_t seed = 0;                       ///< seed of the random numbers
  std::uint64_t step = 0;                       ///< number of the step
  /// Added to `step` if not null: GPUs count the steps of a graph themselves.
  const std::uint64_t* stepsBefore = nullptr;
  ScatterTargets scatter;
  /// Number of the places or agents: part of the random numbers' key.
  std::uint32_t population = 0;
  /// Part of the random numbers' key: 0 for a changing rule, 1 for a reading one.
  std::uint32_t call = 0;

  /// Returns the number of the current step.
  MASS_FN std::uint64_t now() const {
    if constexpr (!onGpu) return step;  // a branch here would prevent vectorisation
    return stepsBefore == nullptr ? step : *stepsBefore + step;
  }
};

/// Runs a rule on the work units [begin, end) of a band: places of a 1-D world, lines of any other.
using KernelFunction = void (*)(const Launch&, std::int64_t begin, std::int64_t end);

/// Inserts the elements of a multiset into that of a place of a band.
/// @param row number of the row in the band @param place index of the place in the row
/// @param words all words of the multiset
using MergeFunction = void (*)(const Launch&, std::int64_t row, std::int64_t place,
                               const std::uint32_t* words);

struct GpuKernel;

/// Maximum number of lines of a row for the AA pattern on GPUs: a thread takes one line, and the
/// grid's second axis has no more blocks.
inline constexpr std::int64_t maxAaLines = 65535;

/// Kernels of a streaming rule by the AA pattern, within one buffer.
struct AaKernel {
  /// Even: from the natural layout to the swapped one; odd: back.
  KernelFunction even = nullptr, odd = nullptr;
  KernelFunction restoreLayout = nullptr;  ///< from the swapped layout to the natural one
  /// GPU kernel of both steps: GpuLaunch::aaSwapped selects.
  const GpuKernel* gpu = nullptr;
  const GpuKernel* gpuRestoreLayout = nullptr;
};

/// Returns the number of work units of a band.
inline std::int64_t units(const Layout& layout) {
  return layout.rows * layout.lines;
}

}  // namespace mass::detail
