# Makes the target mass_shared: libmass.so in the package, which the module _core and compiled models share. Its objects
# are those of the static library (docs/decisions/shared-library.md).
set(package_dir ${CMAKE_CURRENT_BINARY_DIR}/mass)
file(MAKE_DIRECTORY ${package_dir})
if(BUILD_SHARED_LIBS)
  add_library(mass_shared ALIAS mass)
  install(TARGETS mass LIBRARY DESTINATION mass/lib COMPONENT python NAMELINK_SKIP)
  return()
endif()

add_library(mass_shared SHARED $<TARGET_OBJECTS:mass>)
set_target_properties(mass_shared PROPERTIES OUTPUT_NAME mass LIBRARY_OUTPUT_DIRECTORY ${package_dir}/lib
  LINKER_LANGUAGE CXX)
get_target_property(libraries mass LINK_LIBRARIES)
list(FILTER libraries EXCLUDE REGEX "mass_warnings")
list(TRANSFORM libraries REPLACE "^CUDA::cudart_static$" "CUDA::cudart")  # one runtime for the library and models
target_link_libraries(mass_shared PRIVATE ${libraries} INTERFACE fmt::fmt Threads::Threads Random123::Random123)
foreach(property IN ITEMS INCLUDE_DIRECTORIES COMPILE_OPTIONS COMPILE_DEFINITIONS COMPILE_FEATURES)
  get_target_property(value mass INTERFACE_${property})
  if(value)
    set_target_properties(mass_shared PROPERTIES INTERFACE_${property} "${value}")
  endif()
endforeach()
install(TARGETS mass_shared LIBRARY DESTINATION mass/lib COMPONENT python)
