/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/executor_private.h"

#include "sched/pool/pool_timeline.h"
#include "support/base/agree.h"
#include "support/base/clock.h"
#include "support/io/progress.h"
#include "support/mpi/wall_time.h"
#include "tce/run/contraction_worker.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static enum status create_stage_loop(const struct plan *plan, int number,
                                     const struct contraction_settings *settings,
                                     struct stage_loop *loop)
{
    TRY(plan_loop_problem_init(plan, number, &loop->problem));
    return tile_loop_create(&loop->problem.problem, settings, &loop->loop);
}

static int64_t limit_cache(const struct executor *self)
{
    int n_processes;
    MPI_Comm_size(self->comm, &n_processes);
    double share = sizeof(double) * self->plan->peak_elements / n_processes;
    return (int64_t)fmin((double)self->settings.cache_bytes, EXECUTOR_CACHE_FRACTION * share);
}

static enum status create_contractions(struct executor *self)
{
    TRY(block_buffers_create(&self->buffers));
    self->settings.buffers = self->buffers;
    struct contraction_settings settings = self->settings;
    settings.cache_bytes = limit_cache(self);
    for (int k = 0; k < self->plan->n_stages; k++) {
        int loop = plan_stage_loop(self->plan, k);
        if (loop < 0)
            TRY(plan_contraction(self->plan, k, &settings, &self->contractions[k]));
        else
            TRY(create_stage_loop(self->plan, loop, &self->settings, &self->loops[loop]));
    }
    return STATUS_OK;
}

/* Bytes of the parts of blocks that several tasks make. */
static double parts_bytes(const struct executor *self)
{
    double elements = 0;
    for (int k = 0; k < self->plan->n_stages; k++)
        if (self->contractions[k])
            elements += contraction_parts_of(self->contractions[k]);
    return sizeof(double) * elements;
}

enum status executor_create(const struct plan *plan, const struct contraction_settings *settings,
                            double more_bytes, MPI_Comm comm, struct executor **executor)
{
    struct executor *made = calloc(1, sizeof *made);
    if (made) {
        *made = (struct executor){.plan = plan, .comm = comm, .settings = *settings};
        made->tensors = calloc((size_t)plan->n_tensors + 1, sizeof(struct tensor *));
        made->contractions = calloc((size_t)plan->n_stages + 1, sizeof(struct contraction *));
        made->idle = calloc((size_t)plan->n_tensors + 1, sizeof *made->idle);
        made->loops = calloc((size_t)plan->program->n_loops + 1, sizeof *made->loops);
    }
    bool complete = made && made->tensors && made->contractions && made->idle && made->loops;
    enum status status = complete ? create_contractions(made)
                                  : FAIL(STATUS_NO_MEMORY, "no memory for the stages of a plan");
    status = status_agree(comm, status);
    if (status == STATUS_OK) {
        executor_reserve_tensors(plan, more_bytes + parts_bytes(made), comm);
        status = executor_create_kept_tensors(made);
    }
    if (status != STATUS_OK)
        executor_destroy(made);
    *executor = status != STATUS_OK ? NULL : made;
    return status;
}

int64_t executor_work_bytes(int64_t max_block)
{
    return contraction_worker_bytes(max_block);
}

void executor_destroy(struct executor *self)
{
    if (!self)
        return;
    for (int k = 0; self->contractions && k < self->plan->n_stages; k++)
        contraction_destroy(self->contractions[k]);
    for (int l = 0; self->loops && l < self->plan->program->n_loops; l++) {
        tile_loop_destroy(self->loops[l].loop);
        plan_loop_problem_fini(&self->loops[l].problem);
    }
    for (int i = 0; self->tensors && i < self->plan->n_tensors; i++)
        tensor_destroy(self->tensors[i]);
    block_buffers_destroy(self->buffers);
    free(self->contractions);
    free(self->loops);
    free(self->tensors);
    free(self->idle);
    free(self);
}

struct tensor *executor_tensor(const struct executor *self, int tensor)
{
    return self->tensors[tensor];
}

