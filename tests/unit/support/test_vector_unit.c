/* SPDX-License-Identifier: BSD-3-Clause */
/* The vector unit that a processor has and the system saves. */
#include "support/vectors/vector_unit.h"
#include "tests/check.h"

#define BIT(n) (UINT32_C(1) << (n))

enum {
    SSE_STATE = 0x3, /* XCR0: x87 and SSE */
    AVX_STATE = 0x7,
    AVX512_STATE = 0xe7
};

/* CPUID 1, ECX: SSE3 to SSE4.2 and POPCNT without and with XSAVE in use, AVX, FMA */
#define SSE42   (BIT(0) | BIT(9) | BIT(19) | BIT(20) | BIT(23) | BIT(26))
#define SAVING  (SSE42 | BIT(27))
#define AVX     (SAVING | BIT(28))
#define AVX_FMA (AVX | BIT(12))

/* CPUID 7, EBX */
#define AVX2          (BIT(3) | BIT(5) | BIT(8))
#define F_CD          (AVX2 | BIT(16) | BIT(28))
#define F_CD_DQ_BW_VL (F_CD | BIT(17) | BIT(30) | BIT(31))

TEST(table_of_processors)
{
    const struct {
        const char *name;
        struct vector_registers registers;
        enum vector_unit unit;
    } processors[] = {
        {"EPYC 9005 (Zen 5), read from one", {0xfffa3203, 0xf1bf07ab, 0xe7}, VECTOR_UNIT_AVX512},
        {"Zen 5, the system saves no ZMM", {0xfffa3203, 0xf1bf07ab, 0x7}, VECTOR_UNIT_AVX2},
        {"Zen 5, the system saves ZMM but no masks",
         {0xfffa3203, 0xf1bf07ab, 0xc7},
         VECTOR_UNIT_AVX2},
        {"Zen 5, the system saves no YMM", {0xfffa3203, 0xf1bf07ab, 0x3}, VECTOR_UNIT_BASELINE},
        {"Skylake-SP", {AVX_FMA, F_CD_DQ_BW_VL, AVX512_STATE}, VECTOR_UNIT_AVX512},
        {"Knights Landing", {AVX_FMA, F_CD, AVX512_STATE}, VECTOR_UNIT_AVX2},
        {"Raptor Lake, Zen 3, Haswell", {AVX_FMA, AVX2, AVX_STATE}, VECTOR_UNIT_AVX2},
        {"AVX2 without FMA, by a virtual machine", {AVX, AVX2, AVX_STATE}, VECTOR_UNIT_AVX},
        {"Piledriver", {AVX_FMA, BIT(3), AVX_STATE}, VECTOR_UNIT_AVX},
        {"Nehalem", {SSE42, 0, 0}, VECTOR_UNIT_BASELINE},
        {"no x86-64", {0, 0, 0}, VECTOR_UNIT_BASELINE},
    };
    for (size_t i = 0; i < sizeof processors / sizeof processors[0]; i++)
        if (vector_unit_of(&processors[i].registers) != processors[i].unit)
            fail_msg("%s: unit %d", processors[i].name, vector_unit_of(&processors[i].registers));
}

/* The compiler's own idea of this processor, which knows of the system, too. */
TEST(here)
{
    enum vector_unit unit = VECTOR_UNIT_BASELINE;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx"))
        unit = VECTOR_UNIT_AVX;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        unit = VECTOR_UNIT_AVX2;
    if (unit == VECTOR_UNIT_AVX2 && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        unit = VECTOR_UNIT_AVX512;
#endif
    assert_int_equal(vector_unit_here(), unit);
}
