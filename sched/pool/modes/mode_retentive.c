/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `retentive`: work stealing whose next iteration starts where the tasks
 * ran in the last one (Lifflander, Krishnamoorthy, Kale, HPDC 2012, section 6).
 * As published they run in the order in which they ran; else a worker begins with its longest, see
 * ran_tasks.h. Stealing notes the tasks that a worker ran, and the durations of long ones.
 *
 * Where tasks keep data (taskpool_problem.tasks_keep_data) no iteration but the first steals.
 *
 * In a dynamic pool only the tasks that were added before the run are kept: when they run, they add
 * the others again. */
#include "sched/pool/protocols/stealing.h"

struct retentive_state {
    struct stealing stealing; /* first */
    struct ran_tasks ran;
};

static int retentive_init(void *state, const struct taskpool_mode_setup *setup,
                          struct taskpool_comm *comm)
{
    struct retentive_state *self = state;
    TRY(stealing_init(&self->stealing, setup, comm, &self->ran));
    self->ran.records.record_size = setup->problem->record_size;
    self->ran.keeps_order = self->stealing.settings->as_published;
    return STATUS_OK;
}

static void retentive_fini(void *state)
{
    struct retentive_state *self = state;
    ran_tasks_fini(&self->ran);
    taskpool_stealing_fini(&self->stealing);
}

static enum status begin_with_ran(struct retentive_state *self)
{
    struct task_ranges tasks = {0};
    enum status status = ran_tasks_list(&self->ran, &tasks);
    if (status == STATUS_OK)
        status = stealing_push(&self->stealing, &tasks);
    if (status == STATUS_OK)
        status = stealing_push_records(&self->stealing, &self->ran.records);
    task_ranges_fini(&tasks);
    ran_tasks_clear(&self->ran);
    return status;
}

static enum taskpool_mode_step retentive_restore(void *state)
{
    struct retentive_state *self = state;
    stealing_begin(&self->stealing, !self->stealing.setup->problem->tasks_keep_data);
    taskpool_comm_report(self->stealing.comm, begin_with_ran(self));
    return TASKPOOL_MODE_DONE;
}

const struct taskpool_mode mode_retentive = {
    .name = "retentive",
    .help = "stealing that starts where the tasks ran in the last iteration",
    .options =
        (struct taskpool_mode_options *[]){&taskpool_seeding_options, &taskpool_chunk_options,
                                           &taskpool_stealing_options, NULL},
    .state_size = sizeof(struct retentive_state),
    .seeded = true,
    .task_bytes = sizeof(struct duration_entry) + DURATION_BINS_ORDER_BYTES,
    .node_words = taskpool_stealing_node_words,
    .init = retentive_init,
    .fini = retentive_fini,
    .seed = taskpool_stealing_seed,
    .next = taskpool_stealing_next,
    .next_local = taskpool_stealing_next_local,
    .add = taskpool_stealing_add,
    .receive = taskpool_stealing_receive,
    .sent = taskpool_stealing_sent,
    .restore = retentive_restore,
    .progress = taskpool_stealing_progress,
    .describe = taskpool_stealing_describe,
};
