/* Mode `counter`: a shared counter hands out chunks of the IDs in their order,
 * whatever the seeding, as NWChem does with nxtval.
 *
 * A worker without tasks adds the size of a chunk to the counter and owns the
 * IDs from the value before to the value after. With --guided the chunk is the
 * number of tasks left, by the last value that this worker got, divided by twice the
 * number of workers, and at least --chunk: large chunks with few requests first,
 * small ones to balance the end (Polychronopoulos and Kuck, IEEE
 * Trans. Comput. 36 (1987) 1425, with half of their chunk, because tasks
 * differ). An outdated value only makes the chunk larger. */
#include "sched/core/mode.h"
#include "support/io/option_row.h"

#include <stdio.h>

struct counter_settings {
    bool guided;
};

static const struct option_row counter_rows[] = {
    FLAG_OPTION("guided", offsetof(struct counter_settings, guided),
                .help = "chunks shrink from large ones to --chunk as the tasks run out"),
};

static struct mode_options counter_options =
    MODE_OPTIONS(counter_rows, sizeof(struct counter_settings));

struct counter_state {
    int64_t n_tasks;
    int64_t min_chunk;
    int64_t n_shares; /* guided: a chunk is the tasks left / n_shares; else 0 */
    struct comm *comm;

    int64_t handed_out; /* tasks known to be handed out, to any worker */
    int64_t asked_for;  /* size of the requested chunk */
    bool asking;
    struct task_range chunk; /* arrived and not begun */
};

static int64_t clamp(int64_t value, int64_t min, int64_t max)
{
    if (value < min)
        return min;
    return value > max ? max : value;
}

static enum status counter_init(void *state, const struct mode_setup *setup, struct comm *comm)
{
    struct counter_state *self = state;
    const struct counter_settings *own = settings_of(setup->settings, &counter_options);
    self->n_tasks = setup->problem->n_tasks;
    self->comm = comm;
    /* A chunk is limited to n_tasks / workers: so the counter stays below
     * TASKPOOL_MAX_TASKS + n_tasks, which fits, when all request beyond the end. */
    int64_t share = clamp(self->n_tasks / comm->size, 1, self->n_tasks);
    self->min_chunk = clamp(setup->settings->chunk, 1, share);
    self->n_shares = own->guided ? 2 * (int64_t)comm->size : 0;
    return STATUS_OK;
}

static int64_t chunk_size(const struct counter_state *self)
{
    if (self->n_shares == 0)
        return self->min_chunk;
    int64_t guided = (self->n_tasks - self->handed_out) / self->n_shares;
    return guided > self->min_chunk ? guided : self->min_chunk;
}

static enum mode_step counter_next(void *state, struct mode_work *work)
{
    struct counter_state *self = state;
    if (self->chunk.first < self->chunk.last) {
        work->range = self->chunk;
        self->chunk = (struct task_range){0};
        return MODE_RUN;
    }
    if (!self->asking) {
        if (self->handed_out >= self->n_tasks)
            return MODE_DONE;
        self->asking = true;
        self->asked_for = chunk_size(self);
        comm_fetch_add(self->comm, self->asked_for);
    }
    return MODE_SEARCH;
}

static void counter_fetched(void *state, int64_t value)
{
    struct counter_state *self = state;
    int64_t last = value + self->asked_for;
    self->asking = false;
    self->handed_out = last < self->n_tasks ? last : self->n_tasks;
    self->chunk = (struct task_range){.first = value, .last = self->handed_out, .step = 1};
}

static enum mode_step counter_restore(void *state)
{
    struct counter_state *self = state;
    self->handed_out = 0;
    return MODE_DONE;
}

static double counter_progress(const void *state, int64_t n_run)
{
    const struct counter_state *self = state;
    (void)n_run;
    return self->n_tasks > 0 ? (double)self->handed_out / (double)self->n_tasks : 1;
}

static void counter_describe(const void *state, char *text, size_t size)
{
    const struct counter_state *self = state;
    snprintf(text, size, "%lld of %lld tasks known to be handed out, %s",
             (long long)self->handed_out, (long long)self->n_tasks,
             self->asking ? "the counter has not answered" : "no request to the counter");
}

const struct mode mode_counter = {
    .name = "counter",
    .help = "a shared counter hands out chunks of tasks",
    .options = (struct mode_options *[]){&chunk_options, &counter_options, NULL},
    .state_size = sizeof(struct counter_state),
    .init = counter_init,
    .next = counter_next,
    .fetched = counter_fetched,
    .restore = counter_restore,
    .progress = counter_progress,
    .describe = counter_describe,
};
