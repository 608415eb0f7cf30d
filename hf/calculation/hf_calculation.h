/* SPDX-License-Identifier: BSD-3-Clause */
/* A Hartree-Fock calculation, from settings to Fock builds and the converged SCF: the core of
 * beryl-hf and of the library, and the start of methods beyond Hartree-Fock.
 *
 *     struct hf_calculation calculation;
 *     hf_calculation_read(&settings, comm, &calculation);
 *     hf_calculation_prepare_screening(&calculation);
 *     hf_calculation_prepare_build(&calculation, &settings.pool);
 *     hf_calculation_guess(&calculation);
 *     hf_calculation_solve(&calculation);
 *     ... calculation.result ...
 *     hf_calculation_fini(&calculation);
 *
 * Each step needs those before it. All are collective; their errors are the same on every
 * process, and after one only hf_calculation_fini may follow. */
#pragma once

#include "basis/integrals/two_electron.h"
#include "hf/calculation/hf_input.h"
#include "hf/calculation/hf_settings.h"
#include "hf/checkpoint/checkpoint_reader.h"
#include "hf/fock/fock_build.h"
#include "hf/scf/scf.h"
#include "hf/tiles/screening.h"
#include "hf/tiles/tile_matrix.h"
#include "hf/tiles/tile_symmetry.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/sha256.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>

/* A start of a search and its end. */
struct hf_start {
    char name[80];
    double energy; /* hartree, of the loose convergence; of the first solution, the final one */
    int64_t iterations;
    bool converged;
};

/* Parts of a calculation, created in this order; NULL or empty before. */
struct hf_calculation {
    const struct hf_settings *settings; /* borrowed */
    MPI_Comm comm;                      /* borrowed: all processes */
    struct engine_use engines;          /* of this process */
    struct hf_input input;
    struct tiling *tiling;
    struct tile_symmetry *symmetry; /* that Fock builds of the SCF use; NULL: none */
    struct dense_grid *grid;
    struct checkpoint_reader *checkpoint; /* of restart, guess or density */
    struct screening *screening;
    int64_t kept_bytes; /* bound of a process on integrals that its Fock builds keep */
    struct fock *fock;
    struct scf_problem problem;       /* borrows the other parts */
    struct scf_basis *basis;          /* from the guess, or the SCF, to the end of the SCF */
    struct darray *D[2];              /* per spin: the initial density, then the converged one */
    struct scf_iteration *iterations; /* of the SCF; NULL before it */
    int64_t n_iterations, iterations_capacity;
    struct hf_start *starts; /* of a search; NULL without one */
    int64_t n_starts, starts_capacity;
    struct scf_result result; /* of the SCF */
};

/* Reads the molecule and the basis, checks the file of speeds, creates tiles and grid, and
 * verifies the checkpoint of the initial density, if there is one. Sets *calculation in any case.
 * Errors: as hf_input_read, checkpoint_reader_create and speeds_check. */
enum status hf_calculation_read(const struct hf_settings *settings, MPI_Comm comm,
                                struct hf_calculation *calculation);

/* Frees all parts. */
void hf_calculation_fini(struct hf_calculation *calculation);

/* Creates Schwarz bounds; prints and checks the memory estimate.
 * Errors: STATUS_NO_MEMORY. */
enum status hf_calculation_prepare_screening(struct hf_calculation *calculation);

/* Prepares Fock builds in a pool with these settings. Errors: as fock_create. */
enum status hf_calculation_prepare_build(struct hf_calculation *calculation,
                                         const struct taskpool_settings *pool);

/* Computes or reads the initial density. Errors: as the functions of guess.h,
 * checkpoint_reader_occupied. */
enum status hf_calculation_guess(struct hf_calculation *calculation);

/* Runs the SCF to convergence, with a search (hf_search.c) where that is due, and prints its iterations. With
 * SCF_FOLLOW_UHF, from a solution of RHF that is unstable towards UHF it continues there: input.method is UHF
 * then, and D[1] exists. Integrals that its builds have kept are forgotten at its end, for the memory that
 * follows. Its Fock builds use the symmetry of the molecule; others of this fock do not. Errors: as scf_run;
 * with STATUS_NOT_CONVERGED there is a result, too. */
enum status hf_calculation_solve(struct hf_calculation *calculation);

/* Sets D to the density of orbitals: of each spin of the problem the first columns of C, as many
 * as it occupies. Errors: as orbital_density. */
enum status hf_calculation_set_density(struct hf_calculation *calculation,
                                       const struct scf_problem *problem, struct dense *const C[]);

/* Sets D, for Fock builds, to the initial density or, converged, to that which an SCF makes of it: of
 * the orbitals that a checkpoint keeps, to the last bit. The Fock builds of the SCF are then in the
 * records of fock.
 * *seconds  taken by reading a file, or by the SCF
 * Errors: as hf_calculation_guess and hf_calculation_solve. */
enum status hf_calculation_find_density(struct hf_calculation *calculation, bool converged,
                                        double *seconds);

/* Digests of matrices of each spin, which are also printed under this name. Collective.
 * Errors: STATUS_NO_MEMORY. */
enum status hf_calculation_digest(const struct hf_calculation *calculation, const char *name,
                                  struct darray *const matrices[], char sha256[2][SHA256_HEX_SIZE]);

/* Counts of what each integral engine has computed on all processes together. Collective. */
struct engine_use hf_calculation_engines(const struct hf_calculation *calculation);

/* --- parts of these steps --- */

/* Prints the memory that each process needs and the limit: --memory, or an equal share of the
 * memory available on its node. The problem needs no molecule and no Fock build.
 * *kept_bytes  bound of a process on the integrals that it keeps, part of what is printed: all of
 *              them, but for HF_INTEGRALS_MEMORY no more than the rest leaves, for AUTO half of that
 * Errors: STATUS_NO_MEMORY with both numbers if it does not fit; the same everywhere. */
enum status hf_memory_check(const struct hf_settings *settings, const struct scf_problem *problem,
                            int64_t *kept_bytes);

/* Whether a search may follow the first solution: by --search, or of UHF where the user has chosen neither
 * guess nor state. Not collective. */
bool hf_search_is_wanted(const struct hf_settings *settings, const struct scf_problem *problem);

/* Searches if that is wanted, has not been done and the first solution, the calculation's result,
 * asks for it. Result and D are replaced by the SCF with these settings from the lowest start; the
 * starts, the first solution among them, are in calculation->starts.
 * first  the status of the first solution: STATUS_OK or STATUS_NOT_CONVERGED
 * Errors: as scf_run; with STATUS_NOT_CONVERGED there is a result, too. */
enum status hf_search_run(struct hf_calculation *calculation, const struct scf_settings *settings,
                          enum status first);
