#pragma once

// How a kernel begins that may be queued so that it overlaps the end of the one before it; included
// by code that nvcc compiles.

namespace mass::detail {

/// Lets the next kernel on this stream come, as far as there is room, and waits until the one
/// before has ended and all can see what it stored. Nothing may be read before. (Programming Guide,
/// "Programmatic Dependent Launch".)
__device__ inline void waitForPredecessor() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace mass::detail
