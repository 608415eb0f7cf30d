/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `example`: worker 0 hands out single tasks on request. A file as sched/pool/modes/ would
 * have it, for the tests that a mode is one file and a line of built_in_modes.h, and of the installed
 * package. */
#include <taskpool/mode.h>

struct example_settings {
    int64_t grant; /* tasks handed out together */
};

static const struct taskpool_option example_rows[] = {
    TASKPOOL_INTEGER_OPTION("example-grant", offsetof(struct example_settings, grant), 1, 1e6,
                            .default_text = "1", .value = "N", .help = "tasks handed out together"),
};

static struct taskpool_mode_options example_options =
    TASKPOOL_MODE_OPTIONS(example_rows, sizeof(struct example_settings));

struct example_state {
    struct taskpool_comm *comm;
    int64_t n_tasks, grant;
    int64_t next_task; /* worker 0: the first that is not handed out */
    int n_finished;    /* worker 0: others that were notified of the end */
    struct taskpool_range range;
    bool asking, finished; /* the others */
};

/* The next tasks; none at the end. */
static struct taskpool_range example_cut(struct example_state *self)
{
    int64_t left = self->n_tasks - self->next_task;
    struct taskpool_range range = {.first = self->next_task, .step = 1};
    range.last = self->next_task += left < self->grant ? left : self->grant;
    return range;
}

static int example_init(void *state, const struct taskpool_mode_setup *setup,
                        struct taskpool_comm *comm)
{
    const struct example_settings *settings =
        taskpool_settings_of(setup->settings, &example_options);
    *(struct example_state *)state = (struct example_state){
        .comm = comm, .n_tasks = setup->problem->n_tasks, .grant = settings->grant};
    return TASKPOOL_STATUS_OK;
}

static enum taskpool_mode_step example_next(void *state, struct taskpool_mode_work *work)
{
    struct example_state *self = state;
    char request = 0;
    work->range = self->comm->rank == 0 ? example_cut(self) : self->range;
    self->range = (struct taskpool_range){.step = 1};
    if (work->range.first < work->range.last)
        return TASKPOOL_MODE_RUN;
    if (self->comm->rank == 0)
        return self->n_finished == self->comm->size - 1 ? TASKPOOL_MODE_DONE : TASKPOOL_MODE_WAIT;
    if (self->finished)
        return TASKPOOL_MODE_DONE;
    if (!self->asking)
        taskpool_comm_send(self->comm, 0, &request, sizeof request);
    self->asking = true;
    return TASKPOOL_MODE_SEARCH;
}

static void example_receive(void *state, int from, const void *message, size_t size)
{
    struct example_state *self = state;
    (void)size;
    if (self->comm->rank == 0) {
        struct taskpool_range range = example_cut(self);
        self->n_finished += range.first == range.last;
        taskpool_comm_send(self->comm, from, &range, sizeof range);
        return;
    }
    self->range = *(const struct taskpool_range *)message;
    self->asking = false;
    self->finished = self->range.first == self->range.last;
}

static enum taskpool_mode_step example_restore(void *state)
{
    struct example_state *self = state;
    self->next_task = 0;
    self->n_finished = 0;
    self->finished = false;
    return TASKPOOL_MODE_DONE;
}

static double example_progress(const void *state, int64_t n_run)
{
    const struct example_state *self = state;
    int64_t n = self->comm->rank == 0 ? self->next_task : self->finished ? self->n_tasks : n_run;
    return self->n_tasks > 0 ? (double)n / (double)self->n_tasks : 1;
}

const struct taskpool_mode mode_example = {
    .name = "example",
    .help = "worker 0 hands out single tasks on request",
    .options = (struct taskpool_mode_options *[]){&example_options, NULL},
    .state_size = sizeof(struct example_state),
    .init = example_init,
    .next = example_next,
    .receive = example_receive,
    .restore = example_restore,
    .progress = example_progress,
};
