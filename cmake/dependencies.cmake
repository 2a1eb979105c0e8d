# Finds the libraries that mass links against. Included by the build and, installed, by mass-config.cmake.
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
if(MASS_CUDA AND NOT MASS_EMULATED_GPUS)
  # CMake 3.25.1 (Debian 12) marks a library as deprecated even if it does not exist, as in CUDA 13.
  if(CMAKE_VERSION VERSION_LESS 3.27 AND NOT TARGET CUDA::nvToolsExt)
    add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
  endif()
  find_package(CUDAToolkit 13 REQUIRED)
endif()

# Random123 is headers only and ships no CMake package.
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
if(NOT TARGET Random123::Random123)
  add_library(Random123::Random123 INTERFACE IMPORTED)
  set_target_properties(Random123::Random123 PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${RANDOM123_INCLUDE_DIR})
endif()

# The programs of an installed libmass.so link none of the others.
if(MASS_IS_INSTALLED_SHARED)
  return()
endif()
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
if(NOT CMAKE_C_COMPILER_LOADED)
  enable_language(C)  # FindHDF5 and FindMPI probe the C libraries
endif()
if(MASS_MPI)
  find_package(MPI REQUIRED COMPONENTS C)
endif()
if(NOT MASS_LIVE STREQUAL "OFF")
  # 1.74 is that of Debian 12. The headers suffice: Asio and Beast need no compiled library.
  find_package(Boost 1.74)
  if(NOT Boost_FOUND AND NOT MASS_LIVE STREQUAL "AUTO")
    message(FATAL_ERROR "MASS_LIVE needs the headers of Boost 1.74 or newer (libboost-dev)")
  endif()
  set(MASS_LIVE ${Boost_FOUND})
endif()
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(PNG REQUIRED)
find_package(GIF REQUIRED)
find_package(EXPAT REQUIRED)
find_package(nlohmann_json REQUIRED)

# yaml-cpp before 0.8 exports no namespace.
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
