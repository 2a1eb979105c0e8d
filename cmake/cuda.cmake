# The CUDA compiler and its settings. Included when MASS_CUDA is ON.
if(MASS_CHECKED OR MASS_SANITIZE)
  message(FATAL_ERROR "A build with MASS_CUDA takes no MASS_CHECKED and no MASS_SANITIZE: they look at rules that run "
    "on CPUs. Use them in a build without CUDA, as the presets cpu-asan and cpu-tsan are.")
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  # Machine code for A100, H100/H200 and B200, and code that newer GPUs translate.
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 100)
endif()
if(CCACHE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()
include(cmake/cuda_language.cmake)
