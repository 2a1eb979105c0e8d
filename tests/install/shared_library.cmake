# Builds libmass.so and two apps; looks at its symbols, compares the apps' state hashes with those of the static build, and
# runs the outside project against the installation.
# Given: BUILD (the static build), SOURCE, SCRATCH (folders), CONFIG, GENERATOR, CXX, C, NM, MPI.
set(apps life predation)

include(${CMAKE_CURRENT_LIST_DIR}/command.cmake)

run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH} -G ${GENERATOR} -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_C_COMPILER=${C} -DMASS_MPI=${MPI} -DMASS_LIVE=OFF -DMASS_UNITY=ON -DBUILD_SHARED_LIBS=ON)
run(${CMAKE_COMMAND} --build ${SCRATCH} --target mass ${apps})

# Programs must not see the libraries that libmass.so uses: theirs may be of other versions.
run(${NM} --dynamic --defined-only --demangle ${SCRATCH}/mass/libmass.so)
if(NOT output MATCHES " T mass::runProgram" OR output MATCHES "[^\n]*(YAML|CLI::|nlohmann|mass::detail::hdf5)[^\n]*")
  message(FATAL_ERROR "libmass.so exports the wrong symbols: ${CMAKE_MATCH_0}")
endif()

foreach(app IN LISTS apps)
  foreach(folder IN ITEMS ${BUILD} ${SCRATCH})
    run(${folder}/bin/${app} ${SOURCE}/settings/${app}.yaml --set output.folder=${SCRATCH}/out)
    file(READ ${SCRATCH}/out/run.json record)
    string(JSON hash_of_${folder} GET "${record}" hash)
    file(REMOVE_RECURSE ${SCRATCH}/out)
  endforeach()
  if(NOT hash_of_${BUILD} STREQUAL hash_of_${SCRATCH} OR NOT hash_of_${BUILD})
    message(FATAL_ERROR "${app}: state hash ${hash_of_${BUILD}} with the static library, ${hash_of_${SCRATCH}} with the "
      "shared one")
  endif()
endforeach()

run(${CMAKE_CTEST_COMMAND} --test-dir ${SCRATCH} --output-on-failure -R "^install.outside_project$" --no-tests=error)
file(REMOVE_RECURSE ${SCRATCH})
