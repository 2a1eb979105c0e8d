# The target doc: the API's reference in HTML, in <build folder>/doc/html. Fails on an undocumented public member.
find_package(Doxygen QUIET)
if(DOXYGEN_FOUND)
  set(DOC_FOLDER ${CMAKE_CURRENT_BINARY_DIR}/doc)
  file(MAKE_DIRECTORY ${DOC_FOLDER})
  configure_file(docs/Doxyfile.in ${DOC_FOLDER}/Doxyfile @ONLY)
  add_custom_target(doc COMMAND ${DOXYGEN_EXECUTABLE} ${DOC_FOLDER}/Doxyfile
    COMMENT "Writing ${DOC_FOLDER}/html" VERBATIM)
endif()
