/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/arrays/blas_kernels.h"

#include "support/base/log.h"

#include <cblas.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions of OpenBLAS: forget its kernels, and choose some as it does when it is loaded, by
 * OPENBLAS_CORETYPE or the processor. Without C prototypes, and absent where it was built for one
 * processor only. A variable that is set before main would need a second start of the program,
 * which debuggers and valgrind do not follow. */
void gotoblas_dynamic_quit(void) __attribute__((weak));
void gotoblas_dynamic_init(void) __attribute__((weak));

static const char variable[] = "OPENBLAS_CORETYPE";

/* Kernels that OpenBLAS takes for processors which it does not know, in ascending order; the last
 * of each unit but the first is the one to take. */
static const struct {
    const char *name;
    enum vector_unit unit;
} general_kernels[] = {
    {"Prescott", VECTOR_UNIT_BASELINE}, /* Intel's, and virtual machines' general processors */
    {"Opteron", VECTOR_UNIT_BASELINE},  /* the same by AMD */
    {"Opteron_SSE3", VECTOR_UNIT_BASELINE},
    {"Barcelona", VECTOR_UNIT_BASELINE}, /* AMD's before 0.3.21 */
    {"Nehalem", VECTOR_UNIT_BASELINE},   /* Zhaoxin's */
    {"Sandybridge", VECTOR_UNIT_AVX},
    {"Zen", VECTOR_UNIT_AVX2}, /* Zen 4 before 0.3.21 */
    {"Haswell", VECTOR_UNIT_AVX2},
    {"SkylakeX", VECTOR_UNIT_AVX512},
};

enum { N_GENERAL_KERNELS = sizeof general_kernels / sizeof general_kernels[0] };

/* Name of the kernels that OpenBLAS chose before blas_kernels_start selected others; NULL if it did
 * not. */
static const char *replaced;

const char *blas_kernels_instead_of(const char *taken, enum vector_unit unit)
{
    int i = 0;
    while (i < N_GENERAL_KERNELS && strcmp(general_kernels[i].name, taken) != 0)
        i++;
    if (i == N_GENERAL_KERNELS || general_kernels[i].unit >= unit)
        return NULL;
    while (i + 1 < N_GENERAL_KERNELS && general_kernels[i + 1].unit <= unit)
        i++;
    return general_kernels[i].name;
}

void blas_kernels_start(void)
{
    const char *taken = openblas_get_corename();
    const char *better = blas_kernels_instead_of(taken, vector_unit_here());
    if (!better || getenv(variable) || !gotoblas_dynamic_quit || !gotoblas_dynamic_init)
        return;
    setenv(variable, better, 1);
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    unsetenv(variable);
    if (strcmp(openblas_get_corename(), taken) != 0)
        replaced = taken;
}

/* Number of processes of comm with other kernels than process 0. */
static int count_other_kernels(MPI_Comm comm, const char *kernels)
{
    char first[32] = "";
    snprintf(first, sizeof first, "%s", kernels);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, comm);
    int differs = strncmp(first, kernels, sizeof first - 1) != 0, n_others;
    MPI_Allreduce(&differs, &n_others, 1, MPI_INT, MPI_SUM, comm);
    return n_others;
}

void blas_kernels_print(MPI_Comm comm)
{
    const char *kernels = openblas_get_corename(), *choice = getenv(variable);
    log_print("BLAS       OpenBLAS, kernels for %s", kernels);
    if (replaced)
        log_print("; its own choice would be %s", replaced);
    if (choice)
        log_print(" by %s=%s%s", variable, choice,
                  blas_kernels_instead_of(kernels, vector_unit_here())
                      ? "; the processor has longer vectors"
                      : "");
    log_print("\n");
    int n_others = count_other_kernels(comm, kernels);
    if (n_others > 0)
        log_print("           other kernels on %d processes, whose sums differ in the last bits: "
                  "%s=NAME on all gives them the same\n",
                  n_others, variable);
}
