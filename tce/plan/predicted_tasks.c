/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/predicted_tasks.h"

#include "sched/lab/profiles/profile.h"
#include "sched/lab/profiles/task_data_write.h"
#include "support/base/agree.h"

static enum status create_stage(const struct plan *plan, int stage,
                                struct contraction **contraction)
{
    static const struct contraction_settings settings = {0};
    return plan_contraction(plan, stage, &settings, contraction);
}

enum status predicted_tasks_count(const struct plan *plan, struct predicted_tasks *tasks)
{
    *tasks = (struct predicted_tasks){0};
    for (int stage = 0; stage < plan->n_stages; stage++) {
        struct contraction *contraction;
        TRY(create_stage(plan, stage, &contraction));
        tasks->n += contraction_n_tasks(contraction);
        contraction_destroy(contraction);
    }
    for (int step = 0; step < plan->n_steps; step++)
        tasks->flops += plan->steps[step].B.tensor >= 0 ? plan->steps[step].flops : 0;
    return STATUS_OK;
}

static enum status add_stage(const struct plan *plan, int stage, struct taskpool_history *history)
{
    struct contraction *contraction;
    TRY(create_stage(plan, stage, &contraction));
    enum status status = STATUS_OK;
    int64_t first = history->n_entries;
    for (int64_t task = 0; task < contraction_n_tasks(contraction) && status == STATUS_OK; task++)
        status = history_add(history, first + task, contraction_task_seconds(contraction, task), 0);
    contraction_destroy(contraction);
    return status;
}

enum status predicted_tasks_write(const struct plan *plan, MPI_Comm comm, const char *path)
{
    struct taskpool_history history = {0};
    int rank;
    MPI_Comm_rank(comm, &rank);
    enum status status = STATUS_OK;
    for (int stage = 0; rank == 0 && stage < plan->n_stages && status == STATUS_OK; stage++)
        status = add_stage(plan, stage, &history);
    status = status_agree(comm, status);
    if (status == STATUS_OK && rank == 0)
        task_data_remove(path);
    if (status == STATUS_OK)
        status = profile_write(comm, &history, path);
    history_fini(&history);
    return status;
}
