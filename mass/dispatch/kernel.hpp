#pragma once

#include <mass/launch/bool_table.hpp>
#include <mass/launch/gpu_launch.hpp>
#include <mass/launch/launch.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail {

/// Way of a rule over the places: its sources and the destination of its results.
enum class Traversal {
  pointwise,  ///< reads and writes a place in its front buffer
  stencil,    ///< reads neighbours; the next state goes to the back buffers
  streaming,  ///< a stencil: streamed attributes arrive before the rule
  aaPattern,  ///< streaming within the front buffers of streamed attributes; others as a stencil
  scatter,    ///< the next state consists of the elements that places send to others
  map,        ///< reads; a result for each place
  reduce,     ///< reads; a result for each line
};

/// March of rules in turn.
struct TurnMarch {
  const GpuKernel* gpu = nullptr;   ///< null if there is none
  const void* arguments = nullptr;  ///< tuple of the arguments of each rule, in host memory
};

/// Compiled rule of places with its arguments, as the Dispatcher runs it.
struct Kernel {
  KernelFunction function = nullptr;  ///< runs the rule on CPUs, in the natural layout
  /// Traversal::aaPattern: runs the rule on CPUs in the swapped layout; null for others.
  KernelFunction swappedFunction = nullptr;
  const GpuKernel* gpu = nullptr;   ///< null if the model was not compiled for GPUs
  const void* arguments = nullptr;  ///< tuple of the rule's arguments, in host memory
  Traversal traversal = Traversal::pointwise;
  bool readsNeighbors = false;         ///< requires fresh halos
  bool readsPopulations = false;       ///< agents or other places are arguments
  bool runsOnce = false;               ///< changes more than places: runs once for each place
  const AaKernel* aaKernel = nullptr;  ///< AA pattern of a streaming rule; null if there is none
  const BoolRule* boolRule = nullptr;  ///< rule that kernels on bits may replace; null for others
  MergeFunction merge = nullptr;       ///< scatter rule: inserts elements of other ranks
  TurnMarch turnMarch{};               ///< march of the turn that this rule begins
  std::vector<int> written{};  ///< components that the rule writes; empty for a reading rule
  std::vector<int> inPlace{};  ///< written components that Traversal::aaPattern streams in place
  /// Reading rule: output array in host memory, for the rows of this rank.
  void* results = nullptr;
  std::size_t resultBytes = 0;  ///< bytes of the result of a place or a line
  /// Rule that reduces lines of which several devices have parts: the part along axis 2 whose
  /// devices run, and Launch::lanes of each local device with their bytes for a line. Empty for
  /// whole lines.
  int columnPart = 0;
  std::vector<void*> lanes{};
  std::size_t lanesBytesPerLine = 0;
  /// Distances of run-time neighbours in elements, by device (layouts may differ); empty if there
  /// are none.
  std::vector<std::vector<std::int64_t>> neighborSteps{};

  /// Returns the bytes of `results` for a line of a device that ends on it.
  std::size_t resultBytesPerLine(const Layout& layout) const {
    const std::int64_t ofLine = traversal == Traversal::map ? layout.columns : 1;
    return static_cast<std::size_t>(ofLine) * resultBytes;
  }
  /// True if the next state of components but `inPlace` goes to back buffers, which then become the
  /// front buffers.
  bool isDoubleBuffered() const { return traversal != Traversal::pointwise; }
  /// True if a repetition of a step does not change its result: all of it goes to back buffers.
  bool isRepeatable() const {
    return !runsOnce && (traversal == Traversal::stencil || traversal == Traversal::streaming);
  }
  /// True if places write into rows of other devices.
  bool writesRemoteRows() const {
    return traversal == Traversal::aaPattern || traversal == Traversal::scatter;
  }
  /// Returns the function for CPUs. @param isSwapped true in the swapped layout of the AA pattern
  KernelFunction functionIn(bool isSwapped) const {
    return isSwapped && swappedFunction != nullptr ? swappedFunction : function;
  }
};

}  // namespace mass::detail
