#pragma once

#include <mass/launch/launch.hpp>
#include <mass/launch/tile_plan.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Shape of the blocks of a stencil kernel: which places of a band a thread and a block update.
struct LaunchShape {
  int rows = 1;           ///< consecutive rows of a thread; of a block if it sweeps planes
  int width = 1;          ///< consecutive columns of a thread: 1, 2 or 4
  int columns = 128;      ///< threads of a block along a line
  int groups = 1;         ///< threads of a block along the rows, in 3-D along the lines
  int linesPerBlock = 1;  ///< 3-D: groups of lines that a block updates one after another
  /// 3-D: plane sweep: a block updates one row after another and caches rows in shared memory; a
  /// star sweep if `width` is 4.
  bool sweepsPlanes = false;

  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

/// Maximum number of blocks along the second and third axis of a grid.
inline constexpr std::int64_t mostGridBlocks = 65535;

/// Threads of a block of a plane sweep: `columns` along a line times `groups` lines, each with
/// `width` columns.
struct PlaneSweepShape {
  int width, columns, groups;

  friend bool operator==(const PlaneSweepShape&, const PlaneSweepShape&) = default;
};
/// Shapes of plane sweeps. A multiprocessor holds one block of the second or two of the first. The
/// others, with several columns per thread, are star sweeps (mass/kernels/plane_sweep/star_sweep).
inline constexpr PlaneSweepShape planeSweepShapes[] = {
    {1, 64, 8}, {1, 128, 8}, {4, 32, 12}, {4, 32, 16}, {4, 32, 20}};
/// Returns the shape of the blocks of a plane sweep.
constexpr PlaneSweepShape planeSweepOf(const LaunchShape& shape) {
  return {shape.width, shape.columns, shape.groups};
}

/// Columns of a thread of a march (mass/kernels/march), which makes several steps in one pass.
inline constexpr int marchWidth = 4;
/// Columns of a thread of a march in a 3-D world.
inline constexpr int volumeMarchWidth = 2;
/// Columns of a thread of a march on bits, of which lines have whole multiples.
inline constexpr int bitMarchWidth = 32;
/// Largest state of a place for marches, in bytes.
inline constexpr std::size_t mostMarchBytes = 8;

/// Rows of a band that another device keeps as halo. The kernel that writes the rows stores them
/// into that halo, too.
struct HaloStore {
  std::int64_t begin = 0, end = 0;  ///< rows of the band
  std::int64_t shift = 0;           ///< index of a place in the halo minus its index in the band
  void* const* out = nullptr;       ///< by component: buffers of the other device
  bool isBefore = false;            ///< the halo lies before the other device's band
};

/// Number of HaloStores that fit into kernel parameters. A band has seldom more: one at each end.
inline constexpr int inlineHaloStores = 2;

/// Flags by which GPUs that store into each other's halos synchronise their steps without the host.
/// A device may start a step at its border rows when all peers have finished the previous step at
/// theirs: then its own halo is complete, and its peers have read the halos that it overwrites.
struct StepFlags {
  int peers = 0;  ///< number of devices that store into halos of this one, or it into theirs
  /// By peer: number of steps that it has finished; lies in this device's memory.
  std::uint64_t* const* arrivals = nullptr;
  /// By peer: number of steps that this device has finished; lies in the peer's memory.
  std::uint64_t* const* reports = nullptr;
  unsigned* finished = nullptr;  ///< number of border blocks that have finished this step
  unsigned borderBlocks = 0;     ///< number of border blocks of all launches of a step
  int* failed = nullptr;         ///< in host memory: not 0 if a device has failed
  std::uint64_t timeout = 0;     ///< nanoseconds of waiting after which a peer counts as failed
};

/// Share of the blocks in the places of a scatter rule. A quad is the first words of four
/// consecutive places, loaded as one uint4. Each warp handles `quads` quads in a round.
struct BlockShare {
  int blocks = 1;  ///< number of blocks
  int quads = 0;   ///< quads of a warp in one round; a multiple of 2
};

/// Distribution of the rows of a scatter launch over blocks. The first blocks handle the border
/// rows, for which other devices wait.
struct ScanSchedule {
  /// Quads from one line, or row, to the next, padding included.
  int quadsOfLine = 0, quadsOfRow = 0;
  /// Rows [borderBegin, borderEnd) lie between the border rows.
  int borderBegin = 0, borderEnd = 0;
  BlockShare inside;  ///< blocks of all rows between the border rows
  BlockShare border;  ///< blocks of each border row
};

/// Number of warps in a block of a persistent kernel.
inline constexpr int warpsPerPersistentBlock = 16;

/// Bytes from the counter of one block to that of the next: each has a cache line of its own.
inline constexpr std::size_t blockFlagBytes = 128;

/// Parameters of a persistent kernel, whose blocks keep their tile of the band in shared memory for
/// many steps.
struct PersistentRun {
  PersistentTilePlan plan;
  std::int64_t steps = 0;  ///< number of steps of the launch
  /// By block, blockFlagBytes apart: number of steps that it has finished.
  unsigned* finished = nullptr;
  /// Capacity, in places, of a warp's list of occupied places in shared memory.
  int listCapacity = 0;
  int overflowCapacity = 0;           ///< capacity, in places, of the warp's part of `overflow`
  std::uint64_t* overflow = nullptr;  ///< in device memory: lists that exceed shared memory
  int sharedBytes = 0;                ///< dynamic shared memory of a block
  /// ScatterTargets::remoteRows, for even and odd steps.
  const RemoteRow* remoteRows[2] = {nullptr, nullptr};
};

/// Parameters of a GPU kernel, except for the addresses of the attributes.
struct GpuLaunch {
  Launch launch;
  std::int64_t rowBegin = 0, rowEnd = 0;  ///< rows of the band that this launch updates
  const HaloStore* haloStores = nullptr;  ///< all halo stores; in device memory
  /// The first of `haloStores`; their `out` lies in host memory.
  HaloStore inlineStores[inlineHaloStores];
  int haloStoreCount = 0;  ///< number of `haloStores`
  /// Steps of this run before this batch of launches; in device memory.
  const std::uint64_t* stepsDone = nullptr;
  std::uint64_t stepInBatch = 0;  ///< number of this step in the batch
  unsigned steps = 1;             ///< steps that this launch makes
  /// 0, unknown to the compiler: a value that it is added to is computed again, not kept in
  /// registers.
  int opaqueZero = 0;
  /// AA pattern: the streamed components are in the swapped layout, so this is an odd step.
  bool aaSwapped = false;
  int rowsPerSweep = 0;   ///< plane sweep and march: rows of a block
  bool overlaps = false;  ///< may start before its predecessor on the stream has ended
  StepFlags stepFlags;
  ScanSchedule scan;         ///< schedule of a scatter rule
  PersistentRun persistent;  ///< parameters of launchPersistent
};

/// Device function of a plane sweep.
struct PlaneSweepFunction {
  const void* function = nullptr;  ///< null if the rule has no plane sweep of this shape
  std::int64_t sharedBytes = 0;    ///< dynamic shared memory of a block
  int unit = 1;                    ///< lines must begin at multiples of `unit` places
};

/// Rule compiled for GPUs.
struct GpuKernel {
  /// Queues the rule for the rows of a launch on a stream (a cudaStream_t). The arrays `in`, `out`
  /// and `arguments` of the launch lie in host memory. Returns a cudaError_t.
  int (*launch)(const GpuLaunch& launch, const LaunchShape& shape, void* stream) = nullptr;
  /// Returns the number of blocks of a launch that write rows which are halo elsewhere.
  unsigned (*borderBlocks)(const GpuLaunch& launch, const LaunchShape& shape) = nullptr;
  /// Returns the device function for `rows` x `width` places per thread; null if there is none.
  const void* (*function)(int rows, int width) = nullptr;
  /// Rule and its types, as the compiler spells them: key of the launch cache.
  const char* name = nullptr;
  /// Returns the device function of a plane sweep. Null for rules without a plane sweep.
  PlaneSweepFunction (*planeSweep)(const PlaneSweepShape& shape) = nullptr;
  /// Queues launch.persistent.steps steps of a scatter rule as one persistent kernel, beginning
  /// with the launch's step. Returns a cudaError_t. Null for other rules.
  int (*launchPersistent)(const GpuLaunch& launch, void* stream) = nullptr;
  const void* persistentFunction = nullptr;  ///< device function of launchPersistent
  /// Computes the distribution of a scatter launch over the blocks of the current GPU. Slow:
  /// callers keep the result for all launches of the same rows. Returns a cudaError_t. Null for
  /// other rules.
  int (*share)(const GpuLaunch& launch, ScanSchedule& scan) = nullptr;
  /// Queues `turns` turns, one of `marchTurns`, for all rows of the band as one kernel. It stores
  /// halos, but does not refresh padding. Returns a cudaError_t. Null for rules without a march.
  int (*launchMarch)(const GpuLaunch& launch, int turns, void* stream) = nullptr;
  /// Numbers of turns of the compiled marches, ascending. A turn of a single rule is a step.
  int marchTurns[2] = {};
  int rulesOfTurn = 1;   ///< rules that a march applies in turn
  int stagesOfTurn = 1;  ///< number of its rules that read neighbours, and of its reaches
};

}  // namespace mass::detail
