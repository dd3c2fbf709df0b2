# libbloomery_mpi.so, beside the program, which loads it when mpirun has started it. Without Open MPI there is none, and
# only `sharded` over several ranks is missing.
set(MPI_CXX_SKIP_MPICXX ON)  # the C interface is the one that is kept up
find_package(MPI COMPONENTS CXX)
if(MPI_CXX_FOUND)
  add_library(bloomery_mpi MODULE experiments/mpi/mpi_ranks.cc)
  target_include_directories(bloomery_mpi PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(bloomery_mpi PRIVATE MPI::MPI_CXX fmt::fmt)
  add_dependencies(bloomery bloomery_mpi)
  install(TARGETS bloomery_mpi LIBRARY DESTINATION lib/bloomery COMPONENT program)
else()
  message(WARNING "Open MPI was not found: `sharded` will have one rank. Install libopenmpi-dev and openmpi-bin.")
endif()
