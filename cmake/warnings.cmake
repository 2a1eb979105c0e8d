# Warnings are errors in this project's code, not in a user's build, and only for the compilers of .ci/run: others have
# false ones, as g++ 13 has at -O3.
add_library(mass_warnings INTERFACE)
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wno-unknown-pragmas)
set(cuda_warnings -Xcompiler=-Wall,-Wno-unknown-pragmas)
if("${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" MATCHES "^(GNU 12|Clang 14)\\.")
  list(APPEND warnings -Werror)
  list(APPEND cuda_warnings -Werror=all-warnings)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND warnings -Wno-bitwise-instead-of-logical)  # avoids branches
  if(MASS_UNITY)
    list(REMOVE_ITEM warnings -Wshadow)  # reports constants of another source of the group
  endif()
endif()
if(MASS_EMULATED_GPUS)
  set(warnings -Wall -Wno-unknown-pragmas)  # nvcc reports them
endif()
# nvcc rewrites sources, and the host compiler would warn about the rewritten text.
target_compile_options(mass_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>"
  "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_warnings}>")
