# Tests of the programs on several ranks.
# The linker finds the functions for builds without MPI here before those of the library.
add_executable(life_without_mpi ${PROJECT_SOURCE_DIR}/apps/life/main.cpp
  ${PROJECT_SOURCE_DIR}/mass/backend/no_mpi/connect_ranks.cpp)
target_link_libraries(life_without_mpi PRIVATE life_model mass_warnings)
set(arguments ${MPIEXEC_EXECUTABLE} ${PROJECT_BINARY_DIR}/bin)
add_test(NAME apps.ranks
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/ranks_test.py ${arguments} $<TARGET_FILE:life_without_mpi>)
set_tests_properties(apps.ranks PROPERTIES TIMEOUT 900 COST 1000)
# Takes minutes: 'ctest -C long -R ranks_killed_often'.
add_test(NAME apps.ranks_killed_often
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/ranks_kill_test.py ${arguments} --kills 50
  CONFIGURATIONS long)
set_tests_properties(apps.ranks_killed_often PROPERTIES TIMEOUT 3600 PROCESSORS 2)
include(${PROJECT_SOURCE_DIR}/tests/hosts/hosts.cmake)
