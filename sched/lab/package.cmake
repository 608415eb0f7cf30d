# The installed library taskpool (`cmake --install`), static and shared, for programs that use task
# pools without chemistry: three headers, a CMake package and a pkg-config file of that name. Beryl's
# own programs link the libraries that it is made of.
include(CMakePackageConfigHelpers)
find_package(Threads REQUIRED)

file(STRINGS ${PROJECT_SOURCE_DIR}/sched/pool/taskpool/taskpool.h lines
    REGEX "^#define TASKPOOL_VERSION_")
string(REGEX REPLACE "[^0-9;]" "" lines "${lines}")
list(JOIN lines "." version)
if(NOT version STREQUAL PROJECT_VERSION)
    message(FATAL_ERROR "taskpool.h says version ${version}, the project ${PROJECT_VERSION}")
endif()

# One object of all that the library is made of, in which only names of taskpool_ can be linked with.
set(object ${CMAKE_CURRENT_BINARY_DIR}/taskpool.o)
set_target_properties(beryl_pool beryl_lab beryl_support PROPERTIES POSITION_INDEPENDENT_CODE ON)
foreach(target beryl_pool beryl_lab beryl_support)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
endforeach()
add_custom_command(OUTPUT ${object} VERBATIM
    COMMAND ${CMAKE_LINKER} -r -o ${object} -u taskpool_compare -u taskpool_trace_start
        --whole-archive $<TARGET_FILE:beryl_pool> --no-whole-archive
        $<TARGET_FILE:beryl_lab> $<TARGET_FILE:beryl_support>
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=taskpool_* ${object}
    DEPENDS beryl_pool beryl_lab beryl_support)
set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)

set(needed Jansson::Jansson OpenSSLCrypto::OpenSSLCrypto OTF2::OTF2 Threads::Threads m)
add_library(taskpool SHARED ${object})
target_link_libraries(taskpool PUBLIC MPI::MPI_C PRIVATE ${needed})
set_target_properties(taskpool PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
add_library(taskpool_static STATIC ${object})
target_link_libraries(taskpool_static PUBLIC MPI::MPI_C PRIVATE ${needed})
set_target_properties(taskpool_static PROPERTIES OUTPUT_NAME taskpool EXPORT_NAME static)
add_dependencies(taskpool_static taskpool) # one of them makes the object
foreach(target taskpool taskpool_static)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
    target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:include>)
    # MPI's C++ bindings of old, which mpi.h would include.
    target_compile_definitions(${target} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
endforeach()

set(package_dir lib/cmake/taskpool)
install(TARGETS taskpool taskpool_static EXPORT taskpool
    ARCHIVE DESTINATION lib COMPONENT taskpool
    LIBRARY DESTINATION lib COMPONENT taskpool NAMELINK_COMPONENT taskpool)
install(EXPORT taskpool NAMESPACE taskpool:: FILE taskpoolTargets.cmake
    DESTINATION ${package_dir} COMPONENT taskpool)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/sched/pool/taskpool DESTINATION include
    COMPONENT taskpool FILES_MATCHING PATTERN *.h)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/taskpoolConfig.cmake.in
    taskpoolConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(taskpoolConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(${PROJECT_SOURCE_DIR}/cmake/taskpool.pc.in taskpool.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/taskpoolConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/taskpoolConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindFromDebian.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindJansson.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindOpenSSLCrypto.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindOTF2.cmake
    DESTINATION ${package_dir} COMPONENT taskpool)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/taskpool.pc
    DESTINATION lib/pkgconfig COMPONENT taskpool)
