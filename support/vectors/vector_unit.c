/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/vectors/vector_unit.h"

#include <stdbool.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

#define BIT(n) (UINT32_C(1) << (n))

/* CPUID 1, ECX */
#define FMA     BIT(12)
#define OSXSAVE BIT(27)
#define AVX     BIT(28)

/* CPUID 7, EBX */
#define AVX2   BIT(5)
#define AVX512 (BIT(16) | BIT(17) | BIT(28) | BIT(30) | BIT(31)) /* F, DQ, CD, BW, VL */

/* XCR0 */
#define YMM_SAVED (BIT(1) | BIT(2))
#define ZMM_SAVED (YMM_SAVED | BIT(5) | BIT(6) | BIT(7)) /* masks, both parts of the registers */

static bool has_bits(uint32_t word, uint32_t bits)
{
    return (word & bits) == bits;
}

enum vector_unit vector_unit_of(const struct vector_registers *registers)
{
    if (!has_bits(registers->leaf1_ecx, OSXSAVE | AVX) || !has_bits(registers->xcr0, YMM_SAVED))
        return VECTOR_UNIT_BASELINE;
    if (!has_bits(registers->leaf1_ecx, FMA) || !has_bits(registers->leaf7_ebx, AVX2))
        return VECTOR_UNIT_AVX;
    if (!has_bits(registers->leaf7_ebx, AVX512) || !has_bits(registers->xcr0, ZMM_SAVED))
        return VECTOR_UNIT_AVX2;
    return VECTOR_UNIT_AVX512;
}

static enum vector_unit ask_processor(void)
{
    struct vector_registers registers = {0};
#ifdef __x86_64__
    uint32_t eax, ebx, ecx, edx;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx))
        registers.leaf1_ecx = ecx;
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
        registers.leaf7_ebx = ebx;
    if (has_bits(registers.leaf1_ecx, OSXSAVE))
        __asm__ volatile("xgetbv" : "=a"(registers.xcr0), "=d"(edx) : "c"(0));
#endif
    return vector_unit_of(&registers);
}

enum vector_unit vector_unit_here(void)
{
    /* CPUID takes microseconds in a virtual machine, and engines look at every class. */
    static bool asked;
    static enum vector_unit unit;
    if (!asked)
        unit = ask_processor();
    asked = true;
    return unit;
}
