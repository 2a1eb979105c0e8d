# mass_variants(<target> <table> <template>): adds one source to a target for each line of a table, so that compilers
# take instantiations one by one. <table> is a CMake file that sets `columns`, a list of names, and `variants`, a list of
# lines with one word for each column; the first column names the source. <template> becomes a source with @column@
# replaced by the line's word. The sources are compiled for GPUs as those of mass_gpu_sources are, with the CONTRACT
# option of the target's property GPU_OPTIONS.
#
# The table is also written as <target>/<table>.inc (variants.inc for variants.cmake), one line 'MASS_VARIANT(<word>, <word>, ...)' for each of its lines:
# a source of the target that defines this macro and includes <target/variants.inc> selects among the variants.
set(MASS_SKIP_VARIANTS "" CACHE STRING "Regular expression of the names of variants that are not built")
function(mass_variants _target _table _template)
  include(${_table})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_table} ${_template})
  set(_folder ${CMAKE_CURRENT_BINARY_DIR}/${_target})
  list(GET columns 0 _name)
  set(_units)
  set(_calls)
  foreach(_line IN LISTS variants)
    separate_arguments(_words UNIX_COMMAND "${_line}")
    foreach(_column _word IN ZIP_LISTS columns _words)
      if(NOT _column OR NOT _word)
        message(FATAL_ERROR "${_table}: a line has a word for each of '${columns}', not '${_line}'")
      endif()
      set(${_column} "${_word}")
    endforeach()
    if(MASS_SKIP_VARIANTS AND ${_name} MATCHES "${MASS_SKIP_VARIANTS}")
      continue()
    endif()
    set(_unit ${_folder}/${${_name}}.cpp)
    configure_file(${_template} ${_unit} @ONLY)
    list(APPEND _units ${_unit})
    list(JOIN _words ", " _words)
    string(APPEND _calls "MASS_VARIANT(${_words})\n")
  endforeach()
  get_filename_component(_table_name ${_table} NAME_WE)
  file(CONFIGURE OUTPUT ${_folder}/${_table_name}.inc CONTENT "${_calls}" @ONLY)
  target_sources(${_target} PRIVATE ${_units})
  target_include_directories(${_target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  get_target_property(_options ${_target} GPU_OPTIONS)
  mass_gpu_units("${_units}" ${_options})
endfunction()
