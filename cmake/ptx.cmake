# mass_ptx(<target> <sources> [CONTRACT]): the target is what nvcc makes of the sources for GPUs, as PTX; it cannot be linked.
function(mass_ptx target sources)
  add_library(${target} OBJECT ${sources})
  set_target_properties(${target} PROPERTIES CUDA_PTX_COMPILATION ON GPU_OPTIONS "${ARGN}")
  target_link_libraries(${target} PRIVATE mass::mass mass_warnings)
  mass_gpu_units("${sources}" ${ARGN})
endfunction()