enum status executor_start(struct executor *self, const struct taskpool_settings *pool)
{
    for (int k = 0; k < self->plan->n_stages; k++) {
        int loop = plan_stage_loop(self->plan, k);
        if (self->contractions[k])
            TRY(contraction_start(self->contractions[k], pool, self->comm));
        else if (loop >= 0)
            TRY(tile_loop_start(self->loops[loop].loop, pool, self->comm));
    }
    return STATUS_OK;
}

static void bind_step(struct executor *self, const struct plan_step *step,
                      struct contraction *contraction, int problem)
{
    struct tensor *const *tensors = self->tensors;
    contraction_bind(contraction, problem, tensors[step->C.tensor], tensors[step->A.tensor],
                     step->B.tensor >= 0 ? tensors[step->B.tensor] : NULL);
}

static void bind_tensors(struct executor *self, int stage)
{
    int begin, end;
    plan_stage_phase(self->plan, stage, PLAN_CONTRACT, &begin, &end);
    for (int s = begin; s < end; s++)
        bind_step(self, &self->plan->steps[s], self->contractions[stage], s - begin);
}

/* Makes the intermediates of a stage. */
static enum status begin_stage(struct executor *self, int stage)
{
    const struct plan *plan = self->plan;
    for (int s = plan->stage_begin[stage]; s < plan->stage_begin[stage + 1]; s++)
        if (plan->steps[s].create >= 0)
            TRY(executor_claim_intermediate(self, plan->steps[s].create));
    return STATUS_OK;
}

/* Marks the intermediates that no later stage reads as free to be reused. */
static void end_stage(struct executor *self, int stage)
{
    const struct plan *plan = self->plan;
    for (int s = plan->stage_begin[stage]; s < plan->stage_begin[stage + 1]; s++)
        for (int d = 0; d < plan->steps[s].n_destroy; d++)
            self->idle[plan->steps[s].destroy[d]] = true;
}

static enum status run_stage_loop(struct executor *self, int number)
{
    const struct stage_loop *loop = &self->loops[number];
    for (int t = 0; t < loop->problem.problem.n_tensors; t++)
        if (!loop->problem.problem.tensors[t].local)
            tile_loop_bind(loop->loop, t, self->tensors[loop->problem.tensor[t]]);
    return tile_loop_run(loop->loop);
}

static enum status run_packing_step(const struct plan *plan, const struct plan_step *step,
                                    struct tensor *const tensors[])
{
    const struct packing *packing = &plan->packings[step->packing];
    struct tensor *C = tensors[step->C.tensor], *A = tensors[step->A.tensor];
    return step->phase == PLAN_PACK ? packing_pack(packing, A, C)
                                    : packing_unpack(packing, A, step->add, C);
}

/* Every process packs or unpacks the blocks that it holds. */
static enum status run_packing_steps(const struct plan *plan, int stage, enum plan_phase phase,
                                     struct tensor *const tensors[])
{
    int begin, end;
    enum status status = STATUS_OK;
    plan_stage_phase(plan, stage, phase, &begin, &end);
    if (begin == end)
        return STATUS_OK;
    enum wall_use use = wall_time_begin(WALL_ALGEBRA);
    for (int s = begin; s < end && status == STATUS_OK; s++)
        status = run_packing_step(plan, &plan->steps[s], tensors);
    wall_time_end(use);
    return darray_sync_and_agree(status);
}

static enum status run_stage(struct executor *self, int stage)
{
    int loop = plan_stage_loop(self->plan, stage);
    if (loop >= 0)
        return run_stage_loop(self, loop);
    TRY(begin_stage(self, stage));
    TRY(run_packing_steps(self->plan, stage, PLAN_PACK, self->tensors));
    if (self->contractions[stage]) {
        bind_tensors(self, stage);
        TRY(contraction_run(self->contractions[stage]));
    }
    TRY(run_packing_steps(self->plan, stage, PLAN_UNPACK, self->tensors));
    end_stage(self, stage);
    return STATUS_OK;
}

