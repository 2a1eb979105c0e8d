# Tests that models have bitwise equal results on GPUs and on CPUs. Skipped without a GPU.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME apps.gpu
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/gpu_test.py ${PROJECT_BINARY_DIR}/bin)
set_tests_properties(apps.gpu PROPERTIES TIMEOUT 900)
if(NOT MASS_EMULATED_GPUS)
  add_test(NAME apps.hashes
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/hashes_test.py --backend cuda
            --programs ${PROJECT_BINARY_DIR}/bin)
  set_tests_properties(apps.hashes PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77)
endif()
