/* Checkpoints: molecule, basis and orbitals in a TREXIO file (HDF5 inside).
 *
 * Functions are written in TREXIO's order and normalisation, so that other programs
 * can read the orbitals. Source: the TREXIO format, trexio.org; Posenitskiy et al., J. Chem.
 * Phys. 158, 174801 (2023). */
#ifndef BERYL_HF_CHECKPOINT_H
#define BERYL_HF_CHECKPOINT_H

#include "hf/fock/scf_problem.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

/* Orbitals of each spin. All borrowed. */
struct checkpoint_orbitals {
    int n_orbitals;
    struct dense *orbitals[2];         /* n_functions x n_orbitals, occupied ones first */
    const double *orbital_energies[2]; /* n_orbitals, hartree */
    double energy;                     /* total, hartree */
    const char *solver;                /* "SCF", and the iteration after which this is written: */
    int64_t iteration;                 /* for the notice of a run that is ended by a signal */

    /* Adds further contents to the temporary file, which is closed, before it is renamed;
     * called on process 0. NULL: none. Errors: those of checkpoint_write. */
    enum status (*add)(const char *path, void *context);
    void *add_context;
    int64_t add_bytes; /* that they take, about */
};

/* Writes a temporary file in the same folder, seals it (checkpoint_seal.h), reads it again and
 * renames it to path.
 * Process 0 writes, and holds all coefficients meanwhile. Collective.
 * Errors: STATUS_IO, STATUS_NO_MEMORY; the same everywhere, an older file then stays. */
enum status checkpoint_write(const char *path, const struct scf_problem *problem,
                             const struct checkpoint_orbitals *orbitals);

/* The same, but a failure is a warning: a run is worth more than its checkpoint. Collective. */
void checkpoint_write_or_warn(const char *path, const struct scf_problem *problem,
                              const struct checkpoint_orbitals *orbitals);

/* Whether a checkpoint can be written to the path; nothing is left behind. Collective.
 * Errors: STATUS_IO. */
enum status checkpoint_check(const char *path, MPI_Comm comm);

/* Whether checkpoint_read_density will accept the file, by the problem's molecule, shells,
 * n_spins, n_occupied and comm alone. Collective. Errors: those of checkpoint_read_density. */
enum status checkpoint_check_fits(const char *path, const struct scf_problem *problem);

/* D = the density of the file's lowest orbitals, as many as the problem occupies. A
 * file of RHF starts a UHF too, with the same orbitals for both spins; an RHF takes the alpha
 * orbitals of a UHF. Process 0 reads, and holds all coefficients meanwhile. Collective.
 * Errors: STATUS_IO; STATUS_INPUT if it is no such file or its centres, basis or number
 * of orbitals do not fit the problem (the message says which); STATUS_NO_MEMORY. */
enum status checkpoint_read_density(const char *path, const struct scf_problem *problem,
                                    struct darray *const D[]);

/* The file's orbitals and their energies, to the last digit.
 * n_orbitals  that there are to be of each spin
 * C, energies of each spin, shaped as in scf_result
 * Process 0 reads, and holds all coefficients meanwhile. Collective.
 * Errors: those of checkpoint_read_density; STATUS_INPUT for another number of orbitals. */
enum status checkpoint_read_orbitals(const char *path, const struct scf_problem *problem,
                                     int64_t n_orbitals, struct dense *const C[],
                                     double *const energies[]);

#endif
