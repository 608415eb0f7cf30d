# SPDX-License-Identifier: BSD-3-Clause
# The methods of beryl-tce: a line for each with its name, description, title, the beginning of its keys
# in QCSchema, and the method that it continues, if any. Commands, help and
# messages derive from this list. A method NAME has two .tce programs in this folder: NAME.tce for
# closed shells and uNAME.tce for UHF and ROHF, over spin orbitals. A continued method's text
# precedes the method's own. The library embeds the texts: an executable needs no folder of programs.
set(methods
    "mp2|second-order perturbation theory|MP2|mp2"
    "ccd|coupled cluster with doubles|CCD|ccd"
    "ccsd|singles and doubles|CCSD|ccsd"
    "ccsd_t|CCSD and perturbative triples, CCSD(T)|CCSD(T)|ccsd_prt_pr|ccsd"
    "ccsdt|singles, doubles and triples|CCSDT|ccsdt")

# "A, B or C" from a list.
function(list_words words result)
    list(POP_BACK words last)
    list(JOIN words ", " first)
    set(${result} "${first} or ${last}" PARENT_SCOPE)
endfunction()

set(names "")
set(titles "")
set(method_texts "")
set(method_rows "")
set(program_rows "")
set(method_name_size 15) # of users' programs, too
foreach(row ${methods})
    string(REGEX MATCH "^([^|]+)[|]([^|]+)[|]([^|]+)[|]([^|]+)[|]?([^|]*)$" row "${row}")
    set(method ${CMAKE_MATCH_1})
    set(title ${CMAKE_MATCH_3})
    set(property ${CMAKE_MATCH_4})
    set(continued ${CMAKE_MATCH_5})
    list(APPEND names ${method})
    list(APPEND titles "${method} (${CMAKE_MATCH_2})")
    foreach(spin "" u)
        set(program ${spin}${method})
        set(bytes "")
        foreach(part ${continued} ${method})
            set(file ${CMAKE_CURRENT_SOURCE_DIR}/${spin}${part}.tce)
            set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
            file(READ ${file} part_bytes HEX)
            string(APPEND bytes ${part_bytes})
        endforeach()
        string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
        string(APPEND method_texts "static const char ${program}_text[] = {${bytes}0};\n")
    endforeach()
    set(iterated ${method})
    if(continued)
        set(iterated ${continued})
    endif()
    string(TOLOWER ${title} label)
    string(APPEND method_rows
        "    {\"${method}\", \"${title}\", \"${label}\", \"${property}\", \"${iterated}\"},\n")
    string(APPEND program_rows "    {{${method}_text, sizeof ${method}_text - 1},\n"
        "     {u${method}_text, sizeof u${method}_text - 1}},\n")
    foreach(word ${method} ${property})
        string(LENGTH "${word}" length)
        math(EXPR length "${length} + 1")
        if(length GREATER method_name_size)
            set(method_name_size ${length})
        endif()
    endforeach()
endforeach()
list_words("${names}" method_names)
list_words("${titles}" method_titles)
list(JOIN names "|" method_choices)
configure_file(methods.h.in ${PROJECT_BINARY_DIR}/include/tce/methods/methods.h @ONLY)
configure_file(methods.c.in methods.c @ONLY)
