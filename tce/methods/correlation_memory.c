#include "tce/methods/correlation_memory.h"

#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/memory_share.h"
#include "tce/methods/amplitude_solver.h"
#include "tce/methods/correlation_integrals.h"

#include <math.h>
#include <stdio.h>

/* Blocks that a contraction works on at a time: read ahead, permuted, written. */
enum { BLOCKS_AT_WORK = 8 };

/* Bytes. What is shared is spread over the processes, the rest is each one's own. */
struct estimate {
    double tensors, diis;      /* shared, at most at a time while iterating */
    double tensors_of_program; /* shared, while integrals are transformed */
    double half_transformed;   /* shared, at the same time */
    double field, tables;      /* own */
    double cache;              /* own, while iterating */
    double transformation;     /* own, while integrals are transformed */
    double max_block;
};

/* The tensors of the plan: where their blocks begin is known to every process. */
static enum status add_tensor_estimate(const struct plan *plan, int number,
                                       struct estimate *estimate)
{
    const struct plan_tensor *tensor = &plan->tensors[number];
    struct block_index *blocks;
    TRY(block_index_create(&tensor->labels, &blocks));
    double block = sizeof(double);
    for (int d = 0; d < tensor->labels.rank; d++)
        block *= (double)tensor->labels.space[d]->max_tile;
    estimate->tables += 3.0 * sizeof(int64_t) * (double)block_index_n(blocks);
    estimate->max_block = fmax(estimate->max_block, block);
    if (number < plan->n_program_tensors)
        estimate->tensors_of_program += sizeof(double) * tensor->elements;
    block_index_destroy(blocks);
    return STATUS_OK;
}

static enum status make_estimate(const struct correlation *self, int diis_size,
                                 struct estimate *estimate)
{
    const struct plan *plan = self->instance.plan;
    const struct program *program = &self->instance.program;
    *estimate = (struct estimate){.tensors = sizeof(double) * plan->peak_elements,
                                  .field = (double)self->problem.field_bytes};
    for (int i = 0; i < plan->n_tensors; i++)
        TRY(add_tensor_estimate(plan, i, estimate));
    for (int i = 0; i < program->n_unknowns; i++)
        estimate->diis +=
            sizeof(double) * amplitude_solver_count_elements(
                                 plan->tensors[program->unknowns[i].tensor].elements, diis_size);
    estimate->cache =
        fmax(0, fmin((double)self->problem.contraction.cache_bytes, estimate->tensors)) +
        BLOCKS_AT_WORK * estimate->max_block;
    return correlation_integrals_bytes(self, &estimate->half_transformed,
                                       &estimate->transformation);
}

/* Of one of so many processes. */
static double bytes_per_process(const struct estimate *estimate, double n_processes)
{
    double iterating = (estimate->tensors + estimate->diis) / n_processes + estimate->cache;
    double transforming =
        (estimate->tensors_of_program + estimate->half_transformed) / n_processes +
        estimate->transformation;
    return fmax(iterating, transforming) + estimate->tables + estimate->field;
}

enum { MOST_PROCESSES = 1 << 24 };

/* The least number of processes that have enough, each as much as is available here; 0: none. */
static int64_t find_enough(const struct estimate *estimate, double available)
{
    int64_t too_few = 0, enough = MOST_PROCESSES;
    if (bytes_per_process(estimate, (double)enough) > available)
        return 0;
    while (enough - too_few > 1) {
        int64_t middle = (too_few + enough) / 2;
        if (bytes_per_process(estimate, (double)middle) > available)
            too_few = middle;
        else
            enough = middle;
    }
    return enough;
}

static enum status refuse_memory(const struct correlation *self, const struct estimate *estimate,
                                 int n_processes, double available)
{
    double needed = bytes_per_process(estimate, n_processes);
    int64_t enough = find_enough(estimate, available);
    char remedy[128] = "";
    if (enough > 0)
        snprintf(remedy, sizeof remedy, "%lld processes with as much each would do; or ",
                 (long long)enough);
    return FAIL(STATUS_NO_MEMORY,
                "%s takes %.0f MB on each of %d process%s, but %.0f MB are available: %.0f MB are "
                "missing; %stry a smaller --cache, --orbital-tile or --diis-amplitudes",
                self->problem.method, 1e-6 * needed, n_processes, n_processes == 1 ? "" : "es",
                1e-6 * available, 1e-6 * (needed - available), remedy);
}

enum status correlation_memory_check(const struct correlation *self, int diis_size)
{
    struct estimate estimate;
    int n_processes;
    MPI_Comm_size(self->problem.comm, &n_processes);
    TRY(status_agree(self->problem.comm, make_estimate(self, diis_size, &estimate)));
    double available = memory_share_bytes(self->problem.memory_bytes, self->problem.comm);
    double needed = bytes_per_process(&estimate, n_processes);
    log_print(
        "           %.0f MB per process, the field's %.0f included; available %.0f MB\n"
        "           of all together: tensors %.0f, DIIS %.0f, half-transformed integrals %.0f MB\n",
        1e-6 * needed, 1e-6 * estimate.field, 1e-6 * available, 1e-6 * estimate.tensors,
        1e-6 * estimate.diis, 1e-6 * estimate.half_transformed);
    return needed <= available ? STATUS_OK : refuse_memory(self, &estimate, n_processes, available);
}
