/* SPDX-License-Identifier: BSD-3-Clause */
/* Two scheduling modes from outside of the library that begin with all tasks on worker 0: `thieves`
 * steals by the library's protocol, `halves` by messages of its own, whose end the library detects.
 */
#include <taskpool/mode.h>

/* --- thieves --- */

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

/* --- halves --- */

enum halves_kind { HALVES_REQUEST, HALVES_REFUSAL, HALVES_TRANSFER, HALVES_TERMINATION };

struct halves_message {
    int32_t kind; /* enum halves_kind */
    int32_t unused;
    struct taskpool_range range; /* of a transfer */
};

struct halves_state {
    struct taskpool_comm *comm;
    struct taskpool_termination termination;
    int64_t n_tasks;
    struct taskpool_range range; /* not begun */
    bool idle, asking;
};

static void take_all(struct halves_state *self)
{
    self->range.last = self->comm->rank == 0 ? self->n_tasks : 0;
    self->range.first = 0;
    self->range.step = 1;
    self->idle = false;
}

static int halves_init(void *state, const struct taskpool_mode_setup *setup,
                       struct taskpool_comm *comm)
{
    struct halves_state *self = state;
    self->comm = comm;
    self->n_tasks = setup->problem->n_tasks;
    taskpool_termination_init(&self->termination, comm, HALVES_TERMINATION);
    take_all(self);
    return TASKPOOL_STATUS_OK;
}

static void send_halves(struct halves_state *self, int to, enum halves_kind kind,
                        enum taskpool_termination_event event, struct taskpool_range range)
{
    const struct halves_message message = {.kind = kind, .range = range};
    taskpool_comm_send(self->comm, to, &message, sizeof message);
    taskpool_termination_count(&self->termination, event);
}

static void ask_another(struct halves_state *self)
{
    int size = self->comm->size;
    int step = 1 + (int)taskpool_comm_random_below(self->comm, (uint64_t)size - 1);
    send_halves(self, (self->comm->rank + step) % size, HALVES_REQUEST,
                TASKPOOL_TERMINATION_SENT_REQUEST, (struct taskpool_range){0});
    self->asking = true;
}

static enum taskpool_mode_step halves_next(void *state, struct taskpool_mode_work *work)
{
    struct halves_state *self = state;
    int64_t left = self->range.last - self->range.first;
    self->idle = left == 0;
    if (!self->idle) {
        work->range = self->range;
        if (left > work->n_wanted)
            work->range.last = work->range.first + work->n_wanted;
        self->range.first = work->range.last;
        return TASKPOOL_MODE_RUN;
    }
    if (self->comm->size == 1 || taskpool_termination_is_finished(&self->termination))
        return TASKPOOL_MODE_DONE;
    if (!self->asking && !taskpool_termination_is_closed(&self->termination))
        ask_another(self);
    taskpool_termination_without_work(&self->termination);
    return taskpool_termination_is_finished(&self->termination) ? TASKPOOL_MODE_DONE
                                                                : TASKPOOL_MODE_SEARCH;
}

static void answer_request(struct halves_state *self, int thief)
{
    int64_t half = (self->range.last - self->range.first) / 2;
    taskpool_termination_count(&self->termination, TASKPOOL_TERMINATION_RECEIVED_REQUEST);
    if (half == 0) {
        send_halves(self, thief, HALVES_REFUSAL, TASKPOOL_TERMINATION_SENT_REFUSAL, self->range);
        return;
    }
    struct taskpool_range given = {self->range.last - half, self->range.last, 1};
    self->range.last -= half;
    send_halves(self, thief, HALVES_TRANSFER, TASKPOOL_TERMINATION_SENT_TRANSFER, given);
}

static void halves_receive(void *state, int from, const void *bytes, size_t size)
{
    struct halves_state *self = state;
    const struct halves_message *message = bytes;
    (void)size;
    switch ((enum halves_kind)message->kind) {
    case HALVES_REQUEST:
        answer_request(self, from);
        break;
    case HALVES_REFUSAL:
        self->asking = false;
        taskpool_termination_count(&self->termination, TASKPOOL_TERMINATION_RECEIVED_REFUSAL);
        break;
    case HALVES_TRANSFER:
        self->asking = self->idle = false;
        self->range = message->range;
        taskpool_termination_count(&self->termination, TASKPOOL_TERMINATION_RECEIVED_TRANSFER);
        break;
    case HALVES_TERMINATION:
        taskpool_termination_receive(&self->termination, bytes, self->idle);
        break;
    }
}

static enum taskpool_mode_step halves_restore(void *state)
{
    struct halves_state *self = state;
    taskpool_termination_begin(&self->termination);
    take_all(self);
    return TASKPOOL_MODE_DONE;
}

static double halves_progress(const void *state, int64_t n_run)
{
    const struct halves_state *self = state;
    int64_t left = self->range.last - self->range.first;
    return n_run > 0 ? (double)n_run / (double)(n_run + left) : 0;
}

const struct taskpool_mode mode_halves = {
    .name = "halves",
    .help = "a worker without tasks is given half of a random worker's tasks",
    .state_size = sizeof(struct halves_state),
    .init = halves_init,
    .next = halves_next,
    .receive = halves_receive,
    .restore = halves_restore,
    .progress = halves_progress,
};
