#include "sched/driver_sim.h"

#include "sched/sim.h"
#include "support/agree.h"

#include <math.h>
#include <stdlib.h>

static enum status run_phase(struct driver_sim *sim, bool restoring)
{
    int n_workers = sim->driver.n_workers;
    double start_s = 0;
    for (int i = 0; i < n_workers; i++)
        start_s = fmax(start_s, sim->workers[i].clock_s);
    sim->restoring = restoring;
    sim->start_s = start_s;
    sim->n_active = n_workers;
    sim->n_lost = 0;
    for (int i = 0; i < n_workers; i++) {
        sim->workers[i].clock_s = start_s;
        sim->workers[i].doing = WAITING;
        sim->workers[i].waiting_s = &sim->workers[i].figures.idle_s;
    }
    for (int i = 0; i < n_workers; i++)
        sim_proceed(&sim->workers[i]);
    struct event event;
    while (sim->n_active > 0 && sim->protocol == STATUS_OK &&
           event_queue_next(&sim->events, &event))
        sim_happen(sim, &event);
    int n_stuck = sim->n_active;
    sim_drop_events(sim);
    if (sim->protocol != STATUS_OK)
        return sim->protocol;
    if (n_stuck > 0)
        return FAIL(STATUS_PROTOCOL, "mode %s: %d of %d workers wait for ever", sim->mode->name,
                    n_stuck, n_workers);
    if (sim->n_lost > 0)
        return FAIL(STATUS_PROTOCOL, "mode %s: %lld messages came too late", sim->mode->name,
                    (long long)sim->n_lost);
    return STATUS_OK;
}

static enum status sim_run(struct driver *driver, struct statistics_worker *workers)
{
    struct driver_sim *sim = (struct driver_sim *)driver;
    sim->status = STATUS_OK;
    sim->counter = 0;
    for (int i = 0; i < driver->n_workers; i++)
        sim->workers[i].pace = pace_begin(sim->setup->settings->poll_every);
    enum status status = run_phase(sim, false);
    for (int i = 0; i < driver->n_workers; i++) {
        struct sim_worker *worker = &sim->workers[i];
        workers[i] = worker->figures;
        workers[i].steals_attempted = worker->comm.counts.steals_attempted;
        workers[i].steals_successful = worker->comm.counts.steals_successful;
        workers[i].tasks_moved = worker->comm.counts.tasks_moved;
        worker->figures = (struct statistics_worker){0};
        worker->comm.counts = (struct comm_counts){0};
    }
    return status != STATUS_OK ? status : sim->status;
}

static enum status sim_restore(struct driver *driver)
{
    struct driver_sim *sim = (struct driver_sim *)driver;
    TRY(run_phase(sim, true));
    /* What is told apart while tasks run is one thing here: balancing. */
    for (int i = 0; i < driver->n_workers; i++) {
        struct sim_worker *worker = &sim->workers[i];
        worker->figures.balance_s = worker->clock_s - sim->start_s;
        worker->figures.idle_s = worker->figures.search_s = worker->figures.communication_s = 0;
    }
    return STATUS_OK;
}

static enum status sim_add(struct driver *driver, const void *record)
{
    struct driver_sim *sim = (struct driver_sim *)driver;
    bool initial = sim->current == NULL;
    struct sim_worker *worker = initial ? &sim->workers[0] : sim->current;
    return sim->mode->add(worker->state, record, initial);
}

static void sim_poll(struct driver *driver)
{
    (void)driver; /* a body takes no simulated time of its own */
}

static double sim_progress(const struct driver *driver)
{
    const struct driver_sim *sim = (const struct driver_sim *)driver;
    return sim->mode->progress(sim->workers[0].state, sim->workers[0].figures.tasks);
}

static void sim_destroy(struct driver *driver)
{
    struct driver_sim *sim = (struct driver_sim *)driver;
    for (int i = 0; i < driver->n_workers; i++)
        if (sim->workers[i].state && sim->mode->fini)
            sim->mode->fini(sim->workers[i].state);
    event_queue_fini(&sim->events);
    free(sim->workers);
    free(sim->states);
    free(sim->records);
    free(sim->ranks);
    free(sim->incoming);
    free(sim);
}

static const struct driver_functions driver_functions = {.run = sim_run,
                                                         .restore = sim_restore,
                                                         .add = sim_add,
                                                         .poll = sim_poll,
                                                         .progress = sim_progress,
                                                         .destroy = sim_destroy};

/* --- creation --- */

static size_t aligned(size_t size)
{
    return (size + 15) / 16 * 16;
}

static enum status allocate(struct driver_sim *sim)
{
    size_t n = (size_t)sim->driver.n_workers;
    size_t record_size = sim->setup->problem->record_size;
    sim->workers = calloc(n, sizeof *sim->workers);
    sim->states = calloc(n, aligned(sim->mode->state_size));
    sim->records = record_size > 0 ? calloc(n, aligned(record_size)) : NULL;
    sim->ranks = malloc(n * sizeof *sim->ranks);
    if (!sim->workers || !sim->states || !sim->ranks || (record_size > 0 && !sim->records))
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu simulated workers", n);
    for (size_t i = 0; i < n; i++)
        sim->ranks[i] = (int)i;
    return STATUS_OK;
}

static void connect_worker(struct driver_sim *sim, int rank)
{
    struct sim_worker *worker = &sim->workers[rank];
    int size = sim->driver.n_workers;
    int node_size = sim->machine->node_size > 0 ? sim->machine->node_size : size;
    int first = rank / node_size * node_size;
    worker->sim = sim;
    worker->comm = (struct comm){
        .functions = &sim_comm_functions,
        .rank = rank,
        .size = size,
        .node_ranks = sim->ranks + first,
        .n_node_ranks = first + node_size < size ? node_size : size - first,
    };
    random_stream_init(&worker->comm.random, (uint64_t)sim->setup->settings->seed, (uint64_t)rank);
    if (sim->records)
        worker->record = sim->records + (size_t)rank * aligned(sim->setup->problem->record_size);
}

static enum status init_workers(struct driver_sim *sim)
{
    TRY(allocate(sim));
    for (int rank = 0; rank < sim->driver.n_workers; rank++) {
        connect_worker(sim, rank);
        void *state = sim->states + (size_t)rank * aligned(sim->mode->state_size);
        TRY(sim->mode->init(state, sim->setup, &sim->workers[rank].comm));
        sim->workers[rank].state = state;
        if (sim->mode->seed && sim->setup->problem->record_size == 0)
            TRY(sim->mode->seed(state));
    }
    return STATUS_OK;
}

enum status driver_sim_create(const struct mode *mode, const struct taskpool_machine *machine,
                              const struct mode_setup *setup, struct history *history,
                              struct driver **out)
{
    struct driver_sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        return FAIL(STATUS_NO_MEMORY, "no memory for a simulation");
    sim->driver = (struct driver){.functions = &driver_functions, .n_workers = machine->n_workers};
    sim->mode = mode;
    sim->machine = machine;
    sim->setup = setup;
    sim->history = history;
    /* A stream that no worker has. */
    random_stream_init(&sim->random, (uint64_t)setup->settings->seed, UINT64_MAX);
    enum status status = init_workers(sim);
    if (status != STATUS_OK) {
        sim_destroy(&sim->driver);
        return status;
    }
    *out = &sim->driver;
    return STATUS_OK;
}
