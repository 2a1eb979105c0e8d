# Warnings are errors in this project's own code; a user's build decides for itself.
add_library(mass_warnings INTERFACE)
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Werror -Wno-unknown-pragmas)
if(MASS_EMULATED_GPUS)
  set(warnings -Wall -Wno-unknown-pragmas)  # these have been seen by nvcc
endif()
# What nvcc makes of a source is no longer the user's text, and draws warnings of its own.
target_compile_options(mass_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wno-unknown-pragmas;-Werror=all-warnings>")
