# Tests of the programs as users run them.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(name IN ITEMS cli runs steered)
  add_test(NAME apps.${name}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/${name}_test.py ${PROJECT_BINARY_DIR}/bin)
endforeach()
# SBML for rdme, by the Python package libsbml. Debian installs it for the system's interpreter only.
set(sbml_python ${Python3_EXECUTABLE})
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import libsbml" RESULT_VARIABLE no_libsbml OUTPUT_QUIET ERROR_QUIET)
if(no_libsbml AND EXISTS /usr/bin/python3)
  set(sbml_python /usr/bin/python3)
endif()
add_test(NAME apps.rdme_sbml
  COMMAND ${sbml_python} -B ${CMAKE_CURRENT_LIST_DIR}/rdme/sbml_test.py ${PROJECT_BINARY_DIR}/bin)
set_tests_properties(apps.rdme_sbml PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77)
# Runs of commit 6be47ee: their state hashes, and their checkpoints, tables and frames, which are continued.
add_test(NAME apps.restart
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/restart_test.py ${PROJECT_BINARY_DIR}/bin)
set_tests_properties(apps.restart PROPERTIES TIMEOUT 900)
add_test(NAME apps.repeat
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/repeat_test.py ${PROJECT_BINARY_DIR}/bin)
if(NOT MASS_SANITIZE)  # the worlds are too large for sanitizers
  set(hashes_test ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/hashes_test.py --programs
    ${PROJECT_BINARY_DIR}/bin --devices 3)
  add_test(NAME apps.hashes COMMAND ${hashes_test} --quick)
  add_test(NAME full.hashes COMMAND ${hashes_test} CONFIGURATIONS long)
  set_tests_properties(apps.hashes full.hashes PROPERTIES TIMEOUT 900 COST 1000)
endif()
add_test(NAME examples
  COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tests/examples/examples_test.py ${PROJECT_BINARY_DIR}/bin)
set_tests_properties(examples PROPERTIES TIMEOUT 900)
# The live view in a browser; skipped without one. All of its tests: 'ctest -C long -R live_long'.
if(MASS_LIVE)
  set(browser_python ${PROJECT_SOURCE_DIR}/build/browser-venv/bin/python)
  if(NOT EXISTS ${browser_python})
    set(browser_python ${Python3_EXECUTABLE})
  endif()
  add_test(NAME apps.show
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/show_test.py ${PROJECT_BINARY_DIR}/bin)
  set(live_test ${browser_python} -B ${CMAKE_CURRENT_LIST_DIR}/live_test.py ${PROJECT_BINARY_DIR}/bin)
  if(NOT MASS_SANITIZE)
    add_test(NAME apps.live COMMAND ${live_test} --core)
    add_test(NAME apps.live_long COMMAND ${live_test} CONFIGURATIONS long)
    set_tests_properties(apps.live apps.live_long PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77)
  endif()
endif()
add_library(faults MODULE ${CMAKE_CURRENT_LIST_DIR}/faults.cpp)
target_link_libraries(faults PRIVATE mass_warnings ${CMAKE_DL_LIBS})
set(faults $<TARGET_FILE:faults>)
if(MASS_SANITIZE)  # sanitizers replace malloc themselves
  set(faults "")
endif()
add_test(NAME apps.faults
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/faults_test.py ${PROJECT_BINARY_DIR}/bin "${faults}")
set_tests_properties(apps.faults PROPERTIES TIMEOUT 900)
set(kill_test ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/kill_test.py ${PROJECT_BINARY_DIR}/bin)
if(NOT MASS_SANITIZE)  # sanitizers report nothing of a killed program
  add_test(NAME apps.kill COMMAND ${kill_test} --kills 6)
  set_tests_properties(apps.kill PROPERTIES TIMEOUT 900 COST 1000)
endif()
# Takes minutes: 'ctest -C long -R kill_often'.
add_test(NAME apps.kill_often COMMAND ${kill_test} --kills 60 CONFIGURATIONS long)
if(MASS_MPI AND MPIEXEC_EXECUTABLE)
  include(${CMAKE_CURRENT_LIST_DIR}/ranks.cmake)
endif()
# The longest tests start first: ctest has no recorded times in a new build folder.
set_tests_properties(apps.cli apps.runs PROPERTIES TIMEOUT 900 COST 1000)
set_tests_properties(apps.faults apps.repeat PROPERTIES COST 1000)
set_tests_properties(apps.kill_often PROPERTIES TIMEOUT 3600)
