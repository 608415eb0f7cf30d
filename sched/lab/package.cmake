# Installation (`cmake --install`) for programs that use task pools without chemistry: the
# libraries, the headers that programs and their own modes need, a CMake package and a pkg-config
# file, both called taskpool.
include(CMakePackageConfigHelpers)

set(package_dir lib/cmake/taskpool)
set_target_properties(beryl_pool PROPERTIES OUTPUT_NAME taskpool_pool EXPORT_NAME pool)
set_target_properties(beryl_lab PROPERTIES OUTPUT_NAME taskpool EXPORT_NAME taskpool)
set_target_properties(beryl_support PROPERTIES OUTPUT_NAME taskpool_support EXPORT_NAME support)
install(TARGETS beryl_lab beryl_pool beryl_support EXPORT taskpool
    ARCHIVE DESTINATION lib COMPONENT taskpool)
install(EXPORT taskpool NAMESPACE taskpool:: FILE taskpoolTargets.cmake
    DESTINATION ${package_dir} COMPONENT taskpool)

foreach(header
        sched/pool/taskpool.h
        sched/lab/comparison/comparison.h
        sched/lab/comparison/taskpool_compare.h
        sched/pool/core/comm.h
        sched/pool/core/history.h
        sched/pool/core/mode.h
        sched/pool/core/problem.h
        sched/pool/core/seeding.h
        sched/pool/core/settings.h
        sched/pool/core/statistics.h
        sched/pool/drivers/sim/machine.h
        sched/pool/drivers/sim/noise.h
        sched/pool/core/task_data.h
        sched/pool/queues/task_ranges.h
        sched/lab/trace/trace.h
        support/base/random.h
        support/base/rank_statistics.h
        support/base/status.h
        support/io/option_row.h)
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${PROJECT_SOURCE_DIR}/${header}
        DESTINATION include/taskpool/${folder} COMPONENT taskpool)
endforeach()

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
