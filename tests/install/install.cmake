# Installs the structures from BUILD into PREFIX, which is emptied first, and looks at what came.
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} --component structures
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE installed RELATIVE ${PREFIX} ${PREFIX}/*)
foreach(wanted cmake/bloomery/bloomery-config.cmake cmake/bloomery/bloomery-targets.cmake libbloomery_structures.a
        include/bloomery/structures/registry.h)
  if(NOT ";${installed};" MATCHES "[;/]${wanted};")
    message(FATAL_ERROR "${wanted} was not installed, but: ${installed}")
  endif()
endforeach()
# What the library must not ask of those who use it.
file(GLOB_RECURSE texts ${PREFIX}/*.cmake ${PREFIX}/*.h)
foreach(text IN LISTS texts)
  file(READ ${text} content)
  string(TOLOWER "${content}" content)
  foreach(foreign yaml python matplotlib pybind benchmark "mpi.h")
    if(content MATCHES "(include *[<\"]|find_dependency\\(|link_libraries[^\n]*)[^\n]*${foreign}")
      message(FATAL_ERROR "${text} asks for ${foreign}")
    endif()
  endforeach()
endforeach()
