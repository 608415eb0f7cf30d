/* SPDX-License-Identifier: BSD-3-Clause */
/* Amplitudes in a checkpoint: an HDF5 group in addition to those of TREXIO, whose own group for
 * them is younger than the library at hand and holds single elements with their indices.
 *
 *     /beryl/amplitudes    attributes method, n_core, n_frozen_virtual, n_occupied, n_virtual,
 *                         iteration, n_steps, energy, is_solution, change, energy_change,
 *                         scf_energy
 *     /beryl/amplitudes/t2 n_occupied x n_occupied x n_virtual x n_virtual doubles
 *     /beryl/amplitudes/t2_image_0, t2_error_0    of DIIS (amplitude_solver.h), oldest step first
 *
 * and so on for each tensor, by its name: whole and row-major, so that neither tiles nor
 * processes matter. For an unrestricted reference the method's name begins with u, and spin
 * orbitals are counted, alpha ones before beta ones. Process 0 reads and writes, a row of blocks at
 * a time. All is collective, and its errors are the same everywhere.
 */
#pragma once

#include "support/base/status.h"
#include "tce/integrals/orbital_space.h"
#include "tce/methods/amplitude_solver.h"
#include "tce/tensor/tensor.h"

#include <stdbool.h>
#include <stdint.h>

struct checkpoint_stream;

/* The method and the orbital counts that amplitudes belong to. */
struct amplitude_origin {
    char method[16];
    struct frozen_orbitals frozen;
    int64_t n_occupied, n_virtual; /* correlated ones */
};

/* How far the iterations are. */
struct amplitude_progress {
    int64_t iteration; /* the last one, of all runs together */
    int64_t n_steps;   /* of DIIS */
    double energy;     /* of that iteration, hartree */
    /* Whether the iterations had converged. The amplitudes are then those that the last one made, and
     * the energy is theirs. */
    int64_t is_solution;
    double change, energy_change; /* of a solution: in that iteration; hartree */
    double scf_energy;            /* of the orbitals, hartree; 0: not known */
};

/* n tensors, and n_steps steps of DIIS, which have as many each. */
struct amplitude_tensors {
    int n;
    struct tensor *const *x;
    int64_t n_steps;
    const struct amplitude_step *steps;
};

/* Whether the checkpoint has amplitudes, and of what; *progress is zero in files that have none.
 * Errors: STATUS_INPUT (the group is damaged). */
enum status amplitude_file_find(const struct checkpoint_stream *stream, bool *found,
                                struct amplitude_origin *origin,
                                struct amplitude_progress *progress);

/* Adds the tensors, which must not change meanwhile, to a checkpoint that has none. Errors: STATUS_IO,
 * STATUS_NO_MEMORY. */
enum status amplitude_file_write(const struct checkpoint_stream *stream,
                                 const struct amplitude_origin *origin,
                                 const struct amplitude_progress *progress,
                                 const struct amplitude_tensors *tensors);

/* Sets the tensors to those of the same names; first_step: the oldest step of the file to read.
 * Synchronises. Errors: STATUS_INPUT (one is missing, damaged, or has other sizes),
 * STATUS_NO_MEMORY. */
enum status amplitude_file_read(const struct checkpoint_stream *stream,
                                const struct amplitude_tensors *tensors, int64_t first_step);
