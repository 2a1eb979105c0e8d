# mass_model_headers(<target> <kind>): with MASS_UNITY, precompiles the headers that all models include, which take half of
# the time for a source (docs/decisions/continuous-integration.md). Targets of the same <kind> have the same compile options
# and share what the first of them precompiles. Not with ccache, which caches poorly with precompiled headers, nor for nvcc.
function(mass_model_headers target kind)
  if(NOT MASS_UNITY OR MASS_CUDA OR CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  get_property(first GLOBAL PROPERTY "model_headers_of_${kind}")
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE <fmt/format.h> <mass/mass.hpp>)
    set_property(GLOBAL PROPERTY "model_headers_of_${kind}" ${target})
  endif()
endfunction()
