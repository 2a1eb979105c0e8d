#pragma once

// Functions with a body for CPUs (mass/support/host/) and one for GPUs (mass/support/cuda/).
// Headers of mass/support declare them, with their contracts, and include this one.

#include <mass/support/qualifiers.hpp>

#if defined(__CUDA_ARCH__)
#include <mass/support/cuda/atomic.hpp>
#include <mass/support/cuda/bits.hpp>
#include <mass/support/cuda/half.hpp>
#include <mass/support/cuda/math.hpp>
#include <mass/support/cuda/warp.hpp>
#else
#include <mass/support/host/atomic.hpp>
#include <mass/support/host/bits.hpp>
#include <mass/support/host/half.hpp>
#include <mass/support/host/math.hpp>
#include <mass/support/host/warp.hpp>
#endif
