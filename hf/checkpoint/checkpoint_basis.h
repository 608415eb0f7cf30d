/* SPDX-License-Identifier: BSD-3-Clause */
/* A molecule and its basis in the arrays of TREXIO's groups `nucleus`, `basis` and
 * `ao`. Radial functions are
 *   R(r) = shell_factor r^l sum_p coefficient_p primitive_factor_p exp(-exponent_p r^2)
 * and functions are normalisation x R / r^l x a polynomial: a Cartesian monomial, or a
 * real solid harmonic in Racah's normalisation, in the order m = 0, +1, -1, +2, ... */
#pragma once

#include "basis/input/molecule.h"
#include "basis/integrals/shells.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Coordinates that differ by less, Bohr, are of one geometry: rounded in another way, or moved onto its
 * symmetry (full_point_group.h). */
#define CHECKPOINT_SAME_PLACE 1e-5

/* All doubles are one allocation, which begins with charge, all integers another, which begins
 * with shell_center. */
struct checkpoint_basis {
    int64_t n_centers;
    double *charge;      /* n_centers; 0 for ghosts */
    double *coordinates; /* n_centers x 3, Bohr */
    const char **label;  /* n_centers */

    int64_t n_shells, n_primitives;
    int64_t *shell_center, *shell_l; /* n_shells */
    double *shell_factor;            /* n_shells */
    int64_t *primitive_shell;        /* n_primitives */
    double *exponent, *coefficient, *primitive_factor;

    int64_t n_functions;
    bool cartesian;
    int64_t *function_shell; /* n_functions, in TREXIO's order */
    double *normalisation;
    int64_t *function; /* number of the function in this program's order */
};

/* The molecule and shells are borrowed for the call only. Not collective.
 * Errors: STATUS_NO_MEMORY; nothing is left then. */
enum status checkpoint_basis_init(const struct molecule *molecule, const struct shells *shells,
                                  struct checkpoint_basis *basis);
/* The arrays of a basis whose four counts are set, with undefined contents.
 * Errors: STATUS_NO_MEMORY; nothing is left then. */
enum status checkpoint_basis_init_empty(struct checkpoint_basis *basis);
void checkpoint_basis_fini(struct checkpoint_basis *basis);

/* STATUS_INPUT, with the first difference, if the two do not describe the same
 * functions: centres within CHECKPOINT_SAME_PLACE, exponents and contractions
 * within 1e-8 of their size. path is the file that found comes from. */
enum status checkpoint_basis_compare(const char *path, const struct checkpoint_basis *wanted,
                                     const struct checkpoint_basis *found);

/* Two parts of it: the number of centres and their nuclear charges; the order and the normalisation
 * of functions, of shells that are equal. */
enum status checkpoint_basis_compare_elements(const char *path,
                                              const struct checkpoint_basis *wanted,
                                              const struct checkpoint_basis *found);
enum status checkpoint_basis_compare_order(const char *path, const struct checkpoint_basis *wanted,
                                           const struct checkpoint_basis *found);
