/* SPDX-License-Identifier: BSD-3-Clause */
/* Molecule, basis and orbitals but for the coefficients, in the arrays of TREXIO's groups `nucleus`, `ecp`,
 * `basis`, `ao`, `electron` and `mo`. Radial functions are
 *   R(r) = shell_factor r^l sum_p coefficient_p primitive_factor_p exp(-exponent_p r^2)
 * and functions are normalisation x R / r^l x a polynomial: a Cartesian monomial, or a
 * real solid harmonic in Racah's normalisation, in the order m = 0, +1, -1, +2, ...
 * Source: the TREXIO format, trexio.org; Posenitskiy et al., J. Chem. Phys. 158, 174801 (2023). */
#pragma once

#include "basis/input/molecule.h"
#include "basis/integrals/shells.h"
#include "hf/checkpoint/checkpoint_stream.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* TREXIO's data set of the coefficients, n_orbitals x n_functions. */
#define CHECKPOINT_COEFFICIENTS "mo/mo_coefficient"

struct checkpoint_counts {
    int64_t n_centers, n_shells, n_primitives, n_functions;
    int64_t n_terms;        /* of core potentials; 0: no group `ecp` */
    int64_t n_orbitals;     /* of all spins together */
    int64_t n_electrons[2]; /* alpha, beta */
    int64_t cartesian;
    int64_t has_occupations; /* else they are zero */
};

/* All doubles are one allocation, which begins with charge, all integers another, which begins
 * with shell_center. */
struct checkpoint_contents {
    struct checkpoint_counts n;
    double *charge;      /* n_centers, less the core's; 0 for ghosts */
    double *coordinates; /* n_centers x 3, Bohr */

    int64_t *n_core, *local_l; /* n_centers; 0 without a potential */
    int64_t *term_center, *term_l,
        *term_power; /* n_terms; l of the local part is local_l; power of r */
    double *term_exponent, *term_coefficient;

    int64_t *shell_center, *shell_l; /* n_shells */
    double *shell_factor;            /* n_shells */
    int64_t *primitive_shell;        /* n_primitives */
    double *exponent, *coefficient, *primitive_factor;

    int64_t *function_shell; /* n_functions, in TREXIO's order */
    double *normalisation;
    int64_t *function; /* number of the function in this program's order; not in the file */

    double *energies;    /* n_orbitals, hartree */
    double *occupations; /* n_orbitals */
    int64_t *spins;      /* n_orbitals: 0 alpha or both, 1 beta; alpha ones come first */
};

/* Arrays of zeros for counts that are set. Errors: STATUS_NO_MEMORY; checkpoint_contents_fini has to
 * be called in any case. */
enum status checkpoint_contents_init(struct checkpoint_contents *contents);
void checkpoint_contents_fini(struct checkpoint_contents *contents);

/* A new TREXIO file, with the labels of the molecule's atoms. Serial. Errors: STATUS_IO. */
enum status checkpoint_contents_write(const char *path, const char *description,
                                      const struct molecule *molecule,
                                      const struct checkpoint_contents *contents);

/* Reads all but the functions' numbers, on every process. Every size, also the coefficients', is
 * compared with the file's length and with the other sizes before memory is taken for it.
 * Collective.
 * Errors, the same everywhere: STATUS_INPUT (a part is missing, or has a size that does not fit;
 * occupations are not the electrons', spins not in order), STATUS_NO_MEMORY;
 * checkpoint_contents_fini has to be called in any case. */
enum status checkpoint_contents_read(const struct checkpoint_stream *stream,
                                     struct checkpoint_contents *contents);

/* --- shells as arrays of a checkpoint, and back; not collective --- */

/* Coordinates that differ by less, Bohr, are of one geometry: rounded in another way, or moved onto its
 * symmetry (point_group.h). */
#define CHECKPOINT_SAME_PLACE 1e-5

/* Initialises the contents, whose counts of electrons and orbitals are set, and describes the shells.
 * Errors: as checkpoint_contents_init. */
enum status checkpoint_shells_describe(const struct molecule *molecule, const struct shells *shells,
                                       struct checkpoint_contents *contents);

/* The shells of a file, at its centres and in its order, without groups for two-electron integrals;
 * sets the numbers of the functions. Freed with shells_destroy.
 * path    names the file in messages
 * Errors: STATUS_INPUT (shells of a kind that this program lacks, or functions ordered or
 * normalised in another way), STATUS_NO_MEMORY. */
enum status checkpoint_shells_create(const char *path, struct checkpoint_contents *contents,
                                     struct shells **shells);

/* Whether the file has the molecule's elements in their order. Errors: STATUS_INPUT, with the first
 * difference. */
enum status checkpoint_shells_compare_elements(const char *path, const struct molecule *wanted,
                                               const struct checkpoint_contents *contents);

/* Whether shells of the file are the wanted ones: centres within CHECKPOINT_SAME_PLACE of the molecule's,
 * exponents, contractions and terms of core potentials, these in any order, within 1e-8 of their size.
 * Errors: STATUS_INPUT, with the first difference. */
enum status checkpoint_shells_compare(const char *path, const struct molecule *molecule,
                                      const struct shells *wanted,
                                      const struct checkpoint_contents *contents,
                                      const struct shells *found);

/* Moves every shell to its centre in the molecule. */
void checkpoint_shells_move(const struct molecule *molecule, struct shells *shells);
