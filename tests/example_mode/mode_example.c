/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `example`: worker 0 begins with all tasks, and workers without tasks ask random ones, by
 * messages whose end the library detects. A file as sched/pool/modes/ would have it, for the tests
 * that a mode is one file and a line of built_in_modes.h, and of the installed package. */
#include <taskpool/mode.h>

struct example_settings {
    int64_t grant; /* tasks given together, at most */
};

static const struct taskpool_option example_rows[] = {
    TASKPOOL_INTEGER_OPTION("example-grant", offsetof(struct example_settings, grant), 1, 1e6,
                            .default_text = "1000", .value = "N",
                            .help = "tasks given together, at most"),
};

static struct taskpool_mode_options example_options =
    TASKPOOL_MODE_OPTIONS(example_rows, sizeof(struct example_settings));

enum example_kind { EXAMPLE_REQUEST, EXAMPLE_REFUSAL, EXAMPLE_TRANSFER, EXAMPLE_TERMINATION };

struct example_message {
    int32_t kind; /* enum example_kind */
    int32_t unused;
    struct taskpool_range range; /* of a transfer */
};

struct example_state {
    struct taskpool_comm *comm;
    struct taskpool_termination termination;
    int64_t n_tasks, grant;
    struct taskpool_range range; /* not begun */
    bool idle, asking;
};

static void take_all(struct example_state *self)
{
    self->range.last = self->comm->rank == 0 ? self->n_tasks : 0;
    self->range.first = 0;
    self->range.step = 1;
    self->idle = false;
}

static int example_init(void *state, const struct taskpool_mode_setup *setup,
                        struct taskpool_comm *comm)
{
    const struct example_settings *settings =
        taskpool_settings_of(setup->settings, &example_options);
    struct example_state *self = state;
    self->comm = comm;
    self->grant = settings->grant;
    self->n_tasks = setup->problem->n_tasks;
    taskpool_termination_init(&self->termination, comm, EXAMPLE_TERMINATION);
    take_all(self);
    return TASKPOOL_STATUS_OK;
}

static void send_message(struct example_state *self, int to, enum example_kind kind,
                         enum taskpool_termination_event event, struct taskpool_range range)
{
    const struct example_message message = {.kind = kind, .range = range};
    taskpool_comm_send(self->comm, to, &message, sizeof message);
    taskpool_termination_count(&self->termination, event);
}

static void ask_another(struct example_state *self)
{
    int size = self->comm->size;
    int step = 1 + (int)taskpool_comm_random_below(self->comm, (uint64_t)size - 1);
    send_message(self, (self->comm->rank + step) % size, EXAMPLE_REQUEST,
                 TASKPOOL_TERMINATION_SENT_REQUEST, (struct taskpool_range){0});
    self->asking = true;
}

static enum taskpool_mode_step example_next(void *state, struct taskpool_mode_work *work)
{
    struct example_state *self = state;
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

static void answer_request(struct example_state *self, int thief)
{
    int64_t half = (self->range.last - self->range.first) / 2;
    half = half < self->grant ? half : self->grant;
    taskpool_termination_count(&self->termination, TASKPOOL_TERMINATION_RECEIVED_REQUEST);
    if (half == 0) {
        send_message(self, thief, EXAMPLE_REFUSAL, TASKPOOL_TERMINATION_SENT_REFUSAL, self->range);
        return;
    }
    struct taskpool_range given = {self->range.last - half, self->range.last, 1};
    self->range.last -= half;
    send_message(self, thief, EXAMPLE_TRANSFER, TASKPOOL_TERMINATION_SENT_TRANSFER, given);
}

static void example_receive(void *state, int from, const void *bytes, size_t size)
{
    struct example_state *self = state;
    const struct example_message *message = bytes;
    (void)size;
    switch ((enum example_kind)message->kind) {
    case EXAMPLE_REQUEST:
        answer_request(self, from);
        break;
    case EXAMPLE_REFUSAL:
        self->asking = false;
        taskpool_termination_count(&self->termination, TASKPOOL_TERMINATION_RECEIVED_REFUSAL);
        break;
    case EXAMPLE_TRANSFER:
        self->asking = self->idle = false;
        self->range = message->range;
        taskpool_termination_count(&self->termination, TASKPOOL_TERMINATION_RECEIVED_TRANSFER);
        break;
    case EXAMPLE_TERMINATION:
        taskpool_termination_receive(&self->termination, bytes, self->idle);
        break;
    }
}

static enum taskpool_mode_step example_restore(void *state)
{
    struct example_state *self = state;
    taskpool_termination_begin(&self->termination);
    take_all(self);
    return TASKPOOL_MODE_DONE;
}

static double example_progress(const void *state, int64_t n_run)
{
    const struct example_state *self = state;
    int64_t left = self->range.last - self->range.first;
    return n_run > 0 ? (double)n_run / (double)(n_run + left) : 0;
}

const struct taskpool_mode mode_example = {
    .name = "example",
    .help = "a worker without tasks is given half of a random worker's tasks",
    .options = (struct taskpool_mode_options *[]){&example_options, NULL},
    .state_size = sizeof(struct example_state),
    .init = example_init,
    .next = example_next,
    .receive = example_receive,
    .restore = example_restore,
    .progress = example_progress,
};
