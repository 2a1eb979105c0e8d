# Warnings are errors in this project's own code; a user's build decides for itself.
add_library(mass_warnings INTERFACE)
target_compile_options(mass_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Werror -Wno-unknown-pragmas)
