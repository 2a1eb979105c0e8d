# Tests that read the files by HDF5.
foreach(name IN ITEMS hdf5 agent_table byte_array checkpoint_file field_series point_series)
  if(TARGET mass_io_${name}_test)  # see MASS_SKIP_TESTS
    target_link_libraries(mass_io_${name}_test PRIVATE hdf5::hdf5)
  endif()
endforeach()
if(TARGET apps_rdme_setup_test)
  target_link_libraries(apps_rdme_setup_test PRIVATE hdf5::hdf5)
endif()

# Reads a series by VTK's reader, which ParaView uses, if it is installed (pip install vtk).
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND AND TARGET mass_io_field_series_test)
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "from vtkmodules.vtkIOHDF import vtkHDFReader"
    RESULT_VARIABLE no_vtk OUTPUT_QUIET ERROR_QUIET)
  if(no_vtk EQUAL 0)
    add_test(NAME mass_io_series_vtk COMMAND ${Python3_EXECUTABLE}
      ${CMAKE_CURRENT_LIST_DIR}/check_vtkhdf.py $<TARGET_FILE:mass_io_field_series_test>
      $<TARGET_FILE:mass_io_point_series_test>)
  endif()
endif()
