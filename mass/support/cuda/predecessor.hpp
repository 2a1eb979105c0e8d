#pragma once

// Prologue of kernels that may be launched with programmatic stream serialization. Only for sources
// that nvcc compiles.

#include <mass/support/qualifiers.hpp>

namespace mass::detail {

/// Permits the launch of the next kernel on this stream, and waits until the previous kernel has
/// completed and its stores are visible (CUDA C++ Programming Guide, "Programmatic Dependent
/// Launch"). Does nothing before Hopper.
/// @pre the thread has read no result of the previous kernel
__device__ inline void waitForPredecessor() {
  if constexpr (onHopper) {
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
  }
}

}  // namespace mass::detail
