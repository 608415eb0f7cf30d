/* Sweeps of Jacobi's relaxation on a simulated machine. */
#include "sched/queues/task_ranges.h"
#include "sched/workloads/jacobi.h"
#include "sched/workloads/workload.h"

#include <stdio.h>
#include <stdlib.h>

struct workload_jacobi {
    struct workload workload; /* first */
    struct jacobi_size size;
    int64_t n_blocks; /* of X, one for each node */
    int64_t node_size;
    double point_s;
};

/* The points of a plane of a block. */
static double points_of(int64_t task, void *context)
{
    const struct workload_jacobi *self = context;
    struct task_range block = task_range_block(self->size.nx, self->n_blocks, task / self->size.ny);
    return (double)(task_range_count(&block) * self->size.nz);
}

static double simulated_seconds(int64_t task, const void *record, const void *context)
{
    (void)record;
    return points_of(task, (void *)context) * ((const struct workload_jacobi *)context)->point_s;
}

/* The planes of a block are divided evenly among the workers of its node. */
static int owner_of(int64_t task, int n_workers, void *context)
{
    const struct workload_jacobi *self = context;
    int64_t ny = self->size.ny, first = task / ny * self->node_size;
    int64_t n = n_workers - first;
    n = n < self->node_size ? n : self->node_size;
    return (int)(first + task_range_block_of(ny, n, task % ny));
}

static void destroy(struct workload *workload)
{
    free(workload);
}

static const struct workload_functions functions = {.destroy = destroy};

enum status workload_jacobi_simulate(const struct workload_settings *settings,
                                     struct workload **workload)
{
    struct jacobi_size size;
    TRY(jacobi_parse(settings->jacobi, &size));
    int64_t node_size = settings->node_size;
    int64_t n_blocks = (settings->n_simulated + node_size - 1) / node_size;
    if (size.nx < n_blocks)
        return FAIL(STATUS_USAGE,
                    "--jacobi %s: %lld points along x are fewer than the %lld nodes that share "
                    "them",
                    settings->jacobi, (long long)size.nx, (long long)n_blocks);
    struct workload_jacobi *self = calloc(1, sizeof *self);
    if (!self)
        return FAIL(STATUS_NO_MEMORY, "no memory for a workload");
    self->workload.functions = &functions;
    self->workload.problem = (struct taskpool_problem){
        .n_tasks = n_blocks * size.ny, .owner = owner_of, .cost = points_of, .context = self};
    self->workload.time = simulated_seconds;
    snprintf(self->workload.name, sizeof self->workload.name, "jacobi %s", settings->jacobi);
    self->size = size;
    self->n_blocks = n_blocks;
    self->node_size = node_size;
    self->point_s = WORKLOAD_JACOBI_POINT_S * settings->time_scale;
    *workload = &self->workload;
    return STATUS_OK;
}
