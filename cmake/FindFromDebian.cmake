# SPDX-License-Identifier: BSD-3-Clause
# find_from_debian(NAME PACKAGE <debian packages> LIBRARIES <name>...
#                  [HEADER <file> [HEADER_SUFFIX <dir>]] [DEPENDS <target or library>...])
#
# Finds a header and the libraries of a dependency and defines the imported
# target NAME::NAME from them and from what they depend on; every Find*.cmake
# here is made of it. When something is missing, the message names the Debian
# package that holds it.
include_guard(GLOBAL)
include(FindPackageHandleStandardArgs)

function(find_from_debian NAME)
    cmake_parse_arguments(ARG "" "PACKAGE;HEADER;HEADER_SUFFIX" "LIBRARIES;DEPENDS" ${ARGN})
    set(needed)
    foreach(library IN LISTS ARG_LIBRARIES)
        find_library(${NAME}_${library}_LIBRARY ${library})
        mark_as_advanced(${NAME}_${library}_LIBRARY)
        list(APPEND needed ${NAME}_${library}_LIBRARY)
    endforeach()
    if(ARG_HEADER)
        find_path(${NAME}_INCLUDE_DIR ${ARG_HEADER} PATH_SUFFIXES ${ARG_HEADER_SUFFIX})
        mark_as_advanced(${NAME}_INCLUDE_DIR)
        list(APPEND needed ${NAME}_INCLUDE_DIR)
    endif()

    find_package_handle_standard_args(${NAME}
        REQUIRED_VARS ${needed}
        REASON_FAILURE_MESSAGE "\n  On Debian: apt-get install ${ARG_PACKAGE}\n")
    set(${NAME}_FOUND ${${NAME}_FOUND} PARENT_SCOPE)
    if(NOT ${NAME}_FOUND OR TARGET ${NAME}::${NAME})
        return()
    endif()
    # A target per library, each with what must follow it on the linker's command
    # line: archives, unlike shared libraries, depend on that order.
    add_library(${NAME}::${NAME} INTERFACE IMPORTED GLOBAL)
    if(ARG_HEADER)
        target_include_directories(${NAME}::${NAME} INTERFACE ${${NAME}_INCLUDE_DIR})
    endif()
    set(following ${ARG_DEPENDS})
    list(REVERSE ARG_LIBRARIES)
    foreach(library IN LISTS ARG_LIBRARIES)
        add_library(${NAME}::${library} UNKNOWN IMPORTED GLOBAL)
        set_target_properties(${NAME}::${library} PROPERTIES
            IMPORTED_LOCATION ${${NAME}_${library}_LIBRARY})
        target_link_libraries(${NAME}::${library} INTERFACE ${following})
        list(PREPEND following ${NAME}::${library})
    endforeach()
    target_link_libraries(${NAME}::${NAME} INTERFACE ${following})
endfunction()
