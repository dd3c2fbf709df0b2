# `cmake --install build --component structures`: the library alone, for find_package(bloomery) and bloomery::structures.
# Without --component the program comes along.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

file(GLOB structures_headers CONFIGURE_DEPENDS structures/*.h)
target_sources(bloomery_structures PUBLIC
  FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${structures_headers})
set_target_properties(bloomery_structures PROPERTIES
  EXPORT_NAME structures VERIFY_INTERFACE_HEADER_SETS ON POSITION_INDEPENDENT_CODE ON)
# So that shared objects can hold it; what a function calls in its own file is inlined all the same.
target_compile_options(bloomery_structures PRIVATE -fno-semantic-interposition)

# Headers lay their types out by what the processor has, so that whoever includes them must be compiled for the same.
target_compile_features(bloomery_structures PUBLIC cxx_std_20)
target_compile_options(bloomery_structures INTERFACE $<INSTALL_INTERFACE:${BLOOMERY_ARCH_FLAGS}>)
if(BLOOMERY_SANITIZE)
  target_link_options(bloomery_structures INTERFACE $<INSTALL_INTERFACE:-fsanitize=${BLOOMERY_SANITIZE}>)
endif()

set(bloomery_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bloomery)
install(TARGETS bloomery_structures EXPORT bloomery
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT structures
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT structures
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bloomery COMPONENT structures)
install(EXPORT bloomery NAMESPACE bloomery:: FILE bloomery-targets.cmake DESTINATION ${bloomery_config_dir}
  COMPONENT structures)
configure_package_config_file(cmake/bloomery-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/bloomery-config.cmake
  INSTALL_DESTINATION ${bloomery_config_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/bloomery-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/bloomery-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/bloomery-config-version.cmake DESTINATION ${bloomery_config_dir} COMPONENT structures)
install(TARGETS bloomery RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
