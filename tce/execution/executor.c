/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/executor_private.h"

#include "sched/pool/pool_timeline.h"
#include "support/base/agree.h"
#include "support/base/clock.h"
#include "support/io/progress.h"
#include "tce/run/contraction_worker.h"
#include "tce/execution/packing_steps.h"

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
    /* Half of the cache is for blocks that all iterations read, an equal fraction per stage. */
    int n_iterated = self->plan->n_stages - self->plan->first_iterated_stage;
    if (n_iterated > 0) {
        settings.kept_bytes = settings.cache_bytes / 2 / n_iterated;
        settings.cache_bytes /= 2;
    }
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

static enum status run_stage(struct executor *self, int stage)
{
    int loop = plan_stage_loop(self->plan, stage);
    if (loop >= 0)
        return run_stage_loop(self, loop);
    TRY(begin_stage(self, stage));
    TRY(packing_steps_run(self->plan, stage, PLAN_PACK, self->tensors));
    if (self->contractions[stage]) {
        bind_tensors(self, stage);
        TRY(contraction_run(self->contractions[stage]));
    }
    TRY(packing_steps_run(self->plan, stage, PLAN_UNPACK, self->tensors));
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

/* Resets the state that an earlier run left: marks all intermediates as free to be reused and drops
 * the blocks that stages cached. */
static void forget_past_run(struct executor *self)
{
    for (int k = 0; k < self->plan->n_stages; k++)
        if (self->contractions[k])
            contraction_forget(self->contractions[k]);
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

/* --- one step after another --- */

/* Runs one step of a stage, a contraction in a pool of its own. */
static enum status run_single_step(struct executor *self, const struct plan_step *step)
{
    if (step->phase != PLAN_CONTRACT)
        return darray_sync_and_agree(packing_step_run(self->plan, step, self->tensors));
    struct contraction_problem problem;
    struct taskpool_settings pool;
    struct contraction *contraction;
    taskpool_settings_default(&pool);
    pool.mode = "static";
    plan_problem(self->plan, step, &problem);
    enum status status =
        status_agree(self->comm, contraction_create(1, &problem, &self->settings, &contraction));
    if (status != STATUS_OK)
        goto done;
    bind_step(self, step, contraction, 0);
    status = contraction_start(contraction, &pool, self->comm);
    if (status != STATUS_OK)
        goto done;
    status = contraction_run(contraction);
done:
    contraction_destroy(contraction);
    return status;
}

static bool is_finite_everywhere(const struct executor *self, int tensor)
{
    bool is_finite = tensor_is_finite_here(self->tensors[tensor]);
    MPI_Allreduce(MPI_IN_PLACE, &is_finite, 1, MPI_C_BOOL, MPI_LAND, self->comm);
    return is_finite;
}

/* The first statement of a loop that adds to a scalar which is not finite. */
static enum status find_in_loop(struct executor *self, int loop, struct executor_fault *found)
{
    const struct program *program = self->plan->program;
    const struct program_loop *of = &program->loops[loop];
    TRY(run_stage_loop(self, loop));
    for (int s = of->first_statement; s < of->end_statement && found->statement < 0; s++) {
        int target = program->statements[s].target.tensor;
        if (self->plan->tensors[target].loop < 0 && !is_finite_everywhere(self, target))
            *found = (struct executor_fault){.statement = s};
    }
    return STATUS_OK;
}

/* The first step of a stage whose result is not finite. */
static enum status find_in_stage(struct executor *self, int stage, struct executor_fault *found)
{
    const struct plan *plan = self->plan;
    int loop = plan_stage_loop(plan, stage);
    if (loop >= 0)
        return find_in_loop(self, loop, found);
    TRY(begin_stage(self, stage));
    for (int s = plan->stage_begin[stage]; s < plan->stage_begin[stage + 1] && found->statement < 0;
         s++) {
        const struct plan_step *step = &plan->steps[s];
        TRY(run_single_step(self, step));
        if (!is_finite_everywhere(self, step->C.tensor))
            *found =
                (struct executor_fault){.statement = step->statement,
                                        .intermediate = step->C.tensor >= plan->n_program_tensors};
    }
    end_stage(self, stage);
    return STATUS_OK;
}

enum status executor_find_not_finite(struct executor *self, struct executor_fault *found)
{
    *found = (struct executor_fault){.statement = -1};
    forget_past_run(self);
    for (int k = 0; k < self->plan->n_stages && found->statement < 0; k++)
        TRY(find_in_stage(self, k, found));
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
