#pragma once

#include <cstdint>

/// Qualifiers of functions (MASS_FN) and constants (MASS_CONSTANT) that CPUs and GPUs use.
#if defined(__CUDACC__)
#define MASS_FN __host__ __device__
#define MASS_CONSTANT static __device__ constexpr
#else
#define MASS_FN
#define MASS_CONSTANT inline constexpr
#endif

/// Asserts that the iterations of the following loop are independent. MASS_INDEPENDENT_BLOCK also
/// forbids unrolling: compilers would not vectorise an unrolled loop over one block.
#if defined(__clang__)
#define MASS_INDEPENDENT_LOOP _Pragma("clang loop vectorize(assume_safety)")
#define MASS_INDEPENDENT_BLOCK MASS_INDEPENDENT_LOOP _Pragma("clang loop unroll(disable)")
#elif defined(__GNUC__)
#if defined(__CUDACC__)
#pragma nv_diag_suppress 1675  // nvcc passes "GCC unroll" on, but does not know it
#endif
#define MASS_INDEPENDENT_LOOP _Pragma("GCC ivdep")
#define MASS_INDEPENDENT_BLOCK MASS_INDEPENDENT_LOOP _Pragma("GCC unroll 1")
#else
#define MASS_INDEPENDENT_LOOP
#define MASS_INDEPENDENT_BLOCK
#endif

/// Forbids to unroll the following loop in code for GPUs: its size matters more than its speed.
#if defined(__CUDA_ARCH__)
#define MASS_ROLLED_ON_GPU _Pragma("unroll 1")
#else
#define MASS_ROLLED_ON_GPU
#endif

/// Inlines every call inside a function, so that a rule becomes part of its loop. Empty in builds
/// with sanitizers, which would take three times as long to compile.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MASS_FLATTEN
#else
#define MASS_FLATTEN __attribute__((flatten))
#endif

namespace mass {

/// True if rules are checked at run time: a read beyond the reach and a write to an undeclared
/// attribute throw a UsageError. Set by the macro MASS_CHECKED, which Debug builds without CUDA
/// define.
#if defined(MASS_CHECKED)
inline constexpr bool checked = true;
#else
inline constexpr bool checked = false;
#endif

#if defined(__CUDA_ARCH__)
/// True in the compilation pass for a GPU; for `if constexpr` in rules.
inline constexpr bool onGpu = true;
/// Index of a place within one launch: 32 bits on a GPU (fewer than 2^31 places), 64 on CPUs.
using Index = std::int32_t;
#else
inline constexpr bool onGpu = false;
using Index = std::int64_t;
#endif

namespace detail {

/// True in the compilation pass for a GPU of compute capability 9.0 (Hopper) or higher.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr bool onHopper = true;
#else
inline constexpr bool onHopper = false;
#endif

}  // namespace detail
}  // namespace mass
