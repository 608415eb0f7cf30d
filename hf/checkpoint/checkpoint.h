/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints: molecule, basis and orbitals in a TREXIO file (HDF5 inside), so that other programs can read
 * them, and in groups of Beryl's own what a run needs to resume. checkpoint_reader.h reads them. One
 * layout, whose version counts changes of Beryl's groups:
 *
 *     /nucleus, /basis, /ao, /electron, /mo    TREXIO's (checkpoint_contents.h)
 *     /beryl               attributes version, CHECKPOINT_VERSION, and converged, 1 of the canonical orbitals
 *                          of a converged SCF
 *     /beryl/scf           where the iterations are (scf_restart.c)
 *     /beryl/occupation    the reference of a kept occupation (scf_restart.c)
 *     /beryl/amplitudes    amplitudes of a method (tce/methods/correlation_checkpoint.h)
 *     /beryl/frozen        attribute sum_of_numbers of the frozen occupied orbitals, from 0; without this
 *                          group they are the lowest
 *
 * and at the end the seal (checkpoint_seal.h). Of a file of an older version, which has no group /beryl,
 * only TREXIO's groups are read. Collective functions without a communicator are collective over
 * darray_comm(). */
#pragma once

#include "hf/fock/scf_problem.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdbool.h>

#define CHECKPOINT_VERSION    3
#define CHECKPOINT_GROUP      "beryl"
#define CHECKPOINT_SCF        CHECKPOINT_GROUP "/scf"
#define CHECKPOINT_OCCUPATION CHECKPOINT_GROUP "/occupation"
#define CHECKPOINT_AMPLITUDES CHECKPOINT_GROUP "/amplitudes"
#define CHECKPOINT_FROZEN     CHECKPOINT_GROUP "/frozen"

struct checkpoint_stream;

/* Orbitals of each spin. All borrowed. */
struct checkpoint_orbitals {
    int n_orbitals;
    struct dense *orbitals[2];         /* n_functions x n_orbitals, occupied ones first */
    const double *orbital_energies[2]; /* n_orbitals, hartree */
    double energy;                     /* total, hartree; NAN: not known */
    bool converged;                    /* canonical orbitals of a converged SCF */

    /* Writes further contents. Collective. NULL: none. Errors: as the functions of
     * checkpoint_stream.h. */
    enum status (*add)(const struct checkpoint_stream *stream, void *context);
    void *add_context;
    int64_t add_bytes; /* their approximate size */
};

/* Approximate size of the file, bytes. */
int64_t checkpoint_bytes(const struct scf_problem *problem, int64_t n_orbitals, int64_t add_bytes);

/* Prints the size of a checkpoint, and warns if the disk has less: the older file stays until the
 * next one is complete. subject: the object it is of; every: iterations from one to the next;
 * diis_option: the option that sets how many vectors are in it. Not collective. */
void checkpoint_report_size(const char *path, const char *subject, int64_t every, int64_t n_bytes,
                            const char *diis_option);

/* Writes a temporary file in the same folder, seals it and renames it to path. Process 0 writes, and
 * holds a few columns or blocks at a time. A run is worth more than its checkpoint: after a failure, of
 * the disk or of memory, an older file stays, and a warning is printed once for each cause until a file
 * is written again. Collective. */
void checkpoint_write_or_warn(const char *path, const struct scf_problem *problem,
                              const struct checkpoint_orbitals *orbitals);

/* Whether a checkpoint can be written to the path; nothing is left behind. Collective.
 * Errors: STATUS_IO. */
enum status checkpoint_check(const char *path, MPI_Comm comm);
