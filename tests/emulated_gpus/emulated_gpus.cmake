# The library, and all that uses it, with threads of the host for GPUs.
set(folder ${CMAKE_CURRENT_LIST_DIR})
target_sources(mass PRIVATE ${folder}/block.cpp ${folder}/runtime.cpp)
target_include_directories(mass BEFORE PUBLIC $<BUILD_INTERFACE:${folder}/include>)
target_compile_definitions(mass PUBLIC MASS_EMULATED_GPUS)
target_compile_options(mass PUBLIC $<BUILD_INTERFACE:SHELL:-include ${folder}/include/emulated_gpus.hpp> -Wno-attributes -fno-extern-tls-init)
list(FILTER mass_sources INCLUDE REGEX "\\.cu$")
set_source_files_properties(${mass_sources} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
