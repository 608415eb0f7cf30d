# SPDX-License-Identifier: BSD-3-Clause
# Functions that are compiled once for each kind of vectors (support/vectors/vector_unit.h), and added to a
# target:
#
#     add_vector_kernels(TARGET NAME [OPTION...])
#
# NAME_kernels.c of the folder is compiled with LANES, the number of doubles of a vector, and KERNELS,
# the name of its table of functions: NAME_kernels_baseline, on x86-64 NAME_kernels_avx2 and
# NAME_kernels_avx512, too. OPTION: of the compiler, where it optimises. Fast: sums of products are fused
# where the processor can.

function(add_vector_kernels_of TARGET NAME UNIT LANES OPTIONS)
    set(KERNELS beryl_${NAME}_${UNIT})
    add_library(${KERNELS} OBJECT ${NAME}_kernels.c)
    target_include_directories(${KERNELS} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${KERNELS} PRIVATE beryl_support)
    target_compile_definitions(${KERNELS} PRIVATE LANES=${LANES} KERNELS=${NAME}_kernels_${UNIT}
        $<$<CONFIG:Release,RelWithDebInfo>:UNROLL_LOOPS>)
    target_compile_options(${KERNELS} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O3;${OPTIONS}>
        -ffp-contract=fast -Wno-psabi ${ARGN})
    target_sources(${TARGET} PRIVATE $<TARGET_OBJECTS:${KERNELS}>)
endfunction()

function(add_vector_kernels TARGET NAME)
    add_vector_kernels_of(${TARGET} ${NAME} baseline 2 "${ARGN}")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        add_vector_kernels_of(${TARGET} ${NAME} avx2 4 "${ARGN}" -march=x86-64-v3)
        add_vector_kernels_of(${TARGET} ${NAME} avx512 8 "${ARGN}" -march=x86-64-v4
            -mprefer-vector-width=512)
    endif()
endfunction()
