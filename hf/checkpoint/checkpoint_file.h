/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of a checkpoint about molecule, basis and orbitals, and the TREXIO file that holds them;
 * the coefficients go through checkpoint_stream.h. Serial. */
#pragma once

#include "hf/checkpoint/checkpoint_basis.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* End of the description of a file that has a seal (checkpoint_seal.h). */
#define CHECKPOINT_SEALED ", sealed"

/* End of the description of such a file whose orbitals are those of a converged SCF: canonical, with their
 * energies. */
#define CHECKPOINT_CONVERGED ", converged" CHECKPOINT_SEALED

struct checkpoint_contents {
    struct checkpoint_basis basis;
    int64_t n_electrons[2]; /* alpha, beta */
    int64_t n_orbitals;     /* of all spins together */
    double *energies;       /* n_orbitals, hartree */
    double *occupations;    /* n_orbitals */
    int64_t *spins;         /* n_orbitals: 0 alpha or both, 1 beta */
    char description[128];
};

/* Frees all, the basis too. */
void checkpoint_contents_fini(struct checkpoint_contents *contents);

/* Allocates the arrays of orbitals; n_orbitals and basis.n_functions are set. Errors:
 * STATUS_NO_MEMORY; checkpoint_contents_fini still has to be called. */
enum status checkpoint_contents_init_orbitals(struct checkpoint_contents *contents);

/* Whether the orbitals' energies, occupations and spins are the same to the last bit. b may lack
 * occupations; a must have them. */
bool checkpoint_contents_equal(const struct checkpoint_contents *a,
                               const struct checkpoint_contents *b);

/* TREXIO's data set of the coefficients, n_orbitals x n_functions. */
#define CHECKPOINT_COEFFICIENTS "mo/mo_coefficient"

/* A new file, without the coefficients. Errors: STATUS_IO. */
enum status checkpoint_file_write(const char *path, const struct checkpoint_contents *contents);

/* Reads all but the coefficients, into no more memory than the file has bytes; occupations are NULL
 * if there are none. Labels and the numbers of functions in this program's order are left NULL or
 * undefined. On failure nothing is left. HDF5 may crash on a file that checkpoint_trial has not
 * accepted. Errors: STATUS_IO, STATUS_INPUT (not such a file, a part is missing, numbers are not
 * finite, or occupations are not the electrons'), STATUS_NO_MEMORY. */
enum status checkpoint_file_read(const char *path, struct checkpoint_contents *contents);
