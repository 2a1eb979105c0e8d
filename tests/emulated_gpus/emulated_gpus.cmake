# The library, and all that uses it, with threads of the host for GPUs.
set(folder ${CMAKE_CURRENT_LIST_DIR})
target_sources(mass PRIVATE ${folder}/block.cpp ${folder}/runtime.cpp)
target_include_directories(mass BEFORE PUBLIC $<BUILD_INTERFACE:${folder}/include>)
target_compile_definitions(mass PUBLIC MASS_EMULATED_GPUS)
set(emulated_gpus_header ${folder}/include/emulated_gpus.hpp)
target_compile_options(mass PUBLIC -Wno-attributes $<$<CXX_COMPILER_ID:GNU>:-fno-extern-tls-init>
  INTERFACE $<BUILD_INTERFACE:SHELL:-include ${emulated_gpus_header}>)
if(CMAKE_CXX_COMPILER_LAUNCHER)  # else it is the first of the precompiled headers
  target_compile_options(mass PRIVATE "SHELL:-include ${emulated_gpus_header}")
endif()
list(FILTER mass_sources INCLUDE REGEX "\\.cu$")
set_source_files_properties(${mass_sources} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
