/* SPDX-License-Identifier: BSD-3-Clause */
/* A scheduling mode from outside of the library, which begins with all tasks on worker 0 and steals
 * by the library's protocol. */
#include <taskpool/mode.h>

struct thieves_state {
    struct taskpool_stealing stealing; /* first */
    int64_t n_tasks;
    int rank;
};

static int push_all(struct thieves_state *self)
{
    struct taskpool_range all = {0, self->rank == 0 ? self->n_tasks : 0, 1};
    return all.last > 0 ? taskpool_stealing_push(&self->stealing, all) : TASKPOOL_STATUS_OK;
}

static int thieves_init(void *state, const struct taskpool_mode_setup *setup,
                        struct taskpool_comm *comm)
{
    struct thieves_state *self = state;
    self->n_tasks = setup->problem->n_tasks;
    self->rank = comm->rank;
    return taskpool_stealing_init(&self->stealing, setup, comm);
}

static int thieves_seed(void *state)
{
    return push_all(state);
}

static enum taskpool_mode_step thieves_restore(void *state)
{
    struct thieves_state *self = state;
    taskpool_stealing_begin(&self->stealing);
    push_all(self); /* one range always has room */
    return TASKPOOL_MODE_DONE;
}

const struct taskpool_mode mode_thieves = {
    .name = "thieves",
    .help = "stealing from worker 0, which begins with all tasks",
    .options = (struct taskpool_mode_options *[]){&taskpool_chunk_options,
                                                  &taskpool_stealing_options, NULL},
    .state_size = sizeof(struct thieves_state),
    .node_words = taskpool_stealing_node_words,
    .init = thieves_init,
    .fini = taskpool_stealing_fini,
    .seed = thieves_seed,
    .next = taskpool_stealing_next,
    .next_local = taskpool_stealing_next_local,
    .receive = taskpool_stealing_receive,
    .sent = taskpool_stealing_sent,
    .restore = thieves_restore,
    .progress = taskpool_stealing_progress,
    .describe = taskpool_stealing_describe,
};
