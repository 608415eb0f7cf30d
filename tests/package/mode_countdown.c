/* SPDX-License-Identifier: BSD-3-Clause */
/* A scheduling mode from outside of the library: a shared counter hands out chunks of the task
 * IDs from the last to the first. */
#include "mode_countdown.h"

struct countdown_settings {
    int64_t chunk;
};

static const struct taskpool_option rows[] = {
    TASKPOOL_INTEGER_OPTION("countdown-chunk", offsetof(struct countdown_settings, chunk), 1, 1e6,
                            .default_text = "5", .value = "N", .help = "tasks handed out together"),
};

static struct taskpool_mode_options options =
    TASKPOOL_MODE_OPTIONS(rows, sizeof(struct countdown_settings));

struct countdown_state {
    int64_t n_tasks, chunk, n_left; /* n_left: not handed out, as far as this worker knows */
    bool asking;
    struct taskpool_range range; /* arrived and not begun */
    struct taskpool_comm *comm;
};

static int countdown_init(void *state, const struct taskpool_mode_setup *setup,
                          struct taskpool_comm *comm)
{
    const struct countdown_settings *settings = taskpool_settings_of(setup->settings, &options);
    int64_t n_tasks = setup->problem->n_tasks;
    *(struct countdown_state *)state = (struct countdown_state){
        .n_tasks = n_tasks, .n_left = n_tasks, .chunk = settings->chunk, .comm = comm};
    return TASKPOOL_STATUS_OK;
}

static enum taskpool_mode_step countdown_next(void *state, struct taskpool_mode_work *work)
{
    struct countdown_state *self = state;
    work->range = self->range;
    self->range = (struct taskpool_range){0};
    if (work->range.first < work->range.last)
        return TASKPOOL_MODE_RUN;
    if (self->n_left == 0)
        return TASKPOOL_MODE_DONE;
    if (!self->asking)
        taskpool_comm_fetch_add(self->comm, self->chunk);
    self->asking = true;
    return TASKPOOL_MODE_SEARCH;
}

static void countdown_fetched(void *state, int64_t n_taken)
{
    struct countdown_state *self = state;
    int64_t last = self->n_tasks - n_taken, first = last - self->chunk;
    self->asking = false;
    self->n_left = first > 0 ? first : 0;
    if (last > 0)
        self->range = (struct taskpool_range){.first = self->n_left, .last = last, .step = 1};
}

static enum taskpool_mode_step countdown_restore(void *state)
{
    struct countdown_state *self = state;
    self->n_left = self->n_tasks;
    return TASKPOOL_MODE_DONE;
}

static double countdown_progress(const void *state, int64_t n_run)
{
    const struct countdown_state *self = state;
    (void)n_run;
    return self->n_tasks > 0 ? 1 - (double)self->n_left / (double)self->n_tasks : 1;
}

const struct taskpool_mode mode_countdown = {
    .name = "countdown",
    .help = "a shared counter hands out chunks from the last task to the first",
    .options = (struct taskpool_mode_options *[]){&options, NULL},
    .state_size = sizeof(struct countdown_state),
    .init = countdown_init,
    .next = countdown_next,
    .fetched = countdown_fetched,
    .restore = countdown_restore,
    .progress = countdown_progress,
};
