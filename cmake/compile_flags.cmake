# Defines MASS_COMPILE_FLAGS in programs that link to the target: the options of their compiler, for run.json.
function(mass_record_compile_flags target)
  foreach(config Debug Release RelWithDebInfo MinSizeRel)
    string(TOUPPER ${config} upper)
    string(APPEND by_config "$<$<CONFIG:${config}>:${CMAKE_CXX_FLAGS_${upper}}>")
  endforeach()
  string(STRIP "${CMAKE_CXX_FLAGS} ${by_config} $<JOIN:$<TARGET_PROPERTY:COMPILE_OPTIONS>, >" flags)
  string(REGEX REPLACE "[\"\\\\]" "'" flags "${flags}")
  set_property(TARGET ${target} APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS
               "$<BUILD_INTERFACE:MASS_COMPILE_FLAGS=\"${flags}\">")
endfunction()
