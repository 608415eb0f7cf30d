/* Mode `counter`: a shared counter hands out chunks of the IDs in their order,
 * whatever the seeding, as NWChem does with nxtval (self_scheduling.h).
 *
 * A worker without tasks adds the size of a chunk to the counter and owns the
 * IDs from the value before to the value after. With --guided the chunk is the
 * number of tasks left, by the last value that this worker got, divided by twice the
 * number of workers, and at least --chunk: large chunks with few requests first,
 * small ones to balance the end. An outdated value only makes the chunk larger. That is the idea
 * of Polychronopoulos and Kuck, IEEE Trans. Comput. 36 (1987) 1425, with half of their chunk,
 * because tasks differ, and for a counter that knows only tasks; mode guided has their chunks. */
#include "sched/pool/protocols/self_scheduling.h"
#include "support/io/option_row.h"

struct counter_settings {
    bool guided;
};

static const struct option_row counter_rows[] = {
    FLAG_OPTION("guided", offsetof(struct counter_settings, guided),
                .help = "chunks shrink from large ones to --chunk as the tasks run out"),
};

static struct taskpool_mode_options counter_options =
    TASKPOOL_MODE_OPTIONS(counter_rows, sizeof(struct counter_settings));

struct counter_state {
    struct self_scheduling scheduling; /* first */
    int64_t n_shares;                  /* guided: a chunk is the tasks left / n_shares; else 0 */
};

static int64_t size_of_chunk(const void *state)
{
    const struct counter_state *self = state;
    const struct self_scheduling *scheduling = &self->scheduling;
    if (self->n_shares == 0)
        return scheduling->min_chunk;
    int64_t guided = (scheduling->n_tasks - scheduling->handed_out) / self->n_shares;
    return guided > scheduling->min_chunk ? guided : scheduling->min_chunk;
}

static struct taskpool_range counter_chunk(void *state, int64_t value)
{
    const struct counter_state *self = state;
    return (struct taskpool_range){.first = value, .last = value + self->scheduling.asked_for};
}

static const struct self_scheduling_rule counter_rule = {.increment = size_of_chunk,
                                                         .chunk = counter_chunk};

static enum status counter_init(void *state, const struct taskpool_mode_setup *setup,
                                struct taskpool_comm *comm)
{
    struct counter_state *self = state;
    const struct counter_settings *own = taskpool_settings_of(setup->settings, &counter_options);
    self_scheduling_init(&self->scheduling, setup, comm, &counter_rule);
    self->n_shares = own->guided ? 2 * (int64_t)comm->size : 0;
    return STATUS_OK;
}

const struct taskpool_mode mode_counter = {
    .name = "counter",
    .help = "a shared counter hands out chunks of tasks",
    .options = (struct taskpool_mode_options *[]){&chunk_options, &counter_options, NULL},
    .state_size = sizeof(struct counter_state),
    .init = counter_init,
    .next = self_scheduling_next,
    .fetched = self_scheduling_fetched,
    .restore = self_scheduling_restore,
    .progress = self_scheduling_progress,
    .describe = self_scheduling_describe,
};
