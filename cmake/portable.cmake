# The target `bundle`: a folder of programs that run on hosts without any installation. Included when
# MASS_PORTABLE is ON.
set(bundle_programs)
foreach(folder IN ITEMS apps tests benchmarks)
  string(TOUPPER MASS_BUILD_${folder} wanted)
  if(${wanted})
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      if(type STREQUAL "EXECUTABLE")
        list(APPEND bundle_programs ${target})
      endif()
    endforeach()
  endif()
endforeach()
if(NOT bundle_programs)
  return()
endif()

# DT_RPATH instead of DT_RUNPATH: it also applies to the libraries of libraries.
set_target_properties(${bundle_programs} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
foreach(program IN LISTS bundle_programs)
  target_link_options(${program} PRIVATE LINKER:--disable-new-dtags)
endforeach()

# All of glibc is the host's: its parts depend on each other and on its loader.
set(glibc "^(ld-linux.*|lib(c|m|mvec|pthread|dl|rt|resolv|util|anl))\\.so\\.[0-9]+$")
install(TARGETS ${bundle_programs} RUNTIME_DEPENDENCY_SET bundle_libraries
  RUNTIME DESTINATION bin COMPONENT bundle EXCLUDE_FROM_ALL)
install(RUNTIME_DEPENDENCY_SET bundle_libraries PRE_EXCLUDE_REGEXES ${glibc}
  LIBRARY DESTINATION lib COMPONENT bundle EXCLUDE_FROM_ALL)
install(DIRECTORY settings DESTINATION . COMPONENT bundle EXCLUDE_FROM_ALL)

set(bundle ${PROJECT_BINARY_DIR}/bundle)
add_custom_target(bundle
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${bundle}
  COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --component bundle --prefix ${bundle}
  DEPENDS ${bundle_programs} COMMENT "Gathering programs and libraries in ${bundle}" VERBATIM)
