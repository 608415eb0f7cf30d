# man_page(<program> <what it does>)
#
# Makes the program's manual page from its --help, where help2man is there and the program can
# run; neither a build nor an installation fails for want of it.
find_program(HELP2MAN help2man)
mark_as_advanced(HELP2MAN)
if(NOT HELP2MAN)
    message(STATUS "No manual pages: help2man is missing")
endif()

function(man_page program purpose)
    if(NOT HELP2MAN)
        return()
    endif()
    set(page ${CMAKE_CURRENT_BINARY_DIR}/${program}.1)
    add_custom_command(TARGET ${program} POST_BUILD VERBATIM
        COMMAND ${HELP2MAN} --no-info --name=${purpose} --output=${page} $<TARGET_FILE:${program}>
            || ${CMAKE_COMMAND} -E echo "No manual page of ${program}")
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
endfunction()
