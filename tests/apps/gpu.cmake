# Tests that models have bitwise equal results on GPUs and on CPUs. Skipped without a GPU.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME apps.gpu
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/gpu_test.py ${PROJECT_BINARY_DIR}/bin)
set_tests_properties(apps.gpu PROPERTIES TIMEOUT 900)
