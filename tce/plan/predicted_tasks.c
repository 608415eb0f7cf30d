/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/predicted_tasks.h"

#include "sched/lab/profiles/profile.h"
#include "support/base/agree.h"
#include "tce/plan/plan_loops.h"

static enum status predict_tasks(const struct contraction *contraction, int64_t first,
                                 struct taskpool_history *history)
{
    int64_t n = contraction_n_tasks(contraction);
    for (int64_t task = 0; task < n; task++)
        TRY(history_add(history, first + task, contraction_task_seconds(contraction, task), 0));
    return STATUS_OK;
}

/* Counts the tasks of a stage after those before it, and adds the seconds of each to the history
 * unless it is NULL. */
static enum status predict_stage(const struct plan *plan, int stage, int64_t *n_tasks,
                                 struct taskpool_history *history)
{
    static const struct contraction_settings settings = {0};
    struct contraction *contraction;
    enum status status = plan_contraction(plan, stage, &settings, &contraction);
    if (status != STATUS_OK || !contraction)
        goto done;
    if (history)
        status = predict_tasks(contraction, *n_tasks, history);
    *n_tasks += contraction_n_tasks(contraction);
done:
    contraction_destroy(contraction);
    return status;
}

/* Predicts the tasks of a loop over tiles. */
static enum status predict_loop(const struct plan *plan, int number, int64_t *n_tasks,
                                struct taskpool_history *history)
{
    static const struct contraction_settings settings = {0};
    struct plan_loop_problem problem;
    struct tile_loop *loop = NULL;
    enum status status = plan_loop_problem_init(plan, number, &problem);
    if (status != STATUS_OK)
        goto done;
    status = tile_loop_create(&problem.problem, &settings, &loop);
    if (status != STATUS_OK)
        goto done;
    for (int64_t task = 0; history && task < tile_loop_n_tasks(loop) && status == STATUS_OK; task++)
        status = history_add(history, *n_tasks + task, tile_loop_task_seconds(loop, task), 0);
    *n_tasks += tile_loop_n_tasks(loop);
done:
    tile_loop_destroy(loop);
    plan_loop_problem_fini(&problem);
    return status;
}

static enum status predict_stages(const struct plan *plan, int64_t *n_tasks,
                                  struct taskpool_history *history)
{
    *n_tasks = 0;
    for (int stage = 0; stage < plan->n_stages; stage++) {
        int loop = plan_stage_loop(plan, stage);
        if (loop >= 0)
            TRY(predict_loop(plan, loop, n_tasks, history));
        else
            TRY(predict_stage(plan, stage, n_tasks, history));
    }
    return STATUS_OK;
}

enum status predicted_tasks_count(const struct plan *plan, struct predicted_tasks *tasks)
{
    *tasks = (struct predicted_tasks){0};
    for (int step = 0; step < plan->n_steps; step++)
        tasks->flops += plan->steps[step].B.tensor >= 0 ? plan->steps[step].flops : 0;
    for (int loop = 0; loop < plan->program->n_loops; loop++)
        tasks->flops += plan->loops[loop].flops;
    return predict_stages(plan, &tasks->n, NULL);
}

enum status predicted_tasks_write(const struct plan *plan, MPI_Comm comm, const char *path)
{
    struct taskpool_history history = {0};
    int64_t n_tasks;
    int rank;
    MPI_Comm_rank(comm, &rank);
    enum status status =
        status_agree(comm, rank == 0 ? predict_stages(plan, &n_tasks, &history) : STATUS_OK);
    if (status != STATUS_OK)
        goto done;
    if (rank == 0)
        task_data_remove(path);
    status = profile_write(comm, &history, path);
done:
    history_fini(&history);
    return status;
}
