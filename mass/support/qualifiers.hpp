#pragma once

/// Qualifiers of code that runs on every kind of device.
#if defined(__CUDACC__)
#define MASS_FN __host__ __device__
#else
#define MASS_FN
#endif

/// Asserts that the iterations of the loop that follows do not depend on each other.
#if defined(__clang__)
#define MASS_INDEPENDENT_LOOP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define MASS_INDEPENDENT_LOOP _Pragma("GCC ivdep")
#else
#define MASS_INDEPENDENT_LOOP
#endif

/// Inlines every call in a function, so that a rule becomes part of its loop.
#define MASS_FLATTEN __attribute__((flatten))

namespace mass {

/// Whether rules are checked while they run: no read beyond the reach, no write that was not
/// announced.
#if defined(MASS_CHECKED)
inline constexpr bool checked = true;
#else
inline constexpr bool checked = false;
#endif

}  // namespace mass
