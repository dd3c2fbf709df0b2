# The Python module: build/python/bloomery, for PYTHONPATH=build/python or `cmake --install build --component python`.
find_package(Python3 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 REQUIRED)

file(STRINGS experiments/rows.h schema_line REGEX "kSchema = ")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" ROWS_SCHEMA "${schema_line}")
set(python_package ${CMAKE_BINARY_DIR}/python/bloomery)
configure_file(python/bloomery/__init__.py ${python_package}/__init__.py COPYONLY)
configure_file(python/bloomery/rows.py ${python_package}/rows.py @ONLY)

pybind11_add_module(bloomery_python NO_EXTRAS python/bloomery_core.cc)
target_link_libraries(bloomery_python PRIVATE bloomery_structures fmt::fmt)
set_target_properties(bloomery_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${python_package})

install(TARGETS bloomery_python LIBRARY DESTINATION lib/python3/dist-packages/bloomery COMPONENT python)
install(FILES ${python_package}/__init__.py ${python_package}/rows.py DESTINATION lib/python3/dist-packages/bloomery
  COMPONENT python)
