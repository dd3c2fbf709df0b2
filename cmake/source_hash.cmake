# A content hash of the sources that decide a measurement, so that rows go stale when those change and only then.
#
# Included by CMakeLists.txt it defines the target `bloomery_source_hash`; run as a script (cmake -P) at every build it
# writes bloomery_source_hash.h, leaving the file alone when the hash is the same.
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB sources RELATIVE ${SOURCE_DIR}
    ${SOURCE_DIR}/structures/*.h ${SOURCE_DIR}/structures/*.cc
    ${SOURCE_DIR}/experiments/workload.* ${SOURCE_DIR}/experiments/phases.* ${SOURCE_DIR}/experiments/verify.*
    ${SOURCE_DIR}/experiments/measure.* ${SOURCE_DIR}/experiments/plan.* ${SOURCE_DIR}/experiments/provenance.*
    ${SOURCE_DIR}/experiments/window.* ${SOURCE_DIR}/experiments/filter.* ${SOURCE_DIR}/experiments/cache.*
    ${SOURCE_DIR}/experiments/mpi/*.cc)
  list(FILTER sources INCLUDE REGEX "\\.(h|cc)$")
  list(SORT sources)
  set(digests "")
  foreach(source IN LISTS sources)
    file(SHA256 ${SOURCE_DIR}/${source} digest)
    string(APPEND digests "${source} ${digest}\n")
  endforeach()
  string(SHA256 hash "${digests}")
  string(SUBSTRING ${hash} 0 16 hash)
  set(text "#define BLOOMERY_SOURCE_HASH \"${hash}\"\n")
  set(previous "")
  if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} previous)
  endif()
  if(NOT text STREQUAL previous)
    file(WRITE ${OUTPUT} "${text}")
  endif()
  return()
endif()

set(source_hash_dir ${CMAKE_CURRENT_BINARY_DIR}/generated)
add_custom_target(bloomery_source_hash_header
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUTPUT=${source_hash_dir}/bloomery_source_hash.h
          -P ${CMAKE_CURRENT_LIST_DIR}/source_hash.cmake
  BYPRODUCTS ${source_hash_dir}/bloomery_source_hash.h
  COMMENT "Hashing the measured sources"
  VERBATIM)
add_library(bloomery_source_hash INTERFACE)
target_include_directories(bloomery_source_hash INTERFACE ${source_hash_dir})
add_dependencies(bloomery_source_hash bloomery_source_hash_header)
