/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/calculation/hf_calculation.h"

#include "hf/fock/fock_build.h"
#include "hf/fock/fock_parts.h"
#include "hf/fock/integral_store.h"
#include "hf/scf/scf.h"
#include "hf/tiles/screening.h"
#include "hf/tiles/tile_matrix.h"
#include "support/arrays/darray.h"
#include "support/base/log.h"
#include "support/base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

static double megabytes(const struct memory_need *need)
{
    return 1e-6 * (need->shared_bytes + need->own_bytes);
}

/* The largest of the modes, which run one after another. */
static int64_t pool_bytes(const struct hf_settings *settings, const struct tiling *tiling,
                          int n_processes)
{
    struct taskpool_settings pool = settings->pool;
    int64_t most = 0;
    for (int i = 0; i < settings->modes.n; i++) {
        pool.mode = settings->modes.modes[i];
        int64_t bytes = fock_pool_bytes(tiling, &settings->fock, &pool, n_processes);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Memory of the matrices and of the Fock build. */
struct estimate {
    struct memory_need matrices, build;
};

/* F of Fock builds comes after the SCF of their density. */
static void estimate_matrices(const struct hf_settings *settings, const struct scf_problem *problem,
                              int n_processes, struct memory_need *matrices)
{
    struct memory_need one = tile_matrix_bytes(problem->tiling, n_processes), F = {0}, scf = {0};
    memory_need_add(matrices, problem->n_densities, one); /* D */
    memory_need_add(&F, problem->n_densities, one);
    if (settings->goal == HF_GOAL_SCF)
        scf = scf_bytes(problem, &settings->scf, n_processes);
    if (settings->goal == HF_GOAL_SCF && hf_search_is_wanted(settings, problem))
        scf.own_bytes += 2.0 * problem->n_orbital_sets * /* of the first and the lowest solution */
                         (double)dense_bytes(problem->grid, problem->shells->n_functions,
                                             problem->shells->n_functions);
    memory_need_add(matrices, 1, memory_need_larger(F, scf));
}

static void estimate_build(const struct hf_settings *settings, const struct scf_problem *problem,
                           int n_processes, struct memory_need *build)
{
    const struct tiling *tiling = problem->tiling;
    int n_matrices = problem->n_densities;
    if (settings->goal == HF_GOAL_SCF)
        n_matrices = scf_matrices_at_once(&settings->scf, problem);
    if (problem->symmetry && n_matrices > 1) /* parts of them (fock_parts.h) */
        n_matrices = FOCK_MAX_MATRICES;
    memory_need_add(build, 1, fock_bytes(tiling, &settings->fock, n_matrices, n_processes));
    if (problem->symmetry)
        memory_need_add(build, 1, fock_parts_bytes(problem->symmetry, n_processes));
    build->own_bytes += (double)pool_bytes(settings, tiling, n_processes);
}

static struct estimate estimate_run(const struct hf_settings *settings,
                                    const struct scf_problem *problem, int n_processes)
{
    struct estimate estimate = {.build = screening_bytes(problem->tiling, n_processes)};
    if (settings->goal == HF_GOAL_TASKS) {
        estimate.build.own_bytes +=
            (double)fock_tasks_bytes(problem->tiling, (enum fock_symmetry)settings->fock.symmetry);
        return estimate;
    }
    estimate_matrices(settings, problem, n_processes, &estimate.matrices);
    estimate_build(settings, problem, n_processes, &estimate.build);
    return estimate;
}

/* Integrals of builds under all operations and under the commuting ones are kept apart. */
static double most_kept_bytes(const struct hf_settings *settings, const struct scf_problem *problem)
{
    enum fock_symmetry symmetry = (enum fock_symmetry)settings->fock.symmetry;
    const struct point_group *group = problem->symmetry ? problem->symmetry->group : NULL;
    int order = group ? group->order : 1, n_commuting = group ? group->n_commuting : 1;
    double most =
        integral_store_most_bytes(problem->tiling, symmetry, problem->symmetry, n_commuting);
    if (order > n_commuting)
        most += integral_store_most_bytes(problem->tiling, symmetry, problem->symmetry, order);
    return most;
}

/* Bound on the integrals that a process keeps in what the need leaves of the budget. */
static int64_t bound_kept(const struct hf_settings *settings, const struct scf_problem *problem,
                          const struct memory_need *need, const struct memory_budget *budget)
{
    bool memory = settings->integrals == HF_INTEGRALS_MEMORY;
    if (settings->goal == HF_GOAL_TASKS || settings->integrals == HF_INTEGRALS_DIRECT)
        return 0;
    double most = most_kept_bytes(settings, problem);
    double left = memory_left_bytes(need, budget);
    if (!memory)
        left /= 2; /* for other programs */
    return (int64_t)fmax(0, fmin(fmin(most, left), 1e18));
}

static void print_estimate(const struct hf_settings *settings, const struct estimate *estimate,
                           const struct memory_need *need, int64_t kept_bytes,
                           const struct memory_budget *budget)
{
    int64_t cache = settings->goal == HF_GOAL_TASKS ? 0 : settings->fock.cache_bytes;
    char kept[64] = "";
    if (kept_bytes > 0)
        snprintf(kept, sizeof kept, ", integrals that are kept up to %.0f",
                 1e-6 * (double)kept_bytes);
    log_print("Memory     %.0f MB per process (matrices %.0f, Fock build %.0f with caches of up "
              "to %.0f%s); available %.0f MB\n",
              megabytes(need) + 1e-6 * (double)kept_bytes, megabytes(&estimate->matrices),
              megabytes(&estimate->build), 1e-6 * (double)cache, kept, 1e-6 * budget->main_bytes);
}

enum status hf_memory_check(const struct hf_settings *settings, const struct scf_problem *problem,
                            int64_t *kept_bytes)
{
    int n_processes;
    MPI_Comm_size(problem->comm, &n_processes);
    struct scf_problem largest = *problem;
    if (settings->goal == HF_GOAL_SCF && settings->scf.follow == SCF_FOLLOW_UHF)
        largest.n_densities = largest.n_orbital_sets = 2;
    struct estimate estimate = estimate_run(settings, &largest, n_processes);
    struct memory_need printed = estimate.matrices;
    memory_need_add(&printed, 1, estimate.build);
    struct memory_need need = printed;
    need.shared_bytes += darray_overhead_bytes(need.n_shared);
    struct memory_budget budget =
        memory_budget(settings->memory_megabytes * 1000000, problem->comm);
    *kept_bytes = bound_kept(settings, problem, &need, &budget);
    print_estimate(settings, &estimate, &printed, *kept_bytes, &budget);
    char subject[512];
    snprintf(subject, sizeof subject, "%s with %s", settings->molecule, settings->basis);
    return memory_check(
        subject, &need, &budget,
        settings->memory_megabytes > 0
            ? "give a larger --memory, use more processes on more nodes, or a smaller --cache"
            : "use more processes on more nodes, or a smaller --cache");
}
