#pragma once

#include <mass/memory/layout.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// The row of a device where something that is sent beyond its band arrives.
struct RemoteRow {
  void* const* out = nullptr;  ///< by component: the buffers of the device that has the row
  std::int64_t shift = 0;      ///< from where a place of it would lie here to where it lies there
};

/// Where a rule sends codes to, besides its own band's bags.
struct ScatterTargets {
  const RemoteRow* beyond = nullptr;         ///< `depth` rows before the band, and as many after it
  bool isShared = false;                     ///< other devices send codes here, too
  std::uint64_t* overflowedWords = nullptr;  ///< counts codes for whom a first word was full
  std::uint64_t* lost = nullptr;             ///< counts codes for whom all words were
};

/// Places whose first words, of their only bag, lie in a memory of their own: lines of `columns`
/// words of a rectangle of rows and lines.
struct SharedTile {
  int firstRow = 0, rows = 0;
  int firstLine = 0, lines = 0;
  int columns = 0;
  std::uint32_t* words = nullptr;

  MASS_FN bool holds(std::int64_t row, std::int64_t line) const {
    return static_cast<unsigned>(static_cast<int>(row) - firstRow) < static_cast<unsigned>(rows) &&
           static_cast<unsigned>(static_cast<int>(line) - firstLine) < static_cast<unsigned>(lines);
  }
  MASS_FN std::uint32_t* at(std::int64_t row, std::int64_t line, std::int64_t column) const {
    const int number =
        (static_cast<int>(row) - firstRow) * lines + static_cast<int>(line) - firstLine;
    const int place = number * columns + static_cast<int>(column);
    return words + place;
  }
};

/// Where the world has fixed ends, as a device numbers its rows, lines and columns.
struct FixedEnds {
  static constexpr std::int64_t none = -1;

  /// By axis: its first and its last place. `none` where the border is not fixed, or is not here;
  /// for rows in a piece of a GPU's launch, then, the row after the piece.
  std::int64_t of[3][2] = {{none, none}, {none, none}, {none, none}};
};

/// AllAttributes a rule's kernel needs to run on one device for one step; plain data, valid during
/// that step.
struct Launch {
  Layout layout;
  Domain domain;
  int device = 0;
  std::int64_t firstRow = 0;  ///< global number of the band's row 0
  FixedEnds ends;
  const void* const* in = nullptr;  ///< by component: the state before this rule
  void* const* out =
      nullptr;  ///< by component: where the rule's result goes; may be `in` for local rules
  const void* arguments = nullptr;  ///< of the rule, as a tuple that the kernel knows
  void* results =
      nullptr;  ///< of a reading rule: one value a place or a unit, over the whole world
  const std::int64_t* neighborSteps =
      nullptr;  ///< run-time neighbours, as distances in this layout
  int neighborCount = 0;
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  const std::uint64_t* stepsBefore = nullptr;  ///< to be added, where a GPU counts steps itself
  ScatterTargets scatter;
  std::uint32_t population = 0;
  std::uint32_t call =
      0;  ///< of the random numbers' keys: 0 for a changing rule, 1 for a reading one

  /// The step this is.
  MASS_FN std::uint64_t now() const { return stepsBefore == nullptr ? step : *stepsBefore + step; }
};

/// Runs a rule on work units [begin, end) of a band: places of a 1-D world, lines of any other.
using KernelFunction = void (*)(const Launch&, std::int64_t begin, std::int64_t end);

struct GpuKernel;

/// Lines of a row up to which GPUs move what is streamed within one buffer: a block takes one or
/// more.
inline constexpr std::int64_t maxAaLines = 65535;

/// A rule, by other functions, that moves what is streamed within one buffer.
struct AaKernel {
  KernelFunction even = nullptr, odd = nullptr;  ///< for such steps, from when all is settled on
  KernelFunction restoreLayout = nullptr;  ///< brings all to its place after an odd number of steps
  /// The same for GPUs, where GpuLaunch::isOdd tells the steps apart.
  const GpuKernel* gpu = nullptr;
  const GpuKernel* gpuRestoreLayout = nullptr;
};

/// Work units of a band.
inline std::int64_t units(const Layout& layout) {
  return layout.rows * layout.lines;
}

}  // namespace mass::detail
