/* SPDX-License-Identifier: BSD-3-Clause */
/* Diagnostics of a coupled-cluster solution: whether one determinant is a good reference. They come
 * from the unknowns t1[i,a] and t2[i,j,a,b] of a method's program, by these names, with i and j over
 * occupied and a and b over virtual orbitals; a program without t1 or t2 lacks its diagnostics. */
#pragma once

#include "support/base/status.h"
#include "tce/methods/correlation.h"

#include <stdbool.h>
#include <stdint.h>

enum { LARGEST_AMPLITUDES = 10, AMPLITUDE_MAX_INDICES = 4 };

/* t of i -> a or of i, j -> a, b. */
struct large_amplitude {
    double value;
    int64_t orbital[AMPLITUDE_MAX_INDICES]; /* i, a or i, j, a, b: numbers from 1 in the list of all
                                               orbitals of the spin, frozen ones included */
    bool is_beta[AMPLITUDE_MAX_INDICES];    /* false of closed shells */
};

/* The largest amplitudes of t[i,a] or t[i,j,a,b] by magnitude, those that differ by less than
 * some 1e-7 by their indices. Of amplitudes that are equal by permutation, t_ij^ab = t_ji^ba of a
 * closed shell and, of spin orbitals, t_ij^ab = -t_ji^ab = -t_ij^ba, one is listed: i <= j, and a < b
 * unless a closed shell has i < j. Those below 1e-7 are left out. Identical on any number of processes, but for
 * how orbitals of one energy are mixed. */
struct largest_amplitudes {
    int n, rank; /* rank 0: there are no such amplitudes */
    struct large_amplitude list[LARGEST_AMPLITUDES];
};

/*     T1 = |t1| / sqrt(N),  |t1|^2 = sum_ia t_i^a t_i^a
 * of N correlated electrons. Source: Lee, Taylor, Int. J. Quantum Chem. S23, 199 (1989), over the
 * spatial orbitals of a closed shell. For UHF and ROHF the sum is over spin orbitals,
 * as in Psi4, which for the same wave function gives sqrt(2) times as much.
 *     D1 = the largest singular value of t1
 * Source: Janssen, Nielsen, Chem. Phys. Lett. 290, 423 (1998); over spin orbitals the larger one of
 * both spins, which for a closed shell is the same. */
struct diagnostics {
    bool has_singles; /* T1 and D1 are known */
    double T1, D1;
    struct largest_amplitudes singles, doubles;
};

/* Finds the diagnostics of the last solution. T1 and D1 do not depend on how orbitals of one energy are
 * mixed. Collective. Errors: STATUS_NO_MEMORY, STATUS_NUMERIC; the same everywhere. */
enum status diagnostics_find(const struct correlation *correlation,
                             struct diagnostics *diagnostics);
