# Runs on several hosts, made of namespaces: 'ctest -C long -R hosts', as root on Linux.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_executable(emulated_hosts ${CMAKE_CURRENT_LIST_DIR}/emulated_hosts.cpp)
  target_link_libraries(emulated_hosts PRIVATE mass_warnings)
  target_compile_features(emulated_hosts PRIVATE cxx_std_20)
  add_test(NAME hosts
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/hosts_test.py ${MPIEXEC_EXECUTABLE}
      ${PROJECT_BINARY_DIR}/bin $<TARGET_FILE:emulated_hosts>
    CONFIGURATIONS long)
  # Ranks that wait need processors, and the test ends ranks within seconds.
  set_tests_properties(hosts PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77 RUN_SERIAL ON)
endif()
