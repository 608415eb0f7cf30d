# methods.c: the programs beside it as texts of the library, so that a program that is
# copied somewhere needs no folder beside it. Each method has one for closed shells and one, whose
# name begins with u, for unrestricted fields.
set(method_texts "")
set(method_rows "")
foreach(method mp2 ccd ccsd)
    foreach(program ${method} u${method})
        set(file ${CMAKE_CURRENT_SOURCE_DIR}/${program}.tce)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        file(READ ${file} bytes HEX)
        string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
        string(APPEND method_texts "static const char ${program}_text[] = {${bytes}0};\n")
    endforeach()
    string(APPEND method_rows
        "    {\"${method}\",\n"
        "     {{${method}_text, sizeof ${method}_text - 1},\n"
        "      {u${method}_text, sizeof u${method}_text - 1}}},\n")
endforeach()
set(method_names "mp2, ccd or ccsd")
configure_file(methods.c.in methods.c @ONLY)
