# mass_gpu_sources(<target> [CONTRACT]): compiles a target's sources for GPUs too if the library was built with CUDA; does
# nothing otherwise. CONTRACT lets GPUs round a*b+c once and divide floats with an error of 1 ulp: faster, but a rule then
# gives other bits on GPUs than on CPUs (the same on any number of GPUs). A program must not compile one rule both ways.
# Call it in the folder that creates the target, for every target whose sources use Places.
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
