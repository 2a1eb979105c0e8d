# Installs the built library, moves the installation, and builds and runs an outside project against it.
# Given: BUILD, SOURCE, SCRATCH (folders), CONFIG, GENERATOR, CXX, C.
set(prefix "${SCRATCH}/a prefix")
file(REMOVE_RECURSE "${SCRATCH}")

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nfailed (${status}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${SCRATCH}/first)
file(RENAME "${SCRATCH}/first" "${prefix}")

file(GLOB_RECURSE package "${prefix}/*.cmake")
list(LENGTH package files)
if(files LESS 4)
  message(FATAL_ERROR "The installed CMake package is not complete: ${package}")
endif()
foreach(file IN LISTS package)
  file(READ "${file}" text)
  foreach(foreign IN ITEMS "${SOURCE}" "${BUILD}" mass_warnings Werror)
    string(FIND "${text}" "${foreign}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} mentions ${foreign}: the package must stand on its own.")
    endif()
  endforeach()
endforeach()

run(${CMAKE_COMMAND} -S "${CMAKE_CURRENT_LIST_DIR}/project" -B "${SCRATCH}/build" -G ${GENERATOR}
  -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_C_COMPILER=${C} "-DCMAKE_PREFIX_PATH=${prefix}"
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
file(READ "${SCRATCH}/build/compile_commands.json" commands)
string(FIND "${commands}" "-ffp-contract=off" position)
if(position EQUAL -1)
  message(FATAL_ERROR "The options that keep results bitwise the same did not reach the project:\n${commands}")
endif()

run(${CMAKE_COMMAND} --build "${SCRATCH}/build")
run("${SCRATCH}/build/outside")
if(NOT output MATCHES "^a glider has gone home over 2 devices\n$")
  message(FATAL_ERROR "The project printed:\n${output}")
endif()
file(REMOVE_RECURSE "${SCRATCH}")
