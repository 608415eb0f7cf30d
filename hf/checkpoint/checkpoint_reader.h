/* SPDX-License-Identifier: BSD-3-Clause */
/* Restarts and guesses: a checkpoint, or a TREXIO file of another program. It is verified once and
 * then stays open, to be read piece by piece, even if another file replaces it.
 *
 * A file of Beryl is protected by its seal (checkpoint_seal.h), which is verified before HDF5 sees
 * the file. A file of another program has none: its sizes are compared with each other and with the
 * file's length before memory is taken, and its orbitals have to be orthonormal; but HDF5 itself
 * may crash on one that is damaged. Only TREXIO's groups are read of it. */
#pragma once

#include "hf/fock/scf_problem.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdbool.h>

struct checkpoint_reader;
struct checkpoint_stream;

/* How much of a file must agree with the problem: centres and basis; or only the elements, in their
 * order. */
enum checkpoint_fit { CHECKPOINT_FITS_FUNCTIONS, CHECKPOINT_FITS_ELEMENTS };

/* Opens a file and verifies it: its seal, its sizes, that it fits, that it has the orbitals that the
 * problem occupies, and that the orbitals of each spin, virtual ones too, are orthonormal over the
 * functions of the file, but for an error by centres that are off by CHECKPOINT_SAME_PLACE. The problem
 * needs no Fock build.
 * path: borrowed. Collective, like all that follows.
 * Errors: STATUS_IO, STATUS_INPUT (the message says what is wrong), STATUS_NO_MEMORY,
 * STATUS_LIBRARY; the same everywhere. */
enum status checkpoint_reader_create(const char *path, const struct scf_problem *problem,
                                     enum checkpoint_fit fit, struct checkpoint_reader **reader);

/* Not collective; NULL is fine. */
void checkpoint_reader_destroy(struct checkpoint_reader *reader);

const char *checkpoint_reader_path(const struct checkpoint_reader *reader);

/* The open file, to read its further contents; borrowed. Not collective. */
const struct checkpoint_stream *checkpoint_reader_stream(const struct checkpoint_reader *reader);

/* Functions of the file's orbitals, at the problem's centres, if they are not the problem's; else
 * NULL. Then the file has nothing for the problem but checkpoint_reader_occupied. Not collective. */
const struct shells *checkpoint_reader_foreign_shells(const struct checkpoint_reader *reader);

/* The file's lowest orbitals, as many as the problem occupies of a spin, over the file's functions. A
 * file of RHF starts a UHF too, with the same orbitals for both spins; an RHF takes the alpha orbitals
 * of a UHF.
 * C  functions of the file x n_occupied, created here, owned by the caller; NULL after an error
 * Errors: as checkpoint_stream_matrix. */
enum status checkpoint_reader_occupied(const struct checkpoint_reader *reader,
                                       const struct scf_problem *problem, int spin,
                                       struct dense **C);

/* The number of orbitals that the file itself occupies, for a problem of UHF that takes its spin
 * density.
 * Errors: STATUS_INPUT: the file has closed shells, and so no spin density, or fewer orbitals than
 * electrons. */
enum status checkpoint_reader_electrons(const struct checkpoint_reader *reader,
                                        int64_t n_electrons[2]);

/* Whether the density of these orbitals is the file's own: its electrons are the problem's, of either spin, its
 * first orbitals are those that it occupies, and a file of UHF is not read for an RHF.
 * Errors: STATUS_INPUT (the message says why not). */
enum status checkpoint_reader_check_density(const struct checkpoint_reader *reader,
                                            const struct scf_problem *problem);

/* Whether the file is sealed and of an SCF that had converged. Not collective. */
bool checkpoint_reader_is_solution(const struct checkpoint_reader *reader);

/* 1: the same orbitals for both spins; 2: of UHF. Not collective. */
int checkpoint_reader_orbital_sets(const struct checkpoint_reader *reader);

/* Whether the file's orbitals are used as they are: it has a seal, and they are orthonormal to rounding, as those
 * of the very same centres are. Not collective. */
bool checkpoint_reader_is_orthonormal(const struct checkpoint_reader *reader);

/* Whether it has n_orbitals of each spin, and they are orthonormal to rounding. Not collective. */
bool checkpoint_reader_has_orbitals(const struct checkpoint_reader *reader,
                                    const struct scf_problem *problem, int64_t n_orbitals);

/* The file's orbitals and their energies, to the last digit, of a file that has them
 * (checkpoint_reader_has_orbitals).
 * C         of each spin, shaped as in scf_result
 * energies  of each spin, likewise; NULL: not wanted
 * Errors: as checkpoint_stream_matrix. */
enum status checkpoint_reader_orbitals(const struct checkpoint_reader *reader,
                                       const struct scf_problem *problem, struct dense *const C[],
                                       double *const energies[]);
