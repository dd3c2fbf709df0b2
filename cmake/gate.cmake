# What the regression gate loads: structures/ as shared objects behind experiments/gate/module.h, with the flags and
# libraries of bloomery_structures. Nothing here is built unless `bloomery gate` or tests/gate_trials.sh asks for it.
#   gate_head               this tree
#   gate_base               build/gate/base-tree, where `bloomery gate` puts structures/ of the base commit
#   gate_slow, gate_all_slow, gate_wrong   this tree with a mistake planted in the shim
set(gate_folder ${PROJECT_BINARY_DIR}/gate)
# The shim's own header, without the structures/ beside it.
file(MAKE_DIRECTORY ${gate_folder}/include/experiments)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/experiments/gate ${gate_folder}/include/experiments/gate SYMBOLIC)
file(WRITE ${gate_folder}/exports.map "{ global: bloomery_gate_module; local: *; };\n")

function(gate_settings target tree)
  get_target_property(needs bloomery_structures LINK_LIBRARIES)
  target_link_libraries(${target} PRIVATE ${needs})
  target_include_directories(${target} PRIVATE ${gate_folder}/include ${tree})
  # Symbols that are unique in a process would be shared by the two builds in it.
  target_compile_options(${target} PRIVATE -fno-gnu-unique)
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

function(gate_objects target tree)
  file(GLOB sources CONFIGURE_DEPENDS ${tree}/structures/*.cc)
  add_library(${target} OBJECT ${sources})
  gate_settings(${target} ${tree})
endfunction()

# gate_module(NAME TREE OBJECTS DEFINITIONS...)
function(gate_module target tree objects)
  add_library(${target} MODULE ${PROJECT_SOURCE_DIR}/experiments/gate/shim.cc $<TARGET_OBJECTS:${objects}>)
  gate_settings(${target} ${tree})
  target_compile_definitions(${target} PRIVATE ${ARGN})
  target_link_options(${target} PRIVATE -Wl,--version-script=${gate_folder}/exports.map -Wl,--wrap=sysconf)
  set_target_properties(${target} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${gate_folder})
endfunction()

gate_objects(gate_head_objects ${PROJECT_SOURCE_DIR})
gate_module(gate_head ${PROJECT_SOURCE_DIR} gate_head_objects)
gate_module(gate_slow ${PROJECT_SOURCE_DIR} gate_head_objects BLOOMERY_GATE_SLOW="bloofi hit")
gate_module(gate_all_slow ${PROJECT_SOURCE_DIR} gate_head_objects BLOOMERY_GATE_SLOW="*")
gate_module(gate_wrong ${PROJECT_SOURCE_DIR} gate_head_objects BLOOMERY_GATE_WRONG="bloom hit")
if(EXISTS ${gate_folder}/base-tree/structures)
  gate_objects(gate_base_objects ${gate_folder}/base-tree)
  gate_module(gate_base ${gate_folder}/base-tree gate_base_objects)
endif()

set_source_files_properties(experiments/gate.cc experiments/gate_build.cc PROPERTIES COMPILE_DEFINITIONS
  "BLOOMERY_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\";BLOOMERY_BINARY_DIR=\"${PROJECT_BINARY_DIR}\";BLOOMERY_CMAKE=\"${CMAKE_COMMAND}\"")
