# Figures are written against the API of matplotlib-cpp (#include <matplotlibcpp.h>). The target bloomery_plotting gives
# that header: the one shipped here, over pybind11, or an upstream copy that MATPLOTLIB_CPP_INCLUDE_DIR points at.

# The python3 found first on PATH may be one without matplotlib; the system's comes with python3-matplotlib.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "Python that has matplotlib")
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter Development.Embed)

execute_process(COMMAND ${Python3_EXECUTABLE} -c "import matplotlib" RESULT_VARIABLE matplotlib_missing
                OUTPUT_QUIET ERROR_QUIET)
if(matplotlib_missing)
  message(WARNING "${Python3_EXECUTABLE} has no matplotlib: figures cannot be drawn. "
                  "Install python3-matplotlib or set -DPython3_EXECUTABLE to a Python that has it.")
endif()

if(MATPLOTLIB_CPP_INCLUDE_DIR)
  if(NOT EXISTS ${MATPLOTLIB_CPP_INCLUDE_DIR}/matplotlibcpp.h)
    message(FATAL_ERROR "MATPLOTLIB_CPP_INCLUDE_DIR is ${MATPLOTLIB_CPP_INCLUDE_DIR}, but there is no matplotlibcpp.h "
                        "in that folder. Point it at the folder of the header, or leave it empty to use the one "
                        "shipped in experiments/matplotlib.")
  endif()
  add_library(bloomery_plotting INTERFACE)
  # SYSTEM, because the upstream header does not compile cleanly under our warnings.
  target_include_directories(bloomery_plotting SYSTEM INTERFACE ${MATPLOTLIB_CPP_INCLUDE_DIR})
  target_compile_definitions(bloomery_plotting INTERFACE WITHOUT_NUMPY)
  target_link_libraries(bloomery_plotting INTERFACE Python3::Python)
else()
  # pybind11 would otherwise look for a Python of its own and may find another one.
  set(PYBIND11_FINDPYTHON OFF)
  set(PYTHON_EXECUTABLE ${Python3_EXECUTABLE} CACHE FILEPATH "Python for pybind11")
  find_package(pybind11 REQUIRED)
  add_library(bloomery_plotting STATIC ${PROJECT_SOURCE_DIR}/experiments/matplotlib/matplotlibcpp.cc)
  target_include_directories(bloomery_plotting PUBLIC ${PROJECT_SOURCE_DIR}/experiments/matplotlib)
  target_compile_definitions(bloomery_plotting PRIVATE BLOOMERY_PYTHON="${Python3_EXECUTABLE}")
  target_link_libraries(bloomery_plotting PRIVATE pybind11::embed)
  # pybind11 marks its own types hidden; without this GCC warns about every class that holds one.
  set_target_properties(bloomery_plotting PROPERTIES CXX_VISIBILITY_PRESET hidden)
endif()
