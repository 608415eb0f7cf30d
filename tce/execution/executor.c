/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/executor_private.h"

#include "sched/pool/pool_timeline.h"
#include "support/base/agree.h"
#include "support/base/clock.h"
#include "support/io/progress.h"
#include "support/mpi/wall_time.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static int64_t limit_cache(const struct executor *self)
{
    int n_processes;
    MPI_Comm_size(self->comm, &n_processes);
    double share = sizeof(double) * self->plan->peak_elements / n_processes;
    return (int64_t)fmin((double)self->settings.cache_bytes, EXECUTOR_CACHE_FRACTION * share);
}

/* Loops over tiles use the whole cache. */
static enum status create_stages(struct executor *self)
{
    TRY(block_buffers_create(&self->buffers));
    self->settings.buffers = self->buffers;
    for (int k = 0; k < self->plan->n_stages; k++) {
        struct contraction_settings settings = self->settings;
        if (plan_stage_loop(self->plan, k) < 0)
            settings.cache_bytes = limit_cache(self);
        TRY(plan_tasks_init(self->plan, k, &settings, &self->stages[k]));
    }
    return STATUS_OK;
}

/* Bytes of the parts of blocks and scalars that several tasks make. */
static double parts_bytes(const struct executor *self)
{
    double elements = 0;
    for (int k = 0; k < self->plan->n_stages; k++)
        if (self->stages[k].stage)
            elements += stage_parts_elements(self->stages[k].stage);
    return sizeof(double) * elements;
}

enum status executor_create(const struct plan *plan, const struct contraction_settings *settings,
                            double more_bytes, MPI_Comm comm, struct executor **executor)
{
    struct executor *made = calloc(1, sizeof *made);
    if (made) {
        *made = (struct executor){.plan = plan, .comm = comm, .settings = *settings};
        made->tensors = calloc((size_t)plan->n_tensors + 1, sizeof(struct tensor *));
        made->stages = calloc((size_t)plan->n_stages + 1, sizeof *made->stages);
        made->idle = calloc((size_t)plan->n_tensors + 1, sizeof *made->idle);
    }
    bool complete = made && made->tensors && made->stages && made->idle;
    enum status status = complete ? create_stages(made)
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

void executor_destroy(struct executor *self)
{
    if (!self)
        return;
    for (int k = 0; self->stages && k < self->plan->n_stages; k++)
        plan_tasks_fini(&self->stages[k]);
    for (int i = 0; self->tensors && i < self->plan->n_tensors; i++)
        tensor_destroy(self->tensors[i]);
    block_buffers_destroy(self->buffers);
    free(self->stages);
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
    for (int k = 0; k < self->plan->n_stages; k++)
        if (self->stages[k].stage)
            TRY(stage_start(self->stages[k].stage, pool, self->comm));
    return STATUS_OK;
}

static struct tensor *tensor_of(const struct executor *self, const struct plan_operand *operand)
{
    return operand->tensor >= 0 ? self->tensors[operand->tensor] : NULL;
}

static enum status run_tasks(const struct executor *self, const struct plan_tasks *tasks)
{
    for (int s = 0; s < tasks->n_steps; s++) {
        const struct plan_step *step = &tasks->steps[s];
        struct tensor *const tensors[] = {tensor_of(self, &step->C), tensor_of(self, &step->A),
                                          tensor_of(self, &step->B)};
        stage_bind(tasks->stage, s, tensors);
    }
    return stage_run(tasks->stage);
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

static enum status run_packing_step(const struct plan *plan, const struct plan_step *step,
                                    struct tensor *const tensors[])
{
    int C = step->C.tensor, A = step->A.tensor;
    return step->phase == PLAN_PACK
               ? packing_pack(plan->tensors[C].packing, tensors[A], tensors[C])
               : packing_unpack(plan->tensors[A].packing, tensors[A], step->add, tensors[C]);
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
    TRY(begin_stage(self, stage));
    TRY(run_packing_steps(self->plan, stage, PLAN_PACK, self->tensors));
    if (self->stages[stage].stage)
        TRY(run_tasks(self, &self->stages[stage]));
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

/* The stage that is a loop of the program. */
static const struct plan_tasks *find_loop(const struct executor *self, int loop)
{
    int stage = 0;
    while (plan_stage_loop(self->plan, stage) != loop)
        stage++;
    return &self->stages[stage];
}

void executor_set_fill(struct executor *self, int tensor, const struct tile_fill *fill)
{
    const struct plan_tasks *loop = find_loop(self, self->plan->tensors[tensor].loop);
    for (int t = 0; t < loop->of_loop.loop.n_locals; t++)
        if (loop->of_loop.tensor[t] == tensor)
            stage_set_fill(loop->stage, t, fill);
}

void executor_set_store(struct executor *self, int loop, const struct tuple_store *store)
{
    stage_set_store(find_loop(self, loop)->stage, store);
}

/* Adds the last run of the stage's tasks; a resumed loop counts the tasks of this run alone. */
static void record_stage(const struct executor *self, int k, struct executor_record *record)
{
    const struct stage *stage = self->stages[k].stage;
    if (!stage)
        return;
    const struct taskpool *pool = stage_pool(stage);
    statistics_add(&record->statistics, taskpool_statistics(pool, taskpool_n_iterations(pool) - 1));
    record->flops += stage_fraction_run(stage) * stage_flops(self->plan, k);
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
        record_stage(self, k, &sum);
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
    if (self->plan->n_stages == 0 || !self->stages[busiest].stage)
        return STATUS_OK;
    return pool_timeline(stage_pool(self->stages[busiest].stage), timeline);
}
