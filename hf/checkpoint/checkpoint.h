/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints: molecule, basis and orbitals in a TREXIO file (HDF5 inside), and in groups of
 * Beryl's own what a run needs to resume. checkpoint_reader.h reads them. Collective functions
 * without a communicator are collective over darray_comm().
 *
 * Functions are written in TREXIO's order and normalisation, so that other programs
 * can read the orbitals. Source: the TREXIO format, trexio.org; Posenitskiy et al., J. Chem.
 * Phys. 158, 174801 (2023). */
#pragma once

#include "hf/fock/scf_problem.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdbool.h>

struct checkpoint_stream;

/* Orbitals of each spin. All borrowed. */
struct checkpoint_orbitals {
    int n_orbitals;
    struct dense *orbitals[2];         /* n_functions x n_orbitals, occupied ones first */
    const double *orbital_energies[2]; /* n_orbitals, hartree */
    double energy;                     /* total, hartree; NAN: not known */
    bool converged;                    /* canonical orbitals of a converged SCF */
    const char *solver;                /* "SCF", for the notice of a run that a signal ends */
    int64_t iteration;                 /* after which this is written, for that notice */

    /* Writes further contents to the temporary file or compares them with it, by stream->move
     * (CHECKPOINT_WRITE, CHECKPOINT_COMPARE). Collective. NULL: none. Errors: those of
     * checkpoint_stream.h. */
    enum status (*add)(struct checkpoint_stream *stream, void *context);
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

/* Writes a temporary file in the same folder, reads it again and compares it, seals it
 * (checkpoint_seal.h) and renames it to path. Process 0 writes, and holds a few columns or blocks
 * at a time. Collective.
 * Errors: STATUS_IO, STATUS_NO_MEMORY; the same everywhere, an older file then stays. */
enum status checkpoint_write(const char *path, const struct scf_problem *problem,
                             const struct checkpoint_orbitals *orbitals);

/* checkpoint_write whose failure is a warning, printed once for each cause until a file is written
 * again: a run is worth more than its checkpoint. Collective. */
void checkpoint_write_or_warn(const char *path, const struct scf_problem *problem,
                              const struct checkpoint_orbitals *orbitals);

/* Whether a checkpoint can be written to the path; nothing is left behind. Collective.
 * Errors: STATUS_IO. */
enum status checkpoint_check(const char *path, MPI_Comm comm);
