# SPDX-License-Identifier: BSD-3-Clause
# installed_program(<name> <what it does> <libraries> <source>...)
#
# A program that is installed, with a manual page from its --help-all, where help2man is there and the
# program can run; neither a build nor an installation fails for want of it.
#
# installed_script(<name> <what it does> <source>)
#
# The same of a script, in which @VARIABLES@ are replaced; a target of its name makes the page.
find_program(HELP2MAN help2man)
mark_as_advanced(HELP2MAN)
if(NOT HELP2MAN)
    message(STATUS "No manual pages: help2man is missing")
endif()

function(manual_page name purpose file)
    if(NOT HELP2MAN)
        return()
    endif()
    set(page ${CMAKE_CURRENT_BINARY_DIR}/${name}.1)
    add_custom_command(TARGET ${name} POST_BUILD VERBATIM
        COMMAND ${HELP2MAN} --no-info --help-option=--help-all --name=${purpose} --output=${page} ${file}
            || ${CMAKE_COMMAND} -E echo "No manual page of ${name}")
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
endfunction()

function(installed_program name purpose libraries)
    add_executable(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE ${libraries})
    install(TARGETS ${name})
    manual_page(${name} ${purpose} $<TARGET_FILE:${name}>)
endfunction()

function(installed_script name purpose source)
    set(script ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name})
    configure_file(${source} ${script} @ONLY FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
        GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    add_custom_target(${name} ALL DEPENDS ${script})
    install(PROGRAMS ${script} TYPE BIN)
    manual_page(${name} ${purpose} ${script})
endfunction()
