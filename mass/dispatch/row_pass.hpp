#pragma once

#include <mass/dispatch/device_group.hpp>
#include <mass/dispatch/executor.hpp>
#include <mass/dispatch/pass_memory.hpp>
#include <mass/partition/border.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace mass::detail {

/// Several steps in one pass over the rows of a CPU worker: temporal blocking by rows. Each step
/// applies one rule of a turn. The rows go through the steps in blocks. A block of step t follows
/// that of step t - 1 at a distance of the reach, so it finds all rows that it reads. Between two
/// steps, a window holds the block and rows before it; it stays in the cache, so that memory is
/// read and written once a pass. Short rows before a block are copied to the begin of the window;
/// windows of long rows are rings (RingMemory), which need no copies. Rows beside those of the
/// worker, which other workers compute too, are computed from the buffers of their owners, in all
/// steps but the last. Rows beside those of the device group (groupOf()) are computed in the ghost
/// rows of its first and last device. A block also computes ghost lines and ghost columns beside
/// its own: kernels run on more of them (onPart()), and those beyond a mirrored border are copied.
///
/// A rule sees the rows as in a step by itself: the window has the layout of the buffers, and
/// kernels get an address at which a row has its own number. So they need no code for passes.
class RowPass {
 public:
  /// True if rules may run several steps a pass: the devices are CPUs, and the rules read
  /// neighbours or their place alone, and no agents if there are several groups of devices.
  static bool supports(const PlaceFields& fields, Turn turn);
  /// Returns the largest number of turns of a pass, up to `most`, whose windows fit into the cache.
  static int fittingTurns(const PlaceFields& fields, Turn turn, int most);

  /// @param device device of the worker
  /// @param memory memory of the windows, which grows as needed; a worker keeps it
  /// @pre supports(fields, turn)
  RowPass(const PlaceFields& fields, Turn turn, int device, PassMemory& memory);

  /// Runs a pass.
  /// @param rows rows of the world whose last step this worker writes. With several groups of
  /// devices they may go on beyond those of its group, and beyond periodic borders, as far as ghost
  /// rows are fresh that the pass reads
  /// @param beyond ghost lines and columns of a block beyond each end of its own in the last step;
  /// unused for bands
  /// @param launches by rule and local device: the launches of the first step, from the front
  /// buffers to the back buffers
  /// @param firstRule number of the rule of the first step; 0 for whole turns
  /// @param steps whole turns, or 1
  void run(RowRange rows, std::int64_t beyond, std::span<const Launch> launches,
           std::size_t firstRule, int steps);

 private:
  /// State of a component that a step writes, in a window or, after the last such step, in the back
  /// buffer too.
  struct Version {
    std::size_t component;
    std::int64_t elementSize, rowBytes;
    bool isLast = false;     ///< the pass writes no later one
    char* window = nullptr;  ///< null after the last step
    /// Bytes of the window if it is a ring, and offset of row 0 in it.
    std::int64_t ringBytes = 0, ringOffset = 0;
  };
  /// Step of a pass.
  struct Step {
    const Kernel* kernel;
    std::size_t rule;        ///< number of the rule in the launches
    std::int64_t margin;     ///< rows beside those of the worker that later steps read
    std::int64_t first = 0;  ///< first row of the windows that are no rings
    std::vector<Version> written{};
    /// By component: the step and the number of the version that it reads; none for front buffers.
    std::vector<std::pair<int, std::size_t>> read{};
  };
  /// Consecutive rows of one device.
  struct Band {
    RowRange rows;       ///< numbers of the rows in this pass, which go on beyond periodic borders
    std::size_t device;  ///< number among the local devices
    std::int64_t
        first;  ///< number of the first row on its device; below 0 before the device's band
    std::int64_t around = 0;  ///< number of a row in the world minus its number in this pass
  };

  void planSteps(std::size_t firstRule, int steps);
  void planBlocks();
  RowRange rowsOf(const Step& step) const;
  RowRange computedAlong(std::size_t axis, const Step& step) const;
  template <class Body>
  void forEachPart(std::size_t axis, const Step& step, const Body& body) const;
  void prepareWindows();
  void shareMemory();
  bool shareRings();
  bool hasFixedPadding() const;
  void fillFixedPadding(const Version& version) const;
  void fillFixedPadding(const Step& step, RowRange rows) const;
  const Launch& launchOf(std::size_t rule, std::size_t device) const {
    return launches_[rule * devices_ + device];
  }
  /// Returns the launch of a rule on the first device of the group.
  const Launch& firstLaunch(std::size_t rule = 0) const {
    return launchOf(rule, localNumber(group_.front()));
  }
  /// Returns the number of a device among the local ones.
  std::size_t localNumber(int device) const {
    return static_cast<std::size_t>(device - fields_->devices().firstLocal());
  }
  static char* windowRow(const Step& step, const Version& version, std::int64_t row);
  Band bandOf(RowRange rows) const;
  Band ghostBandOf(RowRange rows) const;
  void runBlock(std::size_t number, RowRange block);
  void runBand(std::size_t number, const Band& band);
  void runLines(const Step& step, const Launch& launch, RowRange rows) const;
  void fillBesideBorders(const Step& step, RowRange rows) const;
  template <class Copy>
  void forEachBeside(std::size_t axis, const Step& step, const Copy& copy) const;
  void fillColumnsBesideBorders(const Step& step, const Version& version, std::int64_t row) const;
  void fillLinesBesideBorders(const Step& step, const Version& version, std::int64_t row) const;
  void copyLast(const Step& step, const Version& version, const Band& band) const;
  void fillBeyondBorders(const Step& step, RowRange block) const;
  void fillRowBeyondBorder(const Step& step, std::int64_t row) const;
  void keepLastRows() const;

  const PlaceFields* fields_;
  Turn turn_;
  RowRange rows_;
  DeviceNumbers group_;
  RowRange groupRows_;           // rows of the group: those of the world if there is a single one
  std::array<RowRange, 3> own_;  // rows, lines and columns of the device
  std::size_t devices_;          // local devices
  std::int64_t reach_, worldRows_;
  Border border_;
  std::int64_t beyond_ = 0;
  std::span<const Launch> launches_;
  PassMemory* memory_;
  std::vector<Step> steps_;      // steps of the pass
  std::size_t firstRule_ = 0;    // of steps_
  std::int64_t kept_;            // rows of a window before a block, which later steps read
  std::int64_t block_ = 0;       // rows of a block
  bool areRings_ = false;        // the windows are rings
  std::vector<const void*> in_;  // by component: addresses for a call of the kernel
  std::vector<void*> out_;
};

}  // namespace mass::detail
