# Installation (`cmake --install`) for programs that use task pools without chemistry: the
# libraries, the headers that programs and their own modes need, a CMake package and a pkg-config
# file, both called taskpool.
include(CMakePackageConfigHelpers)

set(package_dir lib/cmake/taskpool)
set_target_properties(beryl_sched PROPERTIES OUTPUT_NAME taskpool EXPORT_NAME taskpool)
set_target_properties(beryl_support PROPERTIES OUTPUT_NAME taskpool_support EXPORT_NAME support)
install(TARGETS beryl_sched beryl_support EXPORT taskpool
    ARCHIVE DESTINATION lib COMPONENT taskpool)
install(EXPORT taskpool NAMESPACE taskpool:: FILE taskpoolTargets.cmake
    DESTINATION ${package_dir} COMPONENT taskpool)

foreach(header
        sched/taskpool.h
        sched/comparison/comparison.h
        sched/core/comm.h
        sched/core/history.h
        sched/core/mode.h
        sched/core/problem.h
        sched/core/seeding.h
        sched/core/settings.h
        sched/core/statistics.h
        sched/drivers/sim/machine.h
        sched/drivers/sim/noise.h
        sched/profiles/task_data.h
        sched/queues/task_ranges.h
        sched/trace/trace.h
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
