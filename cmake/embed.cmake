# The style and scripts of the report, which are files of their own in experiments/report, as strings in the program: the
# page needs nothing beside itself, and neither does the program.
#
# Included by CMakeLists.txt it defines the target `bloomery_report_assets`; run as a script (cmake -P) whenever one of
# the files changes, it writes the source of that library.
if(CMAKE_SCRIPT_MODE_FILE)
  function(append_strings name)
    string(APPEND text "const std::string_view ${name} =\n")
    foreach(file IN LISTS ARGN)
      file(READ ${SOURCE_DIR}/${file} content)
      string(APPEND text "    R\"asset(${content})asset\"\n")
    endforeach()
    string(APPEND text "    ;\n")
    set(text "${text}" PARENT_SCOPE)
  endfunction()

  set(text "#include \"experiments/report_assets.h\"\n\nnamespace bloomery {\n\n")
  append_strings(kReportStyle report.css)
  append_strings(kReportScript ${SCRIPTS})
  file(WRITE ${OUTPUT} "${text}\n}  // namespace bloomery\n")
  return()
endif()

# In the order in which they need each other.
set(report_scripts scale.js marks.js chart.js page.js advice.js advisor.js)

set(report_assets_folder ${PROJECT_SOURCE_DIR}/experiments/report)
set(report_assets_source ${CMAKE_CURRENT_BINARY_DIR}/generated/report_assets.cc)
list(TRANSFORM report_scripts PREPEND ${report_assets_folder}/ OUTPUT_VARIABLE report_asset_files)
add_custom_command(OUTPUT ${report_assets_source}
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${report_assets_folder} -DOUTPUT=${report_assets_source}
          "-DSCRIPTS=${report_scripts}" -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${report_asset_files} ${report_assets_folder}/report.css ${CMAKE_CURRENT_LIST_FILE}
  COMMENT "Embedding the report's style and scripts"
  VERBATIM)
add_library(bloomery_report_assets STATIC ${report_assets_source})
target_include_directories(bloomery_report_assets PRIVATE ${PROJECT_SOURCE_DIR})