/* Sums and copies call no DGEMM and do not count. */
static double stage_flops(const struct plan *plan, int stage)
{
    int loop = plan_stage_loop(plan, stage);
    double flops = loop >= 0 ? plan->loops[loop].flops : 0;
    for (int s = plan->stage_begin[stage]; s < plan->stage_begin[stage + 1]; s++)
        flops += plan->steps[s].B.tensor >= 0 ? plan->steps[s].flops : 0;
    return flops;
}

/* Operations of the stage in the last run: of a loop, without the tuples that an earlier run finished. */
static double stage_flops_run(const struct executor *self, int stage)
{
    int loop = plan_stage_loop(self->plan, stage);
    double fraction = loop >= 0 ? tile_loop_fraction_run(self->loops[loop].loop) : 1;
    return fraction * stage_flops(self->plan, stage);
}

/* In operations of DGEMM: a step without B moves elements only. */
static double stage_work(const struct plan *plan, int stage)
{
    int loop = plan_stage_loop(plan, stage);
    double work = loop >= 0 ? plan->loops[loop].flops : 0;
    for (int s = plan->stage_begin[stage]; s < plan->stage_begin[stage + 1]; s++) {
        const struct plan_step *step = &plan->steps[s];
        work += step->B.tensor >= 0 ? step->flops : PLAN_MOVE_FLOPS * step->flops;
    }
    return work;
}

/* The work of stages [first, last). */
static double stages_work(const struct plan *plan, int first, int last)
{
    double work = 0;
    for (int k = first; k < last; k++)
        work += stage_work(plan, k);
    return work;
}

/* Marks all intermediates of an earlier run as free to be reused. */
static void forget_past_run(struct executor *self)
{
    for (int i = self->plan->n_program_tensors; i < self->plan->n_tensors; i++)
        self->idle[i] = self->tensors[i] != NULL && !plan_keeps_tensor(self->plan, i);
}

const struct taskpool *executor_stage_pool(const struct executor *self, int stage)
{
    int loop = plan_stage_loop(self->plan, stage);
    if (loop >= 0)
        return tile_loop_pool(self->loops[loop].loop);
    return self->contractions[stage] ? contraction_pool(self->contractions[stage]) : NULL;
}

void executor_set_fill(struct executor *self, int tensor, const struct tile_fill *fill)
{
    const struct stage_loop *loop = &self->loops[self->plan->tensors[tensor].loop];
    for (int t = 0; t < loop->problem.problem.n_tensors; t++)
        if (loop->problem.tensor[t] == tensor)
            tile_loop_set_fill(loop->loop, t, fill);
}

void executor_set_store(struct executor *self, int loop, const struct tuple_store *store)
{
    tile_loop_set_store(self->loops[loop].loop, store);
}

enum status executor_run(struct executor *self, int first, int last, struct executor_record *record)
{
    struct executor_record sum = {0};
    double start_s = clock_now_s(), work = stages_work(self->plan, first, last), done = 0;
    if (first == 0)
        forget_past_run(self);
    for (int k = first; k < last; k++) {
        double stage = stage_work(self->plan, k);
        if (work > 0)
            progress_part(done / work, (done + stage) / work);
        done += stage;
        TRY(run_stage(self, k));
        const struct taskpool *pool = executor_stage_pool(self, k);
        if (pool)
            statistics_add(&sum.statistics,
                           taskpool_statistics(pool, taskpool_n_iterations(pool) - 1));
        sum.flops += stage_flops_run(self, k);
    }
    sum.seconds = clock_now_s() - start_s;
    if (record)
        *record = sum;
    return STATUS_OK;
}

enum status executor_timeline(const struct executor *self, struct json_t **timeline)
{
    int busiest = 0;
    for (int k = 1; k < self->plan->n_stages; k++)
        if (stage_flops(self->plan, k) > stage_flops(self->plan, busiest))
            busiest = k;
    *timeline = NULL;
    const struct taskpool *pool =
        self->plan->n_stages > 0 ? executor_stage_pool(self, busiest) : NULL;
    return pool ? pool_timeline(pool, timeline) : STATUS_OK;
}
