# mass_gpu_sources(<target>): compiles a target's sources for GPUs as well, where the library was built with CUDA.
# Call it where the target is made, for every target whose sources use Places; without CUDA it does nothing.
function(mass_gpu_sources target)
  if(NOT MASS_CUDA)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.(cpp|cc|cxx)$")
  set_source_files_properties(${sources} PROPERTIES LANGUAGE CUDA)
endfunction()
