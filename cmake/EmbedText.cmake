# SPDX-License-Identifier: BSD-3-Clause
# embed_text(<target> <array> <file>)
#
# Adds `const char <array>[]` to a target: the text of a file, put in when the target is built. Of a
# style sheet (.css) comments are left out, and line breaks before indented lines.
if(CMAKE_SCRIPT_MODE_FILE)
    file(READ ${TEXT} text)
    if(TEXT MATCHES "[.]css$")
        string(REGEX REPLACE "/[*][^*]*[*]/\n" "" text "${text}")
        string(REGEX REPLACE "\n +" "" text "${text}")
    endif()
    string(HEX "${text}" bytes)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    file(WRITE ${OUTPUT}
        "extern const char ${ARRAY}[];\nconst char ${ARRAY}[] = {${bytes}0};\n")
    return()
endif()

set(embed_text_script ${CMAKE_CURRENT_LIST_FILE})

function(embed_text target array file)
    set(text ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${array}.c)
    add_custom_command(OUTPUT ${output} DEPENDS ${text} ${embed_text_script} VERBATIM
        COMMAND ${CMAKE_COMMAND} -D TEXT=${text} -D ARRAY=${array} -D OUTPUT=${output}
            -P ${embed_text_script})
    target_sources(${target} PRIVATE ${output})
endfunction()
