/* SPDX-License-Identifier: BSD-3-Clause */
/* The largest amplitudes of a coupled-cluster calculation. */
#pragma once

#include "tce/integrals/orbital_space.h"
#include "tce/tensor/tensor.h"

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

struct largest_amplitudes {
    int n, rank; /* rank 0: there are no such amplitudes */
    struct large_amplitude list[LARGEST_AMPLITUDES];
};

/* Lists the largest amplitudes of t[i,a] or t[i,j,a,b] by magnitude, those that differ by less than
 * some 1e-7 by their indices. Of amplitudes that are equal by permutation, t_ij^ab = t_ji^ba of a
 * closed shell and, of spin orbitals, t_ij^ab = -t_ji^ab = -t_ij^ba, one is listed: i <= j, and a < b
 * unless a closed shell has i < j. Those below 1e-7 are left out. Identical on any number of processes, but for
 * how orbitals of one energy are mixed. Collective over darray_comm(). */
void largest_amplitudes_find(const struct tensor *t, const struct orbital_spaces *orbitals,
                             struct largest_amplitudes *largest);
