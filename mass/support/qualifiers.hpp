#pragma once

#include <cstdint>

/// Qualifiers of code that runs on every kind of device.
#if defined(__CUDACC__)
#define MASS_FN __host__ __device__
#define MASS_CONSTANT static __device__ constexpr
#else
#define MASS_FN
#define MASS_CONSTANT inline constexpr
#endif

/// Asserts that the iterations of the loop that follows do not depend on each other. One of as many
/// as make a block is not to be taken apart: of what is left, compilers make no vectors.
#if defined(__clang__)
#define MASS_INDEPENDENT_LOOP _Pragma("clang loop vectorize(assume_safety)")
#define MASS_INDEPENDENT_BLOCK MASS_INDEPENDENT_LOOP _Pragma("clang loop unroll(disable)")
#elif defined(__GNUC__)
#if defined(__CUDACC__)
#pragma nv_diag_suppress 1675  // nvcc hands on "GCC unroll", which it does not know
#endif
#define MASS_INDEPENDENT_LOOP _Pragma("GCC ivdep")
#define MASS_INDEPENDENT_BLOCK MASS_INDEPENDENT_LOOP _Pragma("GCC unroll 1")
#else
#define MASS_INDEPENDENT_LOOP
#define MASS_INDEPENDENT_BLOCK
#endif

/// Inlines every call in a function, so that a rule becomes part of its loop. Not where sanitizers
/// look on: compilers take three times as long then, and nobody wants speed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MASS_FLATTEN
#else
#define MASS_FLATTEN __attribute__((flatten))
#endif

namespace mass {

/// Whether rules are checked while they run: no read beyond the reach, no write that was not
/// announced.
#if defined(MASS_CHECKED)
inline constexpr bool checked = true;
#else
inline constexpr bool checked = false;
#endif

#if defined(__CUDA_ARCH__)
/// Whether this code is being compiled for a GPU; for `if constexpr` within rules.
inline constexpr bool onGpu = true;
/// Numbers the places that one launch covers: on a GPU fewer than 2^31.
using Index = std::int32_t;
#else
inline constexpr bool onGpu = false;
using Index = std::int64_t;
#endif

}  // namespace mass
