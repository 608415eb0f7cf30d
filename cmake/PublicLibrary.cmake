# SPDX-License-Identifier: BSD-3-Clause
# public_library(<name> HEADERS <file>... TARGETS <target>... LINK <library>...
#                [SYMBOLS <name>...] [LINK_STATIC <library>...] [LINK_SHARED <library>...])
#
# Makes the libraries that are installed for programs from outside, lib<name>.a and lib<name>.so
# (targets <name>_static and <name>_shared), in which names that begin with <name>_ alone are
# visible. The public headers, which declare them, are between `#pragma GCC visibility push(default)`
# and pop; all else is made local to the one object of both libraries. Groups of sections, which C++ files
# have in common with archives that are linked later, become plain sections.
#
# TARGETS  static libraries of this project: all of the first, and what it needs of the others
# SYMBOLS  public names of the others that the first does not need
# LINK     what both need besides; LINK_STATIC and LINK_SHARED: what one of them needs
function(public_library name)
    cmake_parse_arguments(ARG "" "" "HEADERS;TARGETS;SYMBOLS;LINK;LINK_STATIC;LINK_SHARED" ${ARGN})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
    set(archives ${ARG_TARGETS})
    list(POP_FRONT archives first)
    list(TRANSFORM archives REPLACE "(.+)" "$<TARGET_FILE:\\1>")
    list(TRANSFORM ARG_SYMBOLS PREPEND "--undefined=")
    add_custom_command(OUTPUT ${object} DEPENDS ${ARG_TARGETS} VERBATIM COMMAND_EXPAND_LISTS
        COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${object} ${ARG_SYMBOLS} --whole-archive $<TARGET_FILE:${first}>
            --no-whole-archive --start-group ${archives} --end-group
        COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=${name}_* ${object})
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)

    add_library(${name}_static STATIC ${object})
    target_link_libraries(${name}_static INTERFACE ${ARG_LINK} ${ARG_LINK_STATIC})
    add_library(${name}_shared SHARED ${object})
    add_dependencies(${name}_static ${name}_shared) # one of them makes the object
    # Archives that it links are part of it, and hidden as well.
    target_link_libraries(${name}_shared PRIVATE ${ARG_LINK_SHARED} ${ARG_LINK})
    target_link_options(${name}_shared PRIVATE -Wl,--exclude-libs,ALL -Wl,-z,text)
    set_target_properties(${name}_shared PROPERTIES VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    foreach(kind static shared)
        set_target_properties(${name}_${kind} PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME ${name}
            EXPORT_NAME ${kind})
        target_include_directories(${name}_${kind} INTERFACE $<INSTALL_INTERFACE:include>)
        install(TARGETS ${name}_${kind} EXPORT ${name}-${kind} DESTINATION lib COMPONENT ${name})
        install(EXPORT ${name}-${kind} NAMESPACE ${name}:: FILE ${name}-${kind}.cmake
            DESTINATION lib/cmake/${name} COMPONENT ${name})
    endforeach()
    install(FILES ${ARG_HEADERS} DESTINATION include/${name} COMPONENT ${name})
endfunction()

# public_package(<name> [MODULES <file>...])
#
# Installs the CMake package and the pkg-config file of such a library, from <name>Config.cmake.in
# and <name>.pc.in in this folder. MODULES: find modules of what the static library needs.
include(CMakePackageConfigHelpers)
function(public_package name)
    cmake_parse_arguments(ARG "" "" "MODULES" ${ARGN})
    set(folder lib/cmake/${name})
    configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/${name}Config.cmake.in
        ${name}Config.cmake INSTALL_DESTINATION ${folder})
    write_basic_package_version_file(${name}ConfigVersion.cmake COMPATIBILITY SameMinorVersion)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${name}.pc @ONLY)
    list(TRANSFORM ARG_MODULES PREPEND ${PROJECT_SOURCE_DIR}/cmake/)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}Config.cmake
        ${CMAKE_CURRENT_BINARY_DIR}/${name}ConfigVersion.cmake ${ARG_MODULES}
        DESTINATION ${folder} COMPONENT ${name})
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION lib/pkgconfig
        COMPONENT ${name})
endfunction()
