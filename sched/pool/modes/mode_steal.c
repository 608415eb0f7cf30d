/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `steal`: random work stealing, each iteration anew from the seeding. The protocol
 * is in stealing.h; tasks added to a dynamic pool before the run are kept and
 * added again on the same worker. */
#include "sched/pool/protocols/stealing.h"

struct steal_state {
    struct stealing stealing; /* first: most functions of the table are stealing's own */
    struct record_list initial;
};

static int steal_init(void *state, const struct taskpool_mode_setup *setup,
                      struct taskpool_comm *comm)
{
    struct steal_state *self = state;
    self->initial.record_size = setup->problem->record_size;
    return stealing_init(&self->stealing, setup, comm);
}

static void steal_fini(void *state)
{
    struct steal_state *self = state;
    taskpool_stealing_fini(&self->stealing);
    record_list_fini(&self->initial);
}

static int steal_add(void *state, const void *record, bool initial)
{
    struct steal_state *self = state;
    if (initial)
        TRY(record_list_add(&self->initial, record));
    return taskpool_stealing_add(&self->stealing, record, initial);
}

static enum taskpool_mode_step steal_restore(void *state)
{
    struct steal_state *self = state;
    stealing_begin(&self->stealing, true);
    enum status status = STATUS_OK;
    if (self->stealing.setup->seeding)
        status = taskpool_stealing_seed(&self->stealing);
    for (int64_t i = 0; i < self->initial.n && status == STATUS_OK; i++)
        status = taskpool_stealing_add(&self->stealing, record_list_at(&self->initial, i), true);
    taskpool_comm_report(self->stealing.comm, status);
    return TASKPOOL_MODE_DONE;
}

const struct taskpool_mode mode_steal = {
    .name = "steal",
    .help = "a worker without tasks steals half of what a random victim shares",
    .options =
        (struct taskpool_mode_options *[]){&taskpool_seeding_options, &taskpool_chunk_options,
                                           &taskpool_stealing_options, NULL},
    .state_size = sizeof(struct steal_state),
    .seeded = true,
    .node_words = taskpool_stealing_node_words,
    .init = steal_init,
    .fini = steal_fini,
    .seed = taskpool_stealing_seed,
    .next = taskpool_stealing_next,
    .next_local = taskpool_stealing_next_local,
    .add = steal_add,
    .receive = taskpool_stealing_receive,
    .sent = taskpool_stealing_sent,
    .restore = steal_restore,
    .progress = taskpool_stealing_progress,
    .describe = taskpool_stealing_describe,
};
