/* SPDX-License-Identifier: BSD-3-Clause */
/* Tensors of integrals over molecular orbitals, for the tests of their transformation. */
#pragma once

#include "tce/integrals/mo_integrals.h"
#include "tests/cases/pool_cases.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { MO_CASE_TARGETS = 16 };

struct mo_case {
    struct index_space *occupied, *virtual;
    char patterns[MO_CASE_TARGETS][5];
    struct mo_target targets[MO_CASE_TARGETS];
    struct mo_integrals_problem problem;
    struct mo_integrals *integrals;
};

/* A space of orbitals with this many values of each spin. */
static inline struct index_space *mo_case_space(const char *name, int n_orbital_sets,
                                                const int64_t sizes[2], int64_t tile)
{
    struct index_space *space;
    struct index_block blocks[] = {{.size = sizes[0], .spin = n_orbital_sets == 1 ? 0 : 1},
                                   {.size = sizes[1], .spin = -1}};
    check_ok(index_space_create(name, n_orbital_sets, blocks, tile, &space));
    return space;
}

/* Which of the tensor's indices p, q, r or s of (pq|rs) is. */
static inline int mo_case_place(const struct mo_target *target, int d)
{
    static const int dirac[] = {0, 2, 1, 3};
    return target->dirac ? dirac[d] : d;
}

/* patterns: "ovov <vvov ...", with < for those in Dirac's order, the only ones if orbitals have
 * spins. No integrals yet. Collective. */
static inline void mo_case_init(struct mo_case *mo, const struct screening *screening,
                                const struct orbital_spaces *orbitals, int64_t tile,
                                const char *patterns)
{
    *mo = (struct mo_case){0};
    const struct orbital_space *alpha = &orbitals->spin[0], *beta = &orbitals->spin[1];
    mo->occupied = mo_case_space("o", orbitals->n_orbital_sets,
                                 (int64_t[]){alpha->n_occupied, beta->n_occupied}, tile);
    mo->virtual = mo_case_space("v", orbitals->n_orbital_sets,
                                (int64_t[]){alpha->n_virtual, beta->n_virtual}, tile);
    mo->problem = (struct mo_integrals_problem){.screening = screening,
                                                .orbitals = orbitals,
                                                .occupied = mo->occupied,
                                                .virtual = mo->virtual,
                                                .threshold = MO_INTEGRALS_THRESHOLD,
                                                .targets = mo->targets};
    for (const char *pattern = patterns; *pattern; pattern += pattern[4] ? 5 : 4) {
        int i = mo->problem.n_targets++;
        struct block_labels labels = {.rank = 4, .sign = {1, 1, -1, -1}};
        mo->targets[i].dirac = *pattern == '<';
        pattern += *pattern == '<';
        memcpy(mo->patterns[i], pattern, 4);
        for (int d = 0; d < 4; d++)
            labels.space[mo_case_place(&mo->targets[i], d)] = pattern[d] == 'o' ? mo->occupied
                                                                                : mo->virtual;
        memcpy(mo->targets[i].pattern, pattern, 4);
        check_ok(tensor_create(mo->patterns[i], &labels, MPI_COMM_WORLD, &mo->targets[i].tensor));
    }
}

static inline void mo_case_fini(struct mo_case *mo)
{
    mo_integrals_destroy(mo->integrals);
    for (int i = 0; i < mo->problem.n_targets; i++)
        tensor_destroy(mo->targets[i].tensor);
    index_space_destroy(mo->occupied);
    index_space_destroy(mo->virtual);
}

/* Makes the integrals and fills all targets. pool: as in pool_cases. Collective. */
static inline void mo_case_run(struct mo_case *mo, const char *pool)
{
    struct taskpool_settings settings = pool_case_settings(pool);
    check_ok(mo_integrals_create(&mo->problem, &settings, MPI_COMM_WORLD, &mo->integrals));
    check_ok(mo_integrals_run(mo->integrals));
}

/* The whole tensor, row-major, zero where it has no block; the caller frees it. Not collective. */
static inline double *mo_case_whole(const struct tensor *tensor)
{
    const struct block_labels *labels = block_index_labels(tensor->blocks);
    const struct index_space *const *space = labels->space;
    int64_t n_elements = space[0]->size * space[1]->size * space[2]->size * space[3]->size;
    double *whole = calloc((size_t)n_elements, sizeof *whole);
    double *block = malloc((size_t)tensor->max_block * sizeof *block);
    assert_true(whole && block);
    for (int64_t b = 0; b < block_index_n(tensor->blocks); b++) {
        int32_t t[MAX_RANK];
        const double *element = block;
        block_index_tuple(tensor->blocks, b, t);
        darray_get(tensor->data, b, block);
        for (int64_t p = space[0]->first[t[0]]; p < space[0]->first[t[0] + 1]; p++)
            for (int64_t q = space[1]->first[t[1]]; q < space[1]->first[t[1] + 1]; q++)
                for (int64_t r = space[2]->first[t[2]]; r < space[2]->first[t[2] + 1]; r++)
                    for (int64_t s = space[3]->first[t[3]]; s < space[3]->first[t[3] + 1]; s++)
                        whole[((p * space[1]->size + q) * space[2]->size + r) * space[3]->size +
                              s] = *element++;
    }
    free(block);
    return whole;
}
