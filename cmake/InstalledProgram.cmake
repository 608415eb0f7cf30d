# SPDX-License-Identifier: BSD-3-Clause
# installed_program(<name> <what it does> <libraries> <source>...)
#
# A program that is installed, with a manual page from its --help-all, where help2man is there and the
# program can run; neither a build nor an installation fails for want of it.
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
