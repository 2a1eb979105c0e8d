# Installs the library, its headers and the package that exports mass::mass, for find_package(mass).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mass)

install(TARGETS mass EXPORT mass-targets)
# Headers that include HDF5 or MPI are private and left out.
install(DIRECTORY mass DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "io/frame_store.hpp" EXCLUDE PATTERN "io/hdf5.hpp" EXCLUDE
  PATTERN "backend/mpi" EXCLUDE)
install(EXPORT mass-targets NAMESPACE mass:: DESTINATION ${config_dir})

configure_package_config_file(cmake/mass-config.cmake.in mass-config.cmake
  INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(mass-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/compile_flags.cmake cmake/cuda_language.cmake cmake/dependencies.cmake
  cmake/gpu_sources.cmake cmake/variants.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/mass-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/mass-config-version.cmake
  DESTINATION ${config_dir})

include(cmake/pkg_config.cmake)
