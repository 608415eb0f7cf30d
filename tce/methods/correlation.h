/* SPDX-License-Identifier: BSD-3-Clause */
/* A correlation method over the orbitals of a converged SCF: its .tce program (methods.h) bound to
 * a molecule (method_bindings.h), and solved. Its energy, of `iterate` or else the scalar E, is
 * added to the SCF energy. A user's program may replace a method's (method_bindings.h). */
#pragma once

#include "hf/scf/scf.h"
#include "hf/tiles/screening.h"
#include "support/base/status.h"
#include "taskpool/taskpool.h"
#include "tce/execution/program_instance.h"
#include "tce/integrals/orbital_space.h"
#include "tce/methods/methods.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* The choices of a user; all borrowed. Error messages name them by the option of beryl-tce. */
struct method_settings {
    const char *method; /* its name in methods.h; with a text the name of the text's file */
    const char *text;   /* a user's program in the place of the method's, or NULL */
    size_t length;
    bool frozen_core;        /* freeze the orbitals of noble-gas cores, by character */
    int64_t freeze;          /* frozen occupied orbitals of each spin; or METHOD_NOT_GIVEN */
    int64_t freeze_virtuals; /* frozen highest virtual orbitals of each spin */
    int64_t orbital_tile;    /* orbitals in a tile; 0: chosen by the program's contractions */
    enum plan_pairs pairs;
    double converge; /* amplitudes change by less than this, the energy by less than a tenth */
    int64_t max_iterations, diis_size;
    struct contraction_settings contraction;
    const char *checkpoint;   /* file to write at the end, or NULL */
    int64_t checkpoint_every; /* iterations from one checkpoint to the next */
    bool
        is_timed; /* repeat finished work to time it: iterations of a restart or of converged amplitudes */
    const char *fcidump; /* file for all integrals over the orbitals (fcidump.h), or NULL */
};

/* Value of freeze without the option: a given 0 contradicts frozen_core, too. */
enum { METHOD_NOT_GIVEN = -1 };

#define METHOD_DEFAULT_CONVERGE       1e-8
#define METHOD_DEFAULT_MAX_ITERATIONS 100
#define METHOD_DEFAULT_DIIS_SIZE      8

/* All borrowed. */
struct correlation_problem {
    const struct method_settings *settings; /* with the frozen orbitals of `orbitals` */
    const struct screening *screening;
    const struct orbital_spaces *orbitals;
    int64_t memory_bytes; /* of a process; 0: what the machine has */
    int64_t scf_bytes;    /* of them, at most, that the SCF keeps */
    MPI_Comm comm;
};

struct bound_tensor;
struct checkpoint_reader;

/* The files of a solution, for checkpoints; all borrowed. */
struct correlation_files {
    const struct scf_problem *problem;
    const struct scf_result *result;         /* the orbitals of all amplitudes */
    const struct checkpoint_reader *restart; /* to resume from its amplitudes; NULL: from those that
                                              * the program sets before `iterate`, else zeros */
    const char
        *restart_path; /* checkpoint that the run resumes, also without amplitudes, or NULL */
};

/* An evaluation of all equations. */
struct correlation_iteration {
    double energy; /* as the program says: of the amplitudes that it makes, hartree */
    double change; /* the largest of an amplitude; 0 of a method without iteration */
    double norm;   /* of the change of all amplitudes */
    struct executor_record record;
};

struct correlation {
    struct correlation_problem problem;
    struct program_instance instance;
    double integral_seconds;
    int energy;       /* tensor; -1: a user's program has none, and its energy is 0 */
    int second_order; /* tensor E2, the energy of MP2; -1: the program has none */
    char amplitudes_name
        [TCE_METHOD_NAME_SIZE]; /* of the method, in checkpoints, for closed shells */
    struct bound_tensor *bound; /* of tensors that are local to loops, program.n_tensors */

    /* The last solution. */
    int64_t n_before;                   /* iterations of the run that it resumes */
    double energy_before;               /* of the amplitudes that it began with, hartree */
    bool is_solution;                   /* the iterations have converged */
    double change, energy_change;       /* in the last of them: of an amplitude; hartree */
    double second_order_energy;         /* hartree */
    struct correlation_iteration final; /* what `finally` computes; energy: hartree */
    bool has_final;
    int64_t n_iterations, capacity;
    struct correlation_iteration *iterations;
    int64_t memory_bytes; /* the most that this process held after the last (memory_part_bytes) */
};

/* The tensors that are iterated, x, and what they become, f; number of them. */
enum { CORRELATION_MAX_UNKNOWNS = 16 };
int correlation_unknowns(const struct correlation *correlation,
                         struct tensor *x[CORRELATION_MAX_UNKNOWNS],
                         struct tensor *f[CORRELATION_MAX_UNKNOWNS]);

/* Plans; allocates no tensors, and looks at the orbitals' numbers only. Collective, like all that
 * follows. Sets *correlation in any case. Errors: as program_instance_init,
 * method_bindings_check and user_program_check. */
enum status correlation_init(const struct correlation_problem *problem,
                             struct correlation *correlation);
void correlation_fini(struct correlation *correlation);

/* Whether the method fits into memory, to be checked before the SCF starts.
 * Prints the memory needed and available for each process: the problem's memory_bytes, or an
 * equal share of the node's memory. correlation is only planned; linearly dependent orbitals are
 * not yet known and count. Collective.
 * Errors: STATUS_NO_MEMORY (with these numbers, what is missing, and with how many processes
 * it would fit); the same everywhere. */
enum status correlation_memory_check(const struct correlation *correlation);

/* Bytes of the DIIS history, on all processes together. */
double correlation_diis_bytes(const struct correlation *correlation);

/* Makes the tensors and transforms the integrals.
 * Errors: as executor_create, mo_integrals_create and _run. */
enum status correlation_prepare(struct correlation *correlation,
                                const struct taskpool_settings *pool);

/* Fills the tensors that are bound to two-electron integrals. Errors: as mo_integrals_create and
 * mo_integrals_run. */
enum status correlation_integrals_fill(const struct correlation *correlation,
                                       const struct taskpool_settings *pool);

/* The memory for that in addition to the tensors, which need not exist. Not collective.
 * all  out: bytes of half-transformed integrals, over all processes, at a time
 * own  out: further bytes that each process takes
 * Errors: STATUS_NO_MEMORY. */
enum status correlation_integrals_bytes(const struct correlation *correlation, double *all,
                                        double *own);

/* Solves the equations with new pools, from what precedes the iterations on, printing a line for
 * each iteration. Amplitudes of files->restart that are converged are not iterated again if they are
 * all that is needed; n_iterations is 0 then. files: NULL without checkpoints.
 * Errors: STATUS_NOT_CONVERGED, STATUS_NUMERIC, as executor_run and
 * correlation_checkpoint_read. */
enum status correlation_solve(struct correlation *correlation, const struct taskpool_settings *pool,
                              const struct correlation_files *files);

/* The correlation energy, hartree: of what follows the iterations, or of the last of them. Not
 * collective. */
double correlation_energy(const struct correlation *correlation);

/* A scalar of the program, by its number; 0 of number -1. */
double correlation_scalar(const struct correlation *correlation, int tensor);
