# mass_variants(<target> <table> <template>): adds one source to a target for each line of a table, so that compilers
# take instantiations one by one. <table> is a CMake file that sets `columns`, a list of names, and `variants`, a list of
# lines with one word for each column; the first column names the source. <template> becomes a source with @column@
# replaced by the line's word. The sources are compiled for GPUs as those of mass_gpu_sources are, with the CONTRACT
# option of the target's property GPU_OPTIONS.
function(mass_variants target table template)
  include(${table})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table} ${template})
  list(GET columns 0 source)
  set(units)
  foreach(line IN LISTS variants)
    separate_arguments(words UNIX_COMMAND "${line}")
    foreach(column word IN ZIP_LISTS columns words)
      if(NOT column OR NOT word)
        message(FATAL_ERROR "${table}: a line has a word for each of '${columns}', not '${line}'")
      endif()
      set(${column} "${word}")
    endforeach()
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/${target}/${${source}}.cpp)
    configure_file(${template} ${unit} @ONLY)
    list(APPEND units ${unit})
  endforeach()
  target_sources(${target} PRIVATE ${units})
  get_target_property(options ${target} GPU_OPTIONS)
  mass_gpu_units("${units}" ${options})
endfunction()
