# SPDX-License-Identifier: BSD-3-Clause
# installed_program(<name> <what it does> <libraries> <source>...)
#
# A program that is installed, with a manual page from its --help-all, where help2man is there and the
# program can run; neither a build nor an installation fails for want of it.
#
# installed_script(<name> <what it does>)
#
# A Python script beside the programs, in which the project's version is put for @PROJECT_VERSION@; its
# manual page is from its --help.
find_program(HELP2MAN help2man)
mark_as_advanced(HELP2MAN)
if(NOT HELP2MAN)
    message(STATUS "No manual pages: help2man is missing")
endif()

function(installed_program name purpose libraries)
    add_executable(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE ${libraries})
    install(TARGETS ${name})
    if(NOT HELP2MAN)
        return()
    endif()
    set(page ${CMAKE_CURRENT_BINARY_DIR}/${name}.1)
    add_custom_command(TARGET ${name} POST_BUILD VERBATIM
        COMMAND ${HELP2MAN} --no-info --help-option=--help-all --name=${purpose} --output=${page} $<TARGET_FILE:${name}>
            || ${CMAKE_COMMAND} -E echo "No manual page of ${name}")
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
endfunction()

function(installed_script name purpose)
    set(script ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name})
    configure_file(${name} ${script} @ONLY)
    install(PROGRAMS ${script} TYPE BIN)
    if(NOT HELP2MAN)
        return()
    endif()
    set(page ${CMAKE_CURRENT_BINARY_DIR}/${name}.1)
    add_custom_command(OUTPUT ${page} DEPENDS ${script} VERBATIM
        COMMAND ${HELP2MAN} --no-info --name=${purpose} --output=${page} ${script}
            || ${CMAKE_COMMAND} -E echo "No manual page of ${name}")
    add_custom_target(${name}-page ALL DEPENDS ${page})
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
endfunction()
