/* SPDX-License-Identifier: BSD-3-Clause */
/* Two-electron integrals over basis functions for one part of the bra and the whole ket:
 * what a transformation to orbitals begins with. */
#pragma once

#include "hf/tiles/screening.h"
#include "hf/tiles/tiling.h"
#include "support/base/status.h"
#include "taskpool/taskpool.h"

#include <stdbool.h>
#include <stdint.h>

/* The pairs of functions (mu, nu) of tiles M >= N are numbered row-major; of a diagonal
 * tile only mu >= nu, row by row. */
static inline int64_t function_pairs_count(const struct tiling *tiling, int64_t M, int64_t N)
{
    int64_t n = tile_n_functions(tiling, M);
    return M == N ? n * (n + 1) / 2 : n * tile_n_functions(tiling, N);
}

struct ao_integrals;

/* Scratch of one caller. Not collective, but all processes must have made the bounds.
 * screening  where the bounds of shells are taken from; may be destroyed afterwards
 * threshold  quartets of shells whose Schwarz bound is below it are left out, hartree
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT; ao_integrals_destroy follows then, too. */
enum status ao_integrals_create(const struct screening *screening, double threshold,
                                struct ao_integrals **integrals);
void ao_integrals_destroy(struct ao_integrals *integrals);

/* Bytes, at most, of what a caller holds. */
double ao_integrals_bytes(const struct shells *shells);

/* Whether every integral of a tile pair is below the threshold. */
bool ao_integrals_are_null(const struct ao_integrals *integrals, const struct tiling *tiling,
                           int64_t M, int64_t N);

/* Integrals wanted; all borrowed. */
struct ao_integrals_call {
    const struct tiling *tiling;
    int64_t M, N; /* tiles, M >= N */
    struct taskpool
        *polled;      /* taskpool_poll between batches of at most a few milliseconds; or NULL */
    double *matrices; /* function_pairs_count(M, N) matrices over all basis functions */
};

/* matrices[p][lambda][sigma] = (mu nu|lambda sigma) for all function pairs p = (mu, nu) of
 * tiles M and N, both orders of lambda and sigma; zero where left out. Results are bitwise
 * independent of earlier calls. Errors: STATUS_NO_MEMORY. */
enum status ao_integrals_compute(struct ao_integrals *integrals,
                                 const struct ao_integrals_call *call);
