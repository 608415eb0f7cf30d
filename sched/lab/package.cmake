# SPDX-License-Identifier: BSD-3-Clause
# The library taskpool, for programs that use task pools without chemistry. Beryl's own programs link
# the libraries that it is made of.
include(PublicLibrary)
find_package(Threads REQUIRED)

set(headers ${PROJECT_SOURCE_DIR}/sched/pool/taskpool)
file(STRINGS ${headers}/taskpool.h version REGEX "^#define TASKPOOL_VERSION_")
string(REGEX REPLACE "[^0-9;]" "" version "${version}")
list(JOIN version "." version)
if(NOT version STREQUAL PROJECT_VERSION)
    message(FATAL_ERROR "taskpool.h says version ${version}, the project ${PROJECT_VERSION}")
endif()

public_library(taskpool
    HEADERS ${headers}/taskpool.h ${headers}/mode.h ${headers}/comm.h ${headers}/data.h ${headers}/option.h ${headers}/simulation.h
    TARGETS beryl_pool beryl_lab beryl_support
    SYMBOLS taskpool_compare taskpool_trace_start
    LINK Jansson::Jansson OpenSSLCrypto::OpenSSLCrypto OTF2::OTF2 MPI::MPI_C Threads::Threads m)
target_link_libraries(taskpool_shared PUBLIC MPI::MPI_C)
foreach(kind static shared)
    # MPI's C++ bindings of old, which mpi.h would include.
    target_compile_definitions(taskpool_${kind} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
endforeach()
public_package(taskpool
    MODULES FindFromDebian.cmake FindJansson.cmake FindOpenSSLCrypto.cmake FindOTF2.cmake)
