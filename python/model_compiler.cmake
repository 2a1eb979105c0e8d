# Writes model_compiler.json into the package, which tells mass.load how to compile a model, and installs the headers that
# a model includes: the library's, fmt's and Random123's. Paths are relative to the package or absolute.

# write_model_compiler(<file> <library> <include>...)
function(write_model_compiler file library)
  get_target_property(rule_options mass RULE_OPTIONS)
  set(options -std=gnu++20 -O3 -DNDEBUG ${rule_options})
  if(MASS_CHECKED)
    list(APPEND options -DMASS_CHECKED)
  endif()
  set(nvcc_options)
  if(MASS_CUDA AND NOT MASS_EMULATED_GPUS)
    list(JOIN rule_options "," host_options)
    set(nvcc_options -std=c++20 -O3 -DNDEBUG --expt-relaxed-constexpr -fmad=false -Xcompiler=${host_options}
      -DFMT_USE_CONSTEXPR=1 --split-compile=0)
  endif()
  list(JOIN options "\", \"" options)
  list(JOIN nvcc_options "\", \"" nvcc_options)
  list(JOIN ARGN "\", \"" includes)
  file(GENERATE OUTPUT ${file} CONTENT "{
  \"library\": \"${library}\",
  \"includes\": [\"${includes}\"],
  \"options\": [\"${options}\"],
  \"nvcc_options\": [\"${nvcc_options}\"]
}
")
endfunction()

get_target_property(fmt_dir fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
write_model_compiler(${package_dir}/model_compiler.json $<TARGET_FILE:mass_shared>
  ${PROJECT_SOURCE_DIR} ${fmt_dir} ${RANDOM123_INCLUDE_DIR})

set(installed ${CMAKE_CURRENT_BINARY_DIR}/installed/model_compiler.json)
write_model_compiler(${installed} lib/$<TARGET_FILE_NAME:mass_shared> include)
install(FILES ${installed} DESTINATION mass COMPONENT python)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/mass DESTINATION mass/include COMPONENT python
  FILES_MATCHING PATTERN "*.hpp" PATTERN "io/frame_store.hpp" EXCLUDE PATTERN "io/hdf5.hpp" EXCLUDE
  PATTERN "backend/mpi" EXCLUDE)
install(DIRECTORY model DESTINATION mass/include/python COMPONENT python FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY ${fmt_dir}/fmt DESTINATION mass/include COMPONENT python)
install(DIRECTORY ${RANDOM123_INCLUDE_DIR}/Random123 DESTINATION mass/include COMPONENT python)
