#pragma once

#include <mass/launch/launch.hpp>
#include <mass/launch/tile_plan.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// How the threads of a GPU share the places of a band. A thread takes `rows` consecutive rows of
/// `width` columns (1, 2 or 4); a block has `columns` threads along a line times `groups` along the
/// rows (in 3-D: lines; and takes `turns` such groups of lines, one after the other). In 3-D,
/// blocks may also go from row to row and have what lies around their places in their own memory.
struct LaunchShape {
  int rows = 1;
  int width = 1;
  int columns = 128;
  int groups = 1;
  int linesPerBlock = 1;
  bool sweepsPlanes = false;

  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

/// Blocks along the second and third axis of a grid, at most.
inline constexpr std::int64_t mostGridBlocks = 65535;

/// The blocks that march, as threads along a line and lines: as many as a multiprocessor has room
/// for, and half of that, so that one has something to do while the other waits.
struct PlaneSweepShape {
  int columns, groups;
};
inline constexpr PlaneSweepShape planeSweepShapes[] = {{64, 8}, {128, 8}};

/// Rows of a band that a device keeps as ghosts: the kernel that writes them repeats them there.
struct HaloStore {
  std::int64_t begin = 0, end = 0;  ///< rows of the band
  std::int64_t shift = 0;           ///< from where a place lies here to where its ghost lies there
  void* const* out = nullptr;       ///< by component: the other device's buffers
  bool isBefore = false;            ///< these ghosts lie before the other device's band
};

/// Ghosts of which kernels are told in their parameters. There are seldom more: one at each end of
/// a band.
inline constexpr int inlineHaloStores = 2;

/// How devices that store into each other's ghosts wait for each other, without the host. A device
/// may start a step at its borders when all its peers have finished the step before at theirs: then
/// its ghosts have come, and theirs, which it is about to overwrite, have been read.
struct StepFlags {
  int peers = 0;
  std::uint64_t* const* arrivals = nullptr;  ///< by peer: the steps it has finished, kept here
  std::uint64_t* const* reports = nullptr;   ///< by peer: where it keeps ours
  unsigned* finished = nullptr;              ///< border blocks that have finished this step
  unsigned borderBlocks = 0;                 ///< of all launches of a step
  int* failed = nullptr;                     ///< in the host's memory: set when a device has failed
  std::uint64_t timeout = 0;                 ///< nanoseconds after which a peer counts as failed
};

/// How blocks share places of a rule that sends codes. Warps look at them by quads, four words side
/// by side; they take so many of them in turn.
struct BlockShare {
  int blocks = 1;
  int quads = 0;  ///< that a warp takes at a time
};

/// How the blocks of a launch share its rows. The first of them take those at the band's ends:
/// other devices wait for them.
struct ScanSchedule {
  int quadsOfLine = 0, quadsOfRow = 0;  ///< with what lies beside lines and rows
  int borderBegin = 0, borderEnd = 0;   ///< of the rows between the ends
  BlockShare inside;                    ///< of all rows between the ends
  BlockShare border;                    ///< of each row at an end
};

/// Warps of a block that keeps places.
inline constexpr int warpsPerPersistentBlock = 16;

/// Bytes between the counters of two blocks: a line of the cache each.
inline constexpr std::size_t blockFlagBytes = 128;

/// How the blocks of a GPU share a band whose places they keep in their own memory for many steps.
struct PersistentRun {
  PersistentTilePlan plan;
  std::int64_t steps = 0;
  unsigned* finished = nullptr;  ///< by block, tileFlagBytes apart: steps it has finished
  int nearRoom = 0;              ///< occupied places that a warp notes in its block's memory
  int farRoom = 0;               ///< and those that it may have to note in `overflow`
  std::uint64_t* overflow = nullptr;
  int sharedBytes = 0;  ///< of a block's memory
  const RemoteRow* beyond[2] = {nullptr,
                                nullptr};  ///< ScatterTargets::beyond, for even and odd steps
};

/// What a kernel on a GPU is given besides the attributes.
struct GpuLaunch {
  Launch launch;
  std::int64_t rowBegin = 0, rowEnd = 0;     ///< the band's rows that this launch is for
  const HaloStore* ghosts = nullptr;         ///< on the device
  HaloStore inlineStores[inlineHaloStores];  ///< the first of them; `out` in the host's memory
  int ghostCount = 0;
  const std::uint64_t* stepsDone = nullptr;  ///< steps of this run before this batch of launches
  std::uint64_t stepInBatch = 0;
  int opaqueZero = 0;  ///< which compilers do not know: what it is added to is computed once more
  bool aaSwapped = false;  ///< of steps that move what is streamed within one buffer
  int rowsPerSweep = 0;    ///< that a block which goes from row to row takes
  bool overlaps = false;   ///< may be queued so that it begins before its predecessor has ended
  StepFlags stepFlags;
  ScanSchedule scan;
  PersistentRun tiles;
};

/// A function of a GPU whose blocks keep places in their memory.
struct PlaneSweepFunction {
  const void* function = nullptr;  ///< null where there is none
  std::int64_t sharedBytes = 0;    ///< of a block's memory
  int unit = 1;                    ///< lines must begin at multiples of so many places
};

/// A rule compiled for GPUs.
struct GpuKernel {
  /// Queues the rule for the rows of a launch on a stream (a cudaStream_t); `in`, `out`,
  /// `arguments` of the launch are in the host's memory. Returns a cudaError_t.
  int (*launch)(const GpuLaunch& launch, const LaunchShape& shape, void* stream) = nullptr;
  /// How many blocks of such launches write rows that are ghosts elsewhere.
  unsigned (*borderBlocks)(const GpuLaunch& launch, const LaunchShape& shape) = nullptr;
  /// The function that runs for that many rows and columns a thread, or null when there is none.
  const void* (*function)(int rows, int width) = nullptr;
  const char* name = nullptr;  ///< the rule and its types, as the compiler spells them
  /// The same for blocks that march, of that many columns and groups, and what they have to have of
  /// a block's memory. Null when there are none.
  PlaneSweepFunction (*planeSweep)(int columns, int groups) = nullptr;
  /// Queues launch.tiles.steps steps of a rule that sends codes as one kernel, from the launch's
  /// step on. Null for other rules.
  int (*launchPersistent)(const GpuLaunch& launch, void* stream) = nullptr;
  const void* persistentFunction = nullptr;  ///< that then runs
  /// Finds how blocks share the rows of a launch of a rule that sends codes on this thread's GPU,
  /// which takes too long to be done for each: launches of the same rows are given what was found.
  /// Returns a cudaError_t. Null for other rules.
  int (*share)(const GpuLaunch& launch, ScanSchedule& scan) = nullptr;
};

}  // namespace mass::detail
