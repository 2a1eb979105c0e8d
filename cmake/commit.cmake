# Writes `git describe` of the folder SOURCE to the header OUTPUT, if it has changed; an empty text if SOURCE is not
# the root of a git repository, as in an export. Included by the build, and run by it with cmake -P.
set(commit "")
find_program(MASS_GIT git)
if(MASS_GIT)
  execute_process(COMMAND ${MASS_GIT} -C ${SOURCE} rev-parse --show-prefix
                  OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status ERROR_QUIET)
  if(status EQUAL 0 AND prefix STREQUAL "")
    execute_process(COMMAND ${MASS_GIT} -C ${SOURCE} describe --always --dirty --abbrev=12
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define MASS_COMMIT \"${commit}\"\n" @ONLY)
