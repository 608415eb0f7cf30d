/* SPDX-License-Identifier: BSD-3-Clause */
/* The vector units of an x86-64 processor. */
#pragma once

#include <stdint.h>

/* In ascending order of width and of what they can do; each has all of those before it. */
enum vector_unit {
    VECTOR_UNIT_BASELINE, /* 2 doubles: SSE2; or no x86-64 */
    VECTOR_UNIT_AVX,      /* 4 doubles */
    VECTOR_UNIT_AVX2,     /* 4, with FMA */
    VECTOR_UNIT_AVX512    /* 8, with F, CD, DQ, BW and VL, as since Skylake-SP and Zen 4 */
};

/* Registers about vector units that the processor has, and that the system saves when it switches
 * threads: a unit may be used where processor and
 * operating system support it. */
struct vector_registers {
    uint32_t leaf1_ecx; /* CPUID 1 */
    uint32_t leaf7_ebx; /* CPUID 7, subleaf 0; 0 where there is no such leaf */
    uint32_t xcr0;      /* XGETBV 0, the low half; 0 without OSXSAVE */
};

/* The best unit that may be used. Source: Intel 64 and IA-32 Architectures Software Developer's
 * Manual, volume 1, sections 14.3, 14.5.3, 14.7.1 and 15.2 to 15.4. */
enum vector_unit vector_unit_of(const struct vector_registers *registers);

/* vector_unit_of the processor that this process runs on. Determined on the first call: make that
 * call before starting threads. */
enum vector_unit vector_unit_here(void);
