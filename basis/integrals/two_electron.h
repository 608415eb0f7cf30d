/* SPDX-License-Identifier: BSD-3-Clause */
/* Electron-repulsion integrals (ab|cd) over contracted shells, in batches of one
 * class, so that an engine may work on many quartets at once. Of several engines
 * (two_electron_engine.h) the first that handles a class computes it.
 *
 * (ab|cd) = integral a(1) b(1) 1/r12 c(2) d(2): chemists' notation. */
#pragma once

#include "basis/integrals/shell_pairs.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Positions of a bra and a ket pair within their classes. */
struct quartet {
    int32_t bra, ket;
};

/* Quartets of one class: bra and ket pairs of one class each; l_first + l_second of the bra is at
 * most l_first + l_second of the ket. */
struct quartet_batch {
    const struct pair_class *bra;
    const struct pair_class *ket;
    int32_t n_quartets;
    const struct quartet *quartets; /* fastest if neighbours have like numbers of primitives */
};

/* Quartets of a block, in the lanes of SIMD vectors: their integrals are stored interleaved. */
enum { QUARTET_LANES = 8 };

/* Name of engine number i in order of preference; NULL after the last. */
const char *two_electron_engine_name(int i);

/* Names of all engines, "a,b,c", as the choices of an option (option_row.h). Static data, built on
 * the first call. */
const char *two_electron_engine_names(void);

enum { TWO_ELECTRON_MAX_ENGINES = 8 };

/* The engine to try first, and counts of what each engine has computed since the start: for all
 * integrals of a process. */
struct engine_use {
    int first; /* number of the engine tried before all others; these keep their order */
    struct {
        int64_t quartets, batches;
        int64_t lanes;                    /* vector lanes used, QUARTET_LANES per block */
    } computed[TWO_ELECTRON_MAX_ENGINES]; /* by number of the engine */
};

/* Scratch of one caller; not shared between threads. */
struct two_electron;

/* An object for shells of angular momentum up to shells->max_l.
 * cutoff: primitive quartets whose weights (shell_pairs.h) have a smaller product are left out; 0
 *         keeps all
 * use:    borrowed; read here, updated by two_electron_compute; or NULL
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT. */
enum status two_electron_create(const struct shells *shells, double cutoff, struct engine_use *use,
                                struct two_electron **two_electron);
void two_electron_destroy(struct two_electron *two_electron);

/* Upper bound for its bytes, whichever engine comes first. */
int64_t two_electron_bytes(const struct shells *shells);

/* Integrals of each quartet, at the offsets of batch_place; a quartet's own are row-major with
 * (bra first, bra second, ket first, ket second), the last index fastest. They depend on the
 * quartet and the engine alone, to the last bit.
 * integrals: batch_size numbers, aligned to QUARTET_LANES of them; lanes without a quartet are
 * 0. */
void two_electron_compute(struct two_electron *two_electron, const struct quartet_batch *batch,
                          double *integrals);

/* Offset of integral i of quartet number q, in a batch of n integrals per quartet. */
static inline int64_t batch_place(int64_t n, int32_t q, int64_t i)
{
    return (q / QUARTET_LANES * n + i) * QUARTET_LANES + q % QUARTET_LANES;
}

/* Numbers that a batch takes, unused lanes of the last block included. */
static inline int64_t batch_size(int64_t n, int32_t n_quartets)
{
    int64_t n_blocks = (n_quartets + QUARTET_LANES - 1) / QUARTET_LANES;
    return n_blocks * QUARTET_LANES * n;
}

/* Quartets of one bra with many kets, both of s functions and one primitive product per pair. Kets
 * are numbered 0 to n_kets - 1 and computed in blocks: block b has the QUARTET_LANES kets from
 * QUARTET_LANES b on. */
struct s_row {
    const struct pair_class *bra_class, *ket_class;
    int32_t bra;
    int32_t n_kets;
    int32_t n_blocks;
    const int32_t *blocks; /* ascending */
};

/* Number of the row's quartets. */
static inline int64_t row_n_quartets(const struct s_row *row)
{
    if (row->n_blocks == 0)
        return 0;
    int64_t end = ((int64_t)row->blocks[row->n_blocks - 1] + 1) * QUARTET_LANES;
    return (int64_t)row->n_blocks * QUARTET_LANES - (end > row->n_kets ? end - row->n_kets : 0);
}

/* Whether the engine of these classes computes rows. */
bool two_electron_has_rows(const struct two_electron *two_electron, const struct pair_class *bra,
                           const struct pair_class *ket);

/* Sets integrals[k] for ket number k of the row's blocks, 0 from n_kets on; other elements stay.
 * Bit-identical to two_electron_compute. For classes that have rows.
 * integrals: n_kets numbers, rounded up to blocks */
void two_electron_compute_row(struct two_electron *two_electron, const struct s_row *row,
                              double *integrals);

/* Integrals of one quartet of a batch. */
static inline int64_t quartet_n_integrals(const struct pair_class *bra,
                                          const struct pair_class *ket)
{
    return (int64_t)bra->n_first * bra->n_second * ket->n_first * ket->n_second;
}

/* The cutoff for a Schwarz threshold: a thousandth of it, at most 1e-13. As several primitive
 * quartets of an integral are left out, its error is below ten times the cutoff: a hundredth of the
 * threshold, and 1e-12 in any case. */
static inline double two_electron_cutoff(double threshold)
{
    return threshold < 1e-10 ? 1e-3 * threshold : 1e-13;
}

/* Schwarz bounds of whole pairs of groups A, B: bounds[A * n_ket + B], row-major as in
 * shell_pairs_create, with
 *
 *   Q_AB^2 = sum_(a in A, b in B) (ab|ab),   sum_(abcd) (ab|cd)^2 <= Q_AB^2 Q_CD^2
 *
 * So a bound covers all integrals of a block together, and for spherical functions it is invariant
 * under rotations of the molecule; the maximum of (ab|ab) in place of the sum would have neither
 * property. The cutoff of two_electron should be 0: bounds are square roots of integrals, and those
 * left out would make them too small. Errors: STATUS_NO_MEMORY.
 * Source: Haeser & Ahlrichs, J. Comput. Chem. 10, 104 (1989), for the norm of a block: integrals
 * are inner products, (ab|cd) = <v_ab, v_cd>, and |<v, w>| <= |v| |w| for each of them. */
enum status two_electron_bounds(struct two_electron *two_electron, const struct shells *shells,
                                const struct shell_rectangle *rectangle, double *bounds);
