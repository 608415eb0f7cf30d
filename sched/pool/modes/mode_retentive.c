/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `retentive`: work stealing whose next iteration starts where the tasks
 * ran in the last one (Lifflander, Krishnamoorthy, Kale, HPDC 2012, section 6).
 *
 * As published tasks run in the order in which they ran. Else a worker begins with its longest ones, so that short
 * ones are left for thieves, and the balancer of persist moves tasks between iterations: stealing alone
 * does not even out the last task of a worker that began with a long one, since that worker begins it before any
 * other is without tasks, in every iteration.
 *
 * In a dynamic pool only the tasks that were added before the run are kept: when they run, they add
 * the others again. */
#include "sched/pool/balancing/measured_balance.h"

struct retentive_state {
    struct measured_balance measured; /* first */
    struct record_list ran;           /* of a dynamic pool, the initial ones */
};

static int retentive_init(void *state, const struct taskpool_mode_setup *setup,
                          struct taskpool_comm *comm)
{
    struct retentive_state *self = state;
    TRY(measured_balance_init(&self->measured, setup, comm, &balancer_by_default));
    self->ran.record_size = setup->problem->record_size;
    if (self->ran.record_size > 0)
        self->measured.stealing.ran = &self->ran;
    return STATUS_OK;
}

static void retentive_fini(void *state)
{
    struct retentive_state *self = state;
    record_list_fini(&self->ran);
    measured_balance_fini(state);
}

static void begin_with_records(struct retentive_state *self)
{
    struct stealing *stealing = &self->measured.stealing;
    stealing_begin(stealing, true);
    taskpool_comm_report(stealing->comm, stealing_push_records(stealing, &self->ran));
    self->ran.n = 0;
}

static enum taskpool_mode_step retentive_restore(void *state)
{
    struct retentive_state *self = state;
    struct measured_balance *measured = &self->measured;
    bool as_published = measured->stealing.settings->as_published;
    if (self->ran.record_size > 0) {
        begin_with_records(self);
        return TASKPOOL_MODE_DONE;
    }
    if (!measured_balance_step(measured, as_published ? INT64_MAX : 1))
        return TASKPOOL_MODE_WAIT;
    taskpool_comm_report(measured->stealing.comm,
                         measured_balance_begin(measured, true, !as_published));
    return TASKPOOL_MODE_DONE;
}

const struct taskpool_mode mode_retentive = {
    .name = "retentive",
    .help = "stealing that starts where the tasks ran in the last iteration, evened out before",
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
    .receive = measured_balance_receive,
    .sent = measured_balance_sent,
    .finished = measured_balance_finished,
    .restore = retentive_restore,
    .progress = taskpool_stealing_progress,
    .describe = taskpool_stealing_describe,
};
