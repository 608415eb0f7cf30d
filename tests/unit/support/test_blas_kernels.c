/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenBLAS uses kernels for the processor, unless the user chooses others. */
#include "support/arrays/blas_kernels.h"
#include "tests/check.h"

#include <cblas.h>
#include <string.h>

/* Functions of OpenBLAS without C prototypes; absent where it was built for one processor only. */
void gotoblas_dynamic_quit(void) __attribute__((weak));
void gotoblas_dynamic_init(void) __attribute__((weak));

TEST(table_of_processors)
{
    const struct {
        const char
            *name; /* CPUID's family and model, and a version of OpenBLAS other than 0.3.21 */
        enum vector_unit unit;
        const char *taken;   /* by OpenBLAS */
        const char *instead; /* NULL: it is right */
    } processors[] = {
        {"Raptor Lake, 6/186", VECTOR_UNIT_AVX2, "Prescott", "Haswell"},
        {"Emerald Rapids, 6/207", VECTOR_UNIT_AVX512, "Prescott", "SkylakeX"},
        {"Raptor Lake, no AVX by the system", VECTOR_UNIT_BASELINE, "Prescott", NULL},
        {"virtual machine, AMD, 15/107, x86-64-v3", VECTOR_UNIT_AVX2, "Opteron", "Haswell"},
        {"virtual machine, AMD, 15/107, AVX alone", VECTOR_UNIT_AVX, "Opteron", "Sandybridge"},
        {"Cannon Lake, 6/102", VECTOR_UNIT_AVX512, "Haswell", "SkylakeX"},
        {"KX-7000, 7/107", VECTOR_UNIT_AVX2, "Nehalem", "Haswell"},
        {"Zen 4, 25/17, by 0.3.20", VECTOR_UNIT_AVX512, "Zen", "SkylakeX"},
        {"Zen 5, 26/2, by 0.3.20", VECTOR_UNIT_AVX512, "Barcelona", "SkylakeX"},
        {"Jaguar, 22/0", VECTOR_UNIT_AVX, "Bobcat", NULL},
        {"Sapphire Rapids, 6/143, by 0.3.28", VECTOR_UNIT_AVX512, "SapphireRapids", NULL},
        {"Knights Landing, 6/87", VECTOR_UNIT_AVX2, "Haswell", NULL},
        {"Westmere, 6/44", VECTOR_UNIT_BASELINE, "Nehalem", NULL},
        {"one of years to come", VECTOR_UNIT_AVX512, "Unheard-of", NULL},
    };
    for (size_t i = 0; i < sizeof processors / sizeof processors[0]; i++) {
        const char *instead = blas_kernels_instead_of(processors[i].taken, processors[i].unit);
        const char *expected = processors[i].instead;
        if (!instead != !expected || (expected && strcmp(instead, expected) != 0))
            fail_msg("%s: %s, not %s", processors[i].name, instead, expected);
    }
}

/* Has OpenBLAS take these kernels: as if it had done so by itself, if variable is NULL, else as
 * OPENBLAS_CORETYPE says and says on. Skips the test where OpenBLAS has one set only. */
static void load_kernels(const char *kernels, const char *variable)
{
    if (!gotoblas_dynamic_quit || !gotoblas_dynamic_init)
        skip();
    setenv("OPENBLAS_CORETYPE", kernels, 1);
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    assert_string_equal(openblas_get_corename(), kernels);
    if (variable)
        setenv("OPENBLAS_CORETYPE", variable, 1);
    else
        unsetenv("OPENBLAS_CORETYPE");
}

/* Small whole numbers, so that every sum is exact. */
static void check_product(void)
{
    enum { M = 131, N = 77, K = 259 };
    static double A[M * K], B[K * N], C[M * N];
    for (int i = 0; i < M * K; i++)
        A[i] = i * 7 % 11;
    for (int i = 0; i < K * N; i++)
        B[i] = i * 5 % 13 - 6;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, N, K, 1, A, K, B, N, 0, C, N);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            for (int k = 0; k < K; k++)
                C[i * N + j] -= A[i * K + k] * B[k * N + j];
            check_close(C[i * N + j], 0, 0);
        }
}

TEST(mistaken_kernels_are_replaced)
{
    const char *const best[] = {"Prescott", "Sandybridge", "Haswell", "SkylakeX"};
    load_kernels("Prescott", NULL);
    check_product();
    blas_kernels_start();
    assert_string_equal(openblas_get_corename(), best[vector_unit_here()]);
    assert_null(getenv("OPENBLAS_CORETYPE"));
    check_product();
}

TEST(right_kernels_stay)
{
    load_kernels("Excavator", NULL);
    blas_kernels_start();
    assert_string_equal(openblas_get_corename(), "Excavator");
}

TEST(user_has_the_last_word)
{
    load_kernels("Prescott", "prescott");
    blas_kernels_start();
    assert_string_equal(openblas_get_corename(), "Prescott");
    assert_string_equal(getenv("OPENBLAS_CORETYPE"), "prescott");
}
