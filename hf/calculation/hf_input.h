/* SPDX-License-Identifier: BSD-3-Clause */
/* The molecule and basis of a calculation. */
#pragma once

#include "basis/input/basis_choice.h"
#include "basis/input/molecule.h"
#include "basis/input/point_group.h"
#include "basis/integrals/shells.h"
#include "hf/calculation/hf_settings.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct hf_input {
    struct molecule molecule; /* as it is given */
    struct molecule placed;   /* its copy with the centres of shells and integrals: those that were
                               * given, or moved onto the symmetry that is used */
    struct point_group group;
    double moved; /* largest change, Bohr, of a coordinate, for symmetry */
    struct basis_choice basis;
    struct shells *shells;
    int method; /* enum hf_method; of RHF, UHF after hf_calculation_solve if it left RHF */
    int n_densities, n_orbital_sets; /* of the method, as in struct scf_problem */
    int64_t n_occupied[2];           /* doubly occupied orbitals, or alpha and beta electrons */
    bool *flipped;                   /* the centres that guess_flip names; NULL without it */
    int64_t tile; /* functions in a tile, at most: of the settings, else by the basis */
    /* The file names atoms by number and was read as a Be chain in Bohr, to whose atoms
     * six ghost centres each were added. */
    bool original_benchmark;
};

/* Reads the files, finds the symmetry, puts the shells on the centres and counts the electrons.
 * Collective; every process gets the same input and status.
 * Errors: as the readers; STATUS_USAGE if the method does not fit the multiplicity or the options
 * of the guess, or guess_flip names no centres. On failure *input is empty. */
enum status hf_input_read(const struct hf_settings *settings, MPI_Comm comm,
                          struct hf_input *input);
void hf_input_fini(struct hf_input *input);

/* Sets the method and its numbers. */
void hf_input_set_method(enum hf_method method, struct hf_input *input);

/* Marks the centres that a list names: "2", "1,4", "3-5,8", counted from 1.
 * option  for messages, such as "--guess-flip"
 * named   n_centres flags, true for those in the list
 * Errors: STATUS_USAGE (not such a list, a centre that the molecule lacks). Not collective. */
enum status centre_list_parse(const char *option, const char *list, int64_t n_centres,
                              bool named[]);
