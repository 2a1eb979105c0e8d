# Tests of ranks that are processes; those of tests/mass/backend/ranks_test.cpp are threads.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_executable(mpi_ranks ${CMAKE_CURRENT_LIST_DIR}/mpi_ranks.cpp)
target_link_libraries(mpi_ranks PRIVATE mass::mass mass_warnings)
add_test(NAME mass_backend_mpi_ranks_test
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/mpi_ranks_test.py ${MPIEXEC_EXECUTABLE} $<TARGET_FILE:mpi_ranks>)
set_tests_properties(mass_backend_mpi_ranks_test PROPERTIES TIMEOUT 300 COST 1000)
