# mass_gpu_sources(<target> [CONTRACT]): compiles a target's sources for GPUs as well, where the library was built with
# CUDA. CONTRACT lets GPUs round a*b+c once, and divide floats to the last bit but one: faster, but then one rule gives
# other bits on GPUs than on CPUs (it gives the same on any number of GPUs). A rule must not be compiled both ways in one program.
# Call it where the target is made, for every target whose sources use Places; without CUDA it does nothing.
function(mass_gpu_sources target)
  get_target_property(sources ${target} SOURCES)
  mass_gpu_units("${sources}" ${ARGN})
endfunction()

# mass_gpu_units(<sources> [CONTRACT]): the same for a list of sources.
function(mass_gpu_units sources)
  if(NOT MASS_CUDA OR MASS_EMULATED_GPUS)
    return()
  endif()
  list(FILTER sources INCLUDE REGEX "\\.(cpp|cc|cxx)$")
  set_source_files_properties(${sources} PROPERTIES LANGUAGE CUDA)
  if("CONTRACT" IN_LIST ARGN)
    # Options of sources come after those of targets.
    set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "-fmad=true;-prec-div=false")
  endif()
endfunction()
