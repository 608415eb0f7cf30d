/* SPDX-License-Identifier: BSD-3-Clause */
/* The two-electron part of the Fock matrix, built by a task pool.
 *
 *   closed shell    F[m][n]  = sum_ls D[l][s]  ( (mn|ls) - (ml|ns) / 2 )
 *   open shell      Fs[m][n] = sum_ls (Da + Db)[l][s] (mn|ls) - Ds[l][s] (ml|ns)
 *
 * Source: Szabo & Ostlund (1996), eqs. 3.154 and 3.348-3.351. */
#pragma once

#include "basis/quartets/class_costs.h"
#include "hf/digestion/density_kind.h"
#include "hf/fock/fock_tasks.h"
#include "hf/tiles/screening.h"
#include "hf/tiles/tile_symmetry.h"
#include "support/arrays/darray.h"
#include "support/base/status.h"
#include "taskpool/taskpool.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct json_t; /* jansson.h */

enum fock_accumulate { FOCK_ACCUMULATE_FIXED, FOCK_ACCUMULATE_FLOAT };

/* Integrals are kept if there is room for this fraction of them: reading fewer saves less than filling the
 * memory takes. */
#define FOCK_LEAST_KEPT 0.33

struct fock_settings {
    int decomposition;    /* enum fock_decomposition */
    int symmetry;         /* enum fock_symmetry */
    int prune;            /* enum fock_prune */
    int screening;        /* enum screening_rule */
    int accumulate;       /* enum fock_accumulate */
    int64_t cache_bytes;  /* per process, for tiles of D and F and shell pairs */
    int64_t kept_bytes;   /* bound of a process on integrals kept between builds; 0: none is kept */
    bool profile_classes; /* measure what the shell quartets of each class cost */
};

struct fock;

/* Collective over comm, which has the processes of darray_comm(), in the same order.
 * Everything but the settings is borrowed and must outlive the object.
 * Errors: STATUS_NO_MEMORY, errors of the task pool; the same everywhere. */
enum status fock_create(const struct screening *screening, const struct fock_settings *settings,
                        const struct taskpool_settings *pool_settings, MPI_Comm comm,
                        struct fock **fock);
void fock_destroy(struct fock *fock);

/* Resets the object as if newly created, with other settings of the pool: forgets the
 * builds, the null tasks of FOCK_PRUNE_OBSERVED, kept integrals and the cached shell pairs. Tasks and
 * their costs stay. Collective. Errors: as fock_create; only fock_restart and fock_destroy
 * may then follow. */
enum status fock_restart(struct fock *fock, const struct taskpool_settings *pool_settings);

/* One build. Collective; complete on every process on return.
 * n_densities  1: D[0] the density of a closed shell (trace(DS) = electrons), F[0] as above;
 *              2: D[0], D[1] the densities of alpha and beta, F[0], F[1] their matrices
 * D       tile matrices of doubles, complete as after darray_sync; read
 * F       tile matrices of doubles, hartree; overwritten
 * With FOCK_ACCUMULATE_FIXED, F is bit for bit the same for any scheduling mode,
 * pruning, cache size, bound on kept integrals and number of processes.
 * Errors: STATUS_NO_MEMORY, STATUS_NUMERIC (D not finite; overflow of the fixed-point grid). */
enum status fock_build(struct fock *fock, int n_densities, const struct darray *const D[],
                       struct darray *const F[]);

/* Several symmetric matrices in one pass over the integrals: D[i] and F[i] as struct density_kind
 * says, otherwise as fock_build. */
enum status fock_build_several(struct fock *fock, const struct density_kind *kind,
                               const struct darray *const D[], struct darray *const F[]);

/* From now on builds compute one quartet of groups of shells of each orbit under the operations
 * (fock_parts.h), which changes F by rounding and screening alone; kept integrals are forgotten. For
 * FOCK_SYMMETRY_FULL. symmetry is borrowed; NULL: all quartets, as at first. Collective. Errors:
 * STATUS_NO_MEMORY; the same everywhere. */
enum status fock_use_symmetry(struct fock *fock, const struct tile_symmetry *symmetry);

/* Decides whether builds keep integrals: not without room for FOCK_LEAST_KEPT of them, which the log
 * says. No-op once that is decided; the first build does it otherwise. Collective. Errors:
 * STATUS_NO_MEMORY, errors of the task pool; the same everywhere. */
enum status fock_choose_store(struct fock *fock);

/* Forgets the kept integrals and returns their memory; later builds keep theirs again. To be called by all
 * processes, but none waits for another. */
void fock_forget_integrals(struct fock *fock);

/* The threshold of its screening, hartree. Not collective. */
double fock_threshold(const struct fock *fock);

/* Sets the cutoff of later builds under SCREENING_DENSITY (quartet_is_significant), hartree:
 * screening_least_cutoff at first, and at least, and always under another rule. Not collective; the
 * same on all processes. */
void fock_set_cutoff(struct fock *fock, double cutoff);
double fock_cutoff(const struct fock *fock);

/* A build that was done. */
struct fock_record {
    double seconds;    /* wall time of fock_build, density and F included */
    int64_t integrals; /* used by all processes; one of each orbit of the full symmetry, or of the
                        * molecule's */
    int64_t integrals_read; /* of them, kept from earlier builds; the others were computed */
    int64_t kept_hits;      /* tile quartets that the process that ran them had kept */
    int64_t kept_misses;    /* other tile quartets with integrals to keep */
    int64_t kept_bytes;     /* of all processes after the build */
    struct taskpool_iteration statistics;
};

/* All builds so far, oldest first. Not collective; valid until the next build. */
int64_t fock_n_builds(const struct fock *fock);
const struct fock_record *fock_records(const struct fock *fock);

const struct fock_tasks *fock_tasks_of(const struct fock *fock);

/* Costs of the shell quartets of all builds so far, summed over processes; NULL without
 * profile_classes. Valid until the next call. Collective. */
const struct class_costs *fock_sum_class_costs(const struct fock *fock);

/* The tasks of the last build and their durations, for a pool created with keep_history; borrowed. */
struct fock_profile {
    const struct fock_tasks *tasks;
    const struct tiling *tiling;
    int n_matrices;
    const struct taskpool_history *history; /* by position of the tasks */
    MPI_Comm comm;
};
struct fock_profile fock_profile(const struct fock *fock);

/* pool_timeline of the last build. Collective; errors likewise. */
enum status fock_timeline(const struct fock *fock, struct json_t **timeline);

/* Bytes per process that the task pool keeps for tasks, these being shared evenly. 0 with
 * FOCK_PRUNE_INSPECT, whose number of tasks is found too late. Not collective. */
int64_t fock_pool_bytes(const struct tiling *tiling, const struct fock_settings *settings,
                        const struct taskpool_settings *pool_settings, int n_processes);

/* Upper bound of what the caches of builds with these settings hold, bytes of each process: no more than the
 * molecule has to keep. Not collective. */
double fock_cache_bytes(const struct tiling *tiling, const struct fock_settings *settings);

/* Memory of builds of up to n_matrices with these settings on each of n_processes, at most, the tasks
 * that the pool keeps and the screening excepted. Not collective. */
struct memory_need fock_bytes(const struct tiling *tiling, const struct fock_settings *settings,
                              int n_matrices, int n_processes);
