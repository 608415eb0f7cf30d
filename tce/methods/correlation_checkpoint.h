/* SPDX-License-Identifier: BSD-3-Clause */
/* The checkpoint of a method: the SCF's file with the amplitudes over its orbitals, and a second
 * file with the finished tuples of loops over tiles.
 *
 * Amplitudes are an HDF5 group in addition to TREXIO's groups. TREXIO's own group for amplitudes is
 * newer than the library in use and holds single elements with their indices:
 *
 *     /beryl/amplitudes    attributes method, n_core, n_frozen_virtual, n_occupied, n_virtual,
 *                         iteration, n_steps, energy, is_solution, change, energy_change,
 *                         scf_energy
 *     /beryl/amplitudes/t2 n_occupied x n_occupied x n_virtual x n_virtual doubles
 *     /beryl/amplitudes/t2_image_0, t2_error_0    of DIIS (amplitude_solver.h), oldest step first
 *     /beryl/amplitudes/orbitals_alpha, fock_alpha, energies_alpha    of ROHF, and of beta: the semicanonical
 *                         orbitals, F between them and, as an attribute of a group, their energies
 *
 * and so on for each tensor, by its name: whole and row-major, so that neither tiles nor
 * processes matter. Of UHF and ROHF spin orbitals are counted, alpha ones before beta ones.
 * Process 0 reads and writes, a row of blocks at a time.
 *
 * A run that was stopped within a loop resumes there. Loop number k of a program, from 1, has the file
 * run.h5.loop<k> of the checkpoint run.h5: an HDF5 file, sealed (checkpoint_seal.h), of
 *
 *     /parts             n_tuples x n_scalars doubles; NaN: the tuple is not finished
 *     attribute identity SHA-256 of all that parts depend on: version, program, orbital energies, tiles, and
 *                        the elements of the tensors that the loop reads
 *
 * which process 0 replaces from time to time. Parts of another identity are left alone and computed
 * anew; a file that cannot be read or written is a warning.
 *
 * All is collective unless it says otherwise, and its errors are the same everywhere. */
#pragma once

#include "hf/checkpoint/checkpoint_reader.h"
#include "hf/scf/scf.h"
#include "support/base/status.h"
#include "tce/integrals/orbital_space.h"
#include "tce/methods/amplitude_solver.h"
#include "tce/methods/correlation.h"
#include "tce/methods/methods.h"
#include "tce/tensor/tensor.h"

#include <stdbool.h>
#include <stdint.h>

struct checkpoint_stream;

/* Before the name of a method whose amplitudes are over spin orbitals. */
#define SPIN_PREFIX "u"

/* The method and the orbital counts that amplitudes belong to. */
struct amplitude_origin {
    char method[TCE_METHOD_NAME_SIZE + 1]; /* SPIN_PREFIX of UHF and ROHF, and its name */
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
enum status amplitudes_find(const struct checkpoint_stream *stream, bool *found,
                            struct amplitude_origin *origin, struct amplitude_progress *progress);

/* Adds the tensors, which must not change meanwhile, to a checkpoint that has none. Errors: STATUS_IO,
 * STATUS_NO_MEMORY. */
enum status amplitudes_write(const struct checkpoint_stream *stream,
                             const struct amplitude_origin *origin,
                             const struct amplitude_progress *progress,
                             const struct amplitude_tensors *tensors);

/* Reads the tensors by their names; first_step: the oldest step of the file to read.
 * Synchronises. Errors: STATUS_INPUT (one is missing, damaged, or has other sizes),
 * STATUS_NO_MEMORY. */
enum status amplitudes_read(const struct checkpoint_stream *stream,
                            const struct amplitude_tensors *tensors, int64_t first_step);

/* Moves the semicanonical orbitals of ROHF, their energies and F between them; after amplitudes_write. An SCF
 * may mix them in another way if they have the same energy. Errors: as checkpoint_stream_matrix. */
enum status amplitudes_move_semicanonical(const struct checkpoint_stream *stream,
                                          const struct scf_result *result);

/* --- the checkpoint of a run --- */

/* The origin of the amplitudes of a method, named by correlation.amplitudes_name, over these orbitals.
 * Not collective. */
struct amplitude_origin correlation_checkpoint_origin(const char *method,
                                                      const struct orbital_spaces *orbitals);

/* Bytes of the file, at most. Not collective. */
int64_t correlation_checkpoint_bytes(const struct scf_problem *problem,
                                     const struct correlation *correlation, int diis_size);

/* Writes the amplitudes that the next iteration begins with, and the solver's steps, to the settings'
 * checkpoint; a failure is a warning. */
void correlation_checkpoint_write(const struct correlation_files *files,
                                  const struct correlation *correlation,
                                  const struct amplitude_solver *solver);

/* Reads the n amplitudes x and the steps of a new solver from the checkpoint.
 * Collective. Errors: as amplitudes_read and amplitude_solver_resume. */
enum status correlation_checkpoint_read(const struct checkpoint_reader *reader, int n,
                                        struct tensor *const x[], int diis_size,
                                        struct amplitude_solver *solver,
                                        struct amplitude_progress *progress);

/* Whether a checkpoint has amplitudes. Collective.
 * wanted  the run that is to resume; n_virtual, known only after the SCF, is not compared
 * Errors: STATUS_INPUT (they are of another method or of other orbitals: the message says
 * which), as amplitudes_find; the same everywhere. */
enum status correlation_checkpoint_find(const struct checkpoint_reader *reader,
                                        const struct amplitude_origin *wanted, bool *found,
                                        struct amplitude_progress *progress);

/* Whether a checkpoint's amplitudes leave out the same occupied orbitals; once these are chosen, which
 * depends on the orbitals of the file. Collective. Errors: STATUS_INPUT (they do not), as
 * amplitudes_find; the same everywhere. */
enum status correlation_checkpoint_compare_core(const struct checkpoint_reader *reader,
                                                const struct orbital_spaces *orbitals);

/* --- finished tuples of loops --- */

struct tuple_files;

/* Has the loops that are not iterated store their tuples, until tuple_files_destroy.
 * restart     checkpoint whose files are read, or NULL; borrowed
 * checkpoint  checkpoint beside which files are written, or NULL; borrowed
 * Collective. Errors: STATUS_NO_MEMORY; the same everywhere, *files is NULL then. */
enum status tuple_files_create(const struct correlation *correlation, const char *restart,
                               const char *checkpoint, struct tuple_files **files);
void tuple_files_destroy(struct tuple_files *files);
