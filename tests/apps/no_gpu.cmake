# Tests of programs built with CUDA on a machine without a usable GPU.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_library(fake_driver MODULE ${CMAKE_CURRENT_LIST_DIR}/fake_driver.cpp)
target_link_libraries(fake_driver PRIVATE mass_warnings)
set_target_properties(fake_driver PROPERTIES PREFIX "" OUTPUT_NAME libcuda SUFFIX .so.1
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake_driver)
add_test(NAME apps.no_gpu
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/no_gpu_test.py ${PROJECT_BINARY_DIR}/bin
    $<TARGET_FILE_DIR:fake_driver> ${CUDAToolkit_VERSION_MAJOR})
set_tests_properties(apps.no_gpu PROPERTIES TIMEOUT 900)
