# On GPUs, models give the bits that they give on CPUs. Skipped where there is none.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME apps.gpu
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/gpu_test.py ${PROJECT_BINARY_DIR}/bin)
set_tests_properties(apps.gpu PROPERTIES TIMEOUT 900)
