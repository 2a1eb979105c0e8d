#pragma once

#include <string_view>

namespace mass::detail {

/// Compiler and its options of a source file, which runProgram's caller shares with its rules.
struct Compilation {
  bool isOptimised;
  std::string_view compiler{};  ///< for example "GCC 12.2.0"
  std::string_view flags{};     ///< options of the program's target, from CMake; empty if unknown
};

/// Returns the compiler and options of the calling source file.
static inline Compilation compilationOfCaller() {
#if defined(__OPTIMIZE__)
  constexpr bool isOptimised = true;
#else
  constexpr bool isOptimised = false;
#endif
#if defined(__clang__)
  constexpr std::string_view compiler = __VERSION__;  // begins with "Clang"
#else
  constexpr std::string_view compiler = "GCC " __VERSION__;
#endif
#if defined(MASS_COMPILE_FLAGS)
  return {isOptimised, compiler, MASS_COMPILE_FLAGS};
#else
  return {isOptimised, compiler, {}};
#endif
}

}  // namespace mass::detail
